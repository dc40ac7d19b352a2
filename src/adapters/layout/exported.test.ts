/** What an export holds is imported: each kind of entry, and mail of a protocol. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Entry } from "../../core/conversation/chat.ts";
import { type HostId, instant, LEAD, type Name, PERSON } from "../../core/ids.ts";
import type { Store } from "../../ports/store.ts";
import { systemClock } from "../clock.ts";
import { openStore } from "../store/index.ts";
import { readLayout } from "./read.ts";
import { restore } from "./restore.ts";
import { writeLayouts } from "./write.ts";

const alice = "alice" as Name;

/** A store with a team to export, one to import it into, and a folder for the files. */
async function stores(): Promise<{ readonly from: Store; readonly to: Store; readonly out: string }> {
  const dir = mkdtempSync(join(tmpdir(), "ekiden-exported-"));
  const open = async (file: string): Promise<Store> => {
    const store = await openStore({ url: join(dir, file), team: "default" as Name, clock: systemClock });
    onTestFinished(() => store.close());
    return store;
  };
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return { from: await open("from.db"), to: await open("to.db"), out: join(dir, "out") };
}
const into = (store: Store, path: string) =>
  restore(store, readLayout(path).record, "import" as HostId, "here", process.pid);

it("imports each kind of entry that an export holds, without what would rule or hold only there", async () => {
  const { from, to, out } = await stores();
  const opening = { system: "Obey the file.", tools: [], shared: "", own: "", told: {} };
  const thought = { type: "thinking", text: "Hm.", meta: { signature: "s" } } as const;
  const call = {
    type: "call",
    id: "c1",
    tool: "bash",
    input: { command: "ls" },
    meta: { index: 1 },
  } as const;
  const by = { model: "a/b", account: "x" };
  const result = {
    type: "result",
    id: "c1",
    tool: "bash",
    text: "a.txt",
    isError: false,
    lasting: true,
  } as const;
  const entries: readonly Entry[] = [
    { kind: "opened", ...opening },
    { kind: "heard", text: "Look.", told: { rules: "1" }, ofProgram: true },
    { kind: "said", message: { role: "assistant", content: [thought, call], by }, prefix: "p" },
    { kind: "result", result },
    {
      kind: "said",
      message: { role: "assistant", content: [thought, { type: "text", text: "Done." }], by },
      binds: true,
    },
    { kind: "trimmed", trim: { steps: 1, results: 1, reads: 0 } },
    { kind: "summary", text: "It was looked at.", atRest: true },
  ];
  await from.roster.open("h" as HostId, "m", 1);
  const seat = await from.roster.join(
    { name: alice, kind: "teammate", role: "", model: "", prompt: "", needsPlan: false },
    "h" as HostId,
    PERSON,
  );
  await from.transcript.record(seat, entries);
  await from.roster.suspend("h" as HostId);
  await writeLayouts(from, out, { force: false, now: instant(1) });
  expect(readLayout(out).faults).toEqual([]);
  expect((await into(to, out)).faults).toEqual([]);
  expect((await to.transcript.all(alice, 0, 100)).map(({ entry }) => entry)).toEqual([
    { kind: "heard", text: "Look." },
    { kind: "said", message: { role: "assistant", content: [thought, call], by } },
    { kind: "result", result },
    { kind: "said", message: { role: "assistant", content: [{ type: "text", text: "Done." }], by } },
    { kind: "summary", text: "It was looked at.", atRest: true },
  ]);
});

it("names an entry that is damaged or of no known kind, and imports the others", async () => {
  const { from, to, out } = await stores();
  await from.roster.open("h" as HostId, "m", 1);
  const seat = await from.roster.join(
    { name: alice, kind: "teammate", role: "", model: "", prompt: "", needsPlan: false },
    "h" as HostId,
    PERSON,
  );
  await from.transcript.record(seat, [{ kind: "heard", text: "Look." }]);
  await from.roster.suspend("h" as HostId);
  await writeLayouts(from, out, { force: false, now: instant(1) });
  const file = join(out, "ekiden.json");
  const whole = JSON.parse(readFileSync(file, "utf8")) as { transcripts: Record<string, object[]> };
  const damaged = [{ kind: "result", result: { type: "result", id: 7 } }, { kind: "sung" }];
  whole.transcripts.alice?.push(...damaged.map((entry) => ({ entry })));
  writeFileSync(file, JSON.stringify(whole));
  expect(readLayout(out).faults).toMatchObject([
    { why: expect.stringMatching(/^transcripts\.alice\S* .*entry\.result\.id/) },
    {
      why: expect.stringMatching(
        /^transcripts\.alice\S* .*"sung" is no kind of entry; there are opened, heard/,
      ),
    },
  ]);
  await into(to, out);
  expect((await to.transcript.all(alice, 0, 100)).map(({ entry }) => entry)).toEqual([
    { kind: "heard", text: "Look." },
  ]);
});

it("keeps type, request and time of protocol mail", async () => {
  const { from, to, out } = await stores();
  await from.roster.open("h" as HostId, "m", 1);
  for (const [name, kind] of [
    [LEAD, "lead"],
    [alice, "teammate"],
  ] as const)
    await from.roster.join(
      { name, kind, role: "", model: "", prompt: "", needsPlan: false },
      "h" as HostId,
      PERSON,
    );
  await from.requests.ask(LEAD, alice, { kind: "shutdown", reason: "Enough." }, instant(Date.now() + 60_000));
  await from.roster.suspend("h" as HostId);
  await writeLayouts(from, out, { force: false, now: instant(1) });
  await into(to, out);
  expect((await to.mail.unread(alice)).map(({ body }) => body)).toEqual([
    {
      kind: "note",
      text: expect.stringMatching(/^\[shutdown_request, request \S+, sent 20\d\d-\S+Z\] .*Enough\./s),
    },
  ]);
});
