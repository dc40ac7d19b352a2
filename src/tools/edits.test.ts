/**
 * These tests check what protects a file from edits that do not fit: those that changed since they were read, several at once, and hints for the
 * next try.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeAway } from "../../test/fixtures/take-away.ts";
import { inOurNames } from "../core/tool-names.ts";
import { shownCall } from "../core/views/shown-call.ts";
import type { Tool, ToolContext } from "../ports/index.ts";
import { editFile } from "./files/edit-file.ts";
import { nearestLines } from "./files/nearest-lines.ts";
import { readFile } from "./files/read-file.ts";
import { writeFile } from "./files/write-file.ts";

let workspace: string;
let store: ToolContext["store"];
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-edits-")));
  store = { team: "default" } as ToolContext["store"];
});
afterEach(() => takeAway(workspace));

const agent =
  (self: string, more: Partial<ToolContext> = {}) =>
  (tool: Tool, input: object): Promise<string> => {
    const { signal } = new AbortController();
    const ctx = { workspace, signal, readable: [], store, self, ...more } as unknown as ToolContext;
    return tool.run(tool.input().parse(inOurNames({ tool: tool.name, input }).input), ctx);
  };
const put = (path: string, text: string): void => writeFileSync(join(workspace, path), text);
const get = (path: string): string => readFileSync(join(workspace, path), "utf8");

describe("a file that changed since it was read", () => {
  const path = "a";
  const writes = [
    [writeFile, { path, content: "mine" }],
    [editFile, { path, old: "one", new: "mine" }],
  ] as const;

  it.each(writes)(
    "is not overwritten, and the answer names the member who changed it",
    async (tool, input) => {
      put(path, "one\ntwo\n");
      const [alice, bob] = [agent("alice"), agent("bob")];
      await alice(readFile, { path });
      await bob(editFile, { path, old: "two", new: "2" });
      await expect(alice(tool, input)).rejects.toThrow(
        /^a is not as you read it: bob changed it\. .*Read it again/,
      );
      expect(get(path)).toBe("one\n2\n");
      await alice(readFile, { path });
      await alice(tool, input);
      expect(get(path)).toContain("mine");
    },
  );

  it.each(writes)("is not overwritten when something else changed it", async (tool, input) => {
    put(path, "one\n");
    const alice = agent("alice");
    await alice(readFile, { path });
    put(path, "one more\n");
    await expect(alice(tool, input)).rejects.toThrow("something outside");
    expect(get(path)).toBe("one more\n");
  });

  it("is not changed where something wrote it again as it was, such as git that came back from another commit", async () => {
    const alice = agent("alice");
    await alice(writeFile, { path, content: "one\n" });
    rmSync(join(workspace, path));
    put(path, "one\n");
    await alice(editFile, { path, old: "one", new: "two" });
    expect(get(path)).toBe("two\n");
  });

  it("is not overwritten by another write of the same size at the same time", async () => {
    const [alice, bob] = [agent("alice"), agent("bob", { subagent: "bob/1" as never })];
    await alice(writeFile, { path, content: "1" });
    for (const content of ["2", "3"]) await bob(writeFile, { path: "b", content });
    await bob(writeFile, { path, content: "2" });
    await expect(alice(writeFile, { path, content: "3" })).rejects.toThrow("bob/1 changed it");
  });

  it("is known from one's own writes, with what a hook did to it behind them", async () => {
    const ends: (() => Promise<void>)[] = [];
    const alice = agent("alice", { onEnd: (end) => void ends.push(end) });
    await alice(writeFile, { path, content: "one" });
    put(path, "one, formatted\n");
    for (const end of ends) await end();
    await alice(editFile, { path, old: "one", new: "two" });
    expect(get(path)).toBe("two, formatted\n");
  });

  it("may be written where nothing is known of it: new, or before a restart", async () => {
    put(path, "one");
    await agent("alice")(writeFile, { path, content: "two" });
    store = { team: "default" } as ToolContext["store"];
    put(path, "three");
    await agent("alice")(editFile, { path, old: "three", new: "four" });
    expect(get(path)).toBe("four");
  });

  it("is refused before anybody is asked about it", async () => {
    put(path, "one");
    await agent("alice")(readFile, { path });
    put(path, "other");
    const ctx = { workspace, readable: [], store, self: "alice" } as unknown as ToolContext;
    for (const [tool, input] of writes)
      await expect(tool.preview?.(input, ctx)).rejects.toThrow("is not as you read it");
  });
});

describe("several edits", () => {
  const path = "a";
  it("are made one after the other", async () => {
    put(path, "x\ny\nx\n");
    const edits = [
      { old: "x", new: "z", all: true },
      { old: "z\ny", new: "w" },
    ];
    expect(await agent("alice")(editFile, { path, edits })).toBe(
      "Replaced 2 places, lines 1, 3; line 1 in a.",
    );
    expect(get(path)).toBe("w\nz\n");
  });

  it.each([
    [
      [
        { old: "x", new: "z" },
        { old: "nowhere to be found", new: "" },
      ],
      "edit 2 of 2 does not fit, after those before it. `old` is not in a.",
    ],
    [
      [
        { old: "y", new: "x" },
        { old: "x", new: "w" },
      ],
      "2 times in a",
    ],
    [
      [
        { old: "x", new: "z" },
        { old: "z", new: "x" },
      ],
      "nothing would change",
    ],
  ])("change nothing when one does not fit: %j", async (edits, message) => {
    put(path, "x\ny\n");
    await expect(agent("alice")(editFile, { path, edits })).rejects.toThrow(message);
    expect(get(path)).toBe("x\ny\n");
  });

  it("are taken from MultiEdit, and shown as one edit", () => {
    const edits = [
      { old_string: "a", new_string: "b", replace_all: true },
      { old_string: "c", new_string: "d" },
    ];
    const call = { tool: "MultiEdit", input: { file_path: "a", edits } };
    const ours = {
      tool: "edit_file",
      input: { path, old: "a", new: "b", all: true, edits: [{ old: "c", new: "d" }] },
    };
    expect(inOurNames(call)).toEqual(ours);
    expect(shownCall(call)).toEqual({ kind: "edit", path, old: "a\n…\nc", new: "b\n…\nd", all: true });
  });
});

describe("the nearest lines", () => {
  const text = "function a() {\n  return 1;\n}\nfunction b() {\n  return compute(first, second);\n}\n";

  it("are those of the place that is most alike as a whole", () => {
    expect(nearestLines(text, "function b() {\n  return compute(first, third);\n}")).toBe(
      "Most like it is line 4:\n4\tfunction b() {\n5\t  return compute(first, second);\n6\t}",
    );
    expect(nearestLines(text, "  return 1;\n}\nfunction c() {")).toContain("Most like it is line 2:");
  });

  it("tell that only white space differs", () => {
    expect(nearestLines(text, "\treturn 1;\n}")).toMatch(/^With other white space it is at line 2:/);
  });

  it("are few and short, whatever the file is", () => {
    const long = `${"x y ".repeat(50_000)}\n`.repeat(20);
    expect(nearestLines(long, `${"x y ".repeat(40_000)}z\n`.repeat(20)).length).toBeLessThan(5_000);
    expect(nearestLines("\0".repeat(100_000), "a\nb")).toContain("Nothing in it is similar");
  });
});
