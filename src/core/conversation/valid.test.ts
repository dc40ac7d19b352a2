import { expect, it } from "vitest";
import { FUZZ } from "../../../test/fixtures/fuzz.ts";
import { dice } from "../../../test/fixtures/simulation.ts";
import { callsOf, type Entry, type ToolCall } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { cutEnd, cutStart, validEntry, validReply, wellFormed } from "./valid.ts";

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
