import { expect, it } from "vitest";
import { type Entry, heard } from "./chat.ts";
import { contextParts } from "./context.ts";

it("says which kinds of text fill a context, as they are sent", () => {
  const said = (id: string): Entry => ({
    kind: "said",
    message: { role: "assistant", content: [{ type: "call", id, tool: "bash", input: "x".repeat(8) }] },
  });
  const result = (id: string): Entry => ({
    kind: "result",
    result: { type: "result", id, tool: "bash", text: "y".repeat(60), isError: false },
  });
  const entries: Entry[] = [
    { kind: "summary", text: "z".repeat(20) },
    { kind: "opened", system: "a".repeat(40), tools: [], shared: "b".repeat(10), own: "", told: {} },
    heard("c".repeat(50)),
    said("1"),
    result("1"),
  ];
  const parts = contextParts(entries);
  expect(parts.map(({ part, share }) => [part, Math.round(share * 192)])).toEqual([
    ["results of bash", 60],
    ["mail, tasks and your words", 50],
    ["instructions", 40],
    ["a summary of what was before", 20],
    ["about the project and the member", 10],
    ["its calls", 10],
    ["descriptions of 0 tools", 2],
  ]);
  expect(contextParts([])).toEqual([]);
});
