import { describe, expect, it } from "vitest";
import type { Entry, ToolResult } from "../../../../core/conversation/chat.ts";
import { instant } from "../../../../core/ids.ts";
import { contentsBefore, edited } from "./edits.ts";

type Call = readonly [tool: string, input: object, result: string | Error | null];

function conversation(calls: readonly Call[]) {
  const results = new Map<string, ToolResult>();
  const lines = calls.map(([tool, input, result], seq) => {
    const id = `c${seq}`;
    if (result !== null)
      results.set(id, {
        type: "result",
        id,
        tool,
        text: result instanceof Error ? result.message : result,
        isError: result instanceof Error,
      });
    const message = { role: "assistant", content: [{ type: "call", id, tool, input }] };
    return { seq, at: instant(seq), entry: { kind: "said", message } as unknown as Entry };
  });
  return { lines, results };
}
const held = (...calls: Call[]): unknown[] => {
  const { lines, results } = conversation(calls);
  return [...contentsBefore(lines, results).values()];
};
const path = "a.ts";

describe("what a file held before a call", () => {
  it("is what the member read, and then what it wrote and edited", () => {
    expect(
      held(
        ["read_file", { path }, "1\tone\n2\ttwo"],
        ["edit_file", { path, old: "two", new: "2" }, "Changed."],
        ["write_file", { path, content: "new\n" }, "Overwrote a.ts: 1 lines, 4 bytes."],
        ["edit_file", { path, old: "new", new: "newer" }, null],
      ),
    ).toEqual(["one\ntwo\n", "one\n2\n", "new\n"]);
  });

  it("is nothing for a file that the call created", () => {
    expect(held(["write_file", { path, content: "x" }, "Created a.ts: 1 lines, 1 bytes."])).toEqual([null]);
  });

  it.each<[string, ...Call[]]>([
    [
      "only a part was read",
      ["read_file", { path }, "1\tone\n[lines 1 to 1 of 9 lines; continue with offset 2]"],
    ],
    ["a later part was read", ["read_file", { path, offset: 5 }, "5\tfive"]],
    ["reading failed", ["read_file", { path }, new Error("There is no file a.ts.")]],
    ["writing was refused", ["write_file", { path, content: "x" }, new Error("refused")]],
    [
      "an edit does not fit what was read",
      ["read_file", { path }, "1\tone"],
      ["edit_file", { path, old: "two", new: "2" }, "Changed."],
    ],
  ])("is not known when %s", (_when, ...calls) => {
    const all = held(...calls, ["write_file", { path, content: "y" }, "Overwrote a.ts: 1 lines, 1 bytes."]);
    expect(all.at(-1)).toBeUndefined();
  });
});

it("an edit takes its texts as they are", () => {
  expect(edited("a b a", { old: "a", new: "$&", all: false })).toBe("$& b a");
  expect(edited("a b a", { old: "a", new: "$&", all: true })).toBe("$& b $&");
  expect(edited("a", { old: "", new: "x", all: false })).toBeNull();
});
