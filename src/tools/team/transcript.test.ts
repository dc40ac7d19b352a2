/** A member reads its own conversation, also what a summary left out. */
import { beforeEach, expect, it } from "vitest";
import { stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { type Entry, heard } from "../../core/conversation/chat.ts";
import type { Store, ToolContext } from "../../ports/index.ts";
import { readTranscript } from "./transcript.ts";

const at = stage("sqlite");
let store: Store;
let alice: Seat;
let bob: Seat;
const said = (text: string): Entry => ({
  kind: "said",
  message: { role: "assistant", content: [{ type: "text", text }] },
});
const summary: Entry = { kind: "summary", text: "Notes: the port is known." } as Entry;

beforeEach(async () => {
  const crew = await at.crew(["alice", "bob"]);
  store = crew.store;
  [alice, bob] = crew.seats as [Seat, Seat];
  await store.transcript.record(alice, [heard("Use port 8080 <now>."), said("I use it."), summary]);
  await store.transcript.record(alice, [heard(`Continue. ${"x".repeat(5_000)}`)]);
  await store.transcript.record(bob, [heard("The secret of bob.")]);
});

const read = (input: object): Promise<string> =>
  readTranscript.run(readTranscript.input().parse(input), {
    store,
    self: alice.name,
  } as unknown as ToolContext);

it("says how long it is, and where it was summed up", async () => {
  expect(await read({})).toBe(
    "Your conversation has the entries 1 to 4, with summaries at 3. from and to show some of them, search finds a text.",
  );
});

it("shows entries from before the summary by number, and cuts long ones", async () => {
  expect(await read({ from: 1, to: 2 })).toBe("1: →: Use port 8080 <now>.\n2: alice: I use it.");
  expect(await read({ from: 4 })).toMatch(/^4: →: Continue\. x{3000,} \[… 5\d\d\d characters\]$/);
});

it("finds a text, in its own conversation alone", async () => {
  expect(await read({ search: "PORT 80" })).toBe("1: →: Use port 8080 <now>.");
  expect(await read({ search: "secret" })).toBe('No entry of your conversation contains "secret".');
});

it("finds a text in whatever case and in a range, the latest entries first of all", async () => {
  expect(await read({ search: "USE" })).toBe("1: →: Use port 8080 <now>.\n2: alice: I use it.");
  expect(await read({ search: "use", from: 2 })).toBe("2: alice: I use it.");
  for (let n = 1; n <= 32; n += 1) await store.transcript.record(alice, [heard(`Hit ${n}.`)]);
  const lines = (await read({ search: "hit" })).split("\n");
  expect([lines.length, lines[0], lines[29], lines[30]]).toEqual([
    ...[31, "7: →: Hit 3.", "36: →: Hit 32.", "[2 earlier ones; use from and to]"],
  ]);
});

it.each([
  [{ from: 9 }, "has the entries 1 to 4; 9 to 4 are none of them"],
  [{ from: 3, to: 2 }, "3 to 2 are none of them"],
  [{ search: " " }, "`search` is empty"],
])("refuses %j", async (input, words) => {
  await expect(read(input)).rejects.toThrow(words);
});

it("continues where an answer would be too long", async () => {
  for (let n = 0; n < 20; n += 1) await store.transcript.record(alice, [heard("y".repeat(3_000))]);
  expect(await read({ from: 1 })).toMatch(/\[of 24 entries; continue with from 1\d\]$/);
});
