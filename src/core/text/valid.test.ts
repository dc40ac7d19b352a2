import { expect, it } from "vitest";
import { FUZZ } from "../../../test/fixtures/fuzz.ts";
import { dice } from "../../../test/fixtures/simulation.ts";
import { callsOf, type Entry, type ToolCall } from "../conversation/chat.ts";
import { Conversation } from "../conversation/conversation.ts";
import { validEntry, validReply } from "../conversation/valid-entry.ts";
import { cutEnd, cutStart, wellFormed } from "./valid.ts";

const call = (id: string, tool = "bash", input: unknown = {}): ToolCall => ({
  type: "call",
  id,
  tool,
  input,
});

it("repairs ids and names that are empty, odd, long or doubled", () => {
  const message = validReply({
    role: "assistant",
    content: [call("", ""), call("a b:c", "run it!"), call("x".repeat(99)), call("x".repeat(99)), call("")],
  });
  const calls = callsOf(message);
  expect(calls.map(({ tool }) => tool)).toEqual(["unnamed", "run_it_", "bash", "bash", "bash"]);
  for (const { id } of calls) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(5);
});

it("drops blank texts, replaces half characters, and keeps a valid reply as it is", () => {
  const valid = { role: "assistant", content: [{ type: "text", text: "a 😀" }, call("a")] } as const;
  expect(validReply(valid)).toBe(valid);
  const odd = validReply({
    role: "assistant",
    content: [
      { type: "text", text: " \n" },
      { type: "text", text: "half \ud83d" },
      call("a", "bash", { command: ["\udc00 x"] }),
    ],
  });
  expect(odd.content).toEqual([
    { type: "text", text: "half \uFFFD" },
    call("a", "bash", { command: ["\uFFFD x"] }),
  ]);
});

it("takes the signature from a part that had to change, because it holds only for the part as it was", () => {
  const meta = { google: { thoughtSignature: "s" } };
  const signed = (part: ToolCall) => ({ ...part, meta });
  const { content } = validReply({
    role: "assistant",
    content: [
      signed(call("a", "run it")),
      signed(call("b", "bash", { command: "\udc00" })),
      { type: "thinking", text: "\ud83d", meta },
      signed(call("a")),
    ],
  });
  expect(content.map((part) => part.meta)).toEqual([undefined, undefined, undefined, meta]);
});

it("gives results to the calls of an old conversation whose ids were doubled, each once", () => {
  const said: Entry = { kind: "said", message: { role: "assistant", content: [call("same"), call("same")] } };
  const result = (text: string): Entry => ({
    kind: "result",
    result: { type: "result", id: "same", tool: "bash", text, isError: false },
  });
  const messages = new Conversation([
    { kind: "heard", text: "go" },
    ...[said, result("1"), result("2")],
    ...[said, result("3"), result("4")],
  ]).messages();
  const ids = messages.flatMap((one) =>
    one.content.flatMap((part) => (part.type === "call" ? [part.id] : [])),
  );
  const results = messages.flatMap((one) =>
    one.content.flatMap((part) => (part.type === "result" ? [part] : [])),
  );
  expect(new Set(ids).size).toBe(4);
  expect(results.map(({ id, text }) => [id, text])).toEqual(ids.map((id, i) => [id, String(i + 1)]));
});

it("numbers doubled ids, within the longest that providers accept", () => {
  const long = `a${"b".repeat(63)}`;
  const message = validReply(
    { role: "assistant", content: [call("x"), call("x"), call("x"), call(long), call(long), call("y")] },
    (id) => id === "y",
  );
  const ids = callsOf(message).map(({ id }) => id);
  expect(ids).toEqual(["x", "x_2", "x_3", long, `${long.slice(0, 58)}_2`, "y_2"]);
});

it("drops a blank text that no thought may be bound to, and keeps an empty thought", () => {
  const blank = { type: "text", text: " " } as const;
  const content = [blank, { type: "thinking", text: "" } as const, blank, call("a")];
  expect(validReply({ role: "assistant", content }).content).toEqual([content[0], content[1], content[3]]);
});

it("repairs half characters at any depth of an input, and nothing else in it", () => {
  const input = { "k\ud800": [1, null, true, { a: "x\udfff" }], n: 2 };
  const message = validReply({ role: "assistant", content: [call("a", "bash", input)] });
  expect(callsOf(message)[0]?.input).toEqual({ "k\uFFFD": [1, null, true, { a: "x\uFFFD" }], n: 2 });
});

it.each(["heard", "summary"] as const)("repairs half characters in an entry: %s", (kind) => {
  const valid: Entry = { kind, text: "a 😀" };
  expect(validEntry(valid)).toBe(valid);
  expect(validEntry({ kind, text: "half \ud83d" })).toEqual({ kind, text: "half \uFFFD" });
});

it.each([
  ["abc", 2, "ab", "bc"],
  ["abc", 3, "abc", "abc"],
  ["abc", 9, "abc", "abc"],
  ["abc", 0, "", ""],
  ["abc", -1, "", ""],
  ["\ud800\udc00", 1, "", ""],
  ["\udbff\udfff", 1, "", ""],
  ["\ud7ff\ue000", 1, "\ud7ff", "\ue000"],
  ["\udc00a\ud800", 3, "\udc00a\ud800", "\udc00a\ud800"],
])("cuts %j to %i characters from either side", (text, max, head, tail) => {
  expect([cutEnd(text, max), cutStart(text, max)]).toEqual([head, tail]);
});

it("replaces blank results", () => {
  const result = { type: "result", id: "a", tool: "bash", text: " ", isError: false } as const;
  expect(validEntry({ kind: "result", result })).toMatchObject({ result: { text: "(no output)" } });
});

it(`cuts no character in half, seed ${FUZZ.seed}`, () => {
  const random = dice(FUZZ.seed);
  for (let i = 0; i < 500; i += 1) {
    const text = Array.from({ length: 12 }, () => (random() < 0.5 ? "😀" : "a")).join("");
    const max = Math.floor(random() * 26);
    for (const cut of [cutEnd(text, max), cutStart(text, max)]) {
      expect(wellFormed(cut)).toBe(cut);
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, max) - 1);
      expect(cut.length).toBeLessThanOrEqual(max);
    }
  }
});
