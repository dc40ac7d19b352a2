/** Patches of several files, all or none, asked for by the tool or in a shell line. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import { patched, readPatch } from "../../core/patch.ts";
import { inOurNames } from "../../core/tool-names.ts";
import type { ToolContext } from "../../ports/index.ts";
import { patchTool } from "./apply-patch.ts";
import { readFile } from "./read-file.ts";

const patchOf = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

describe("the text of a file", () => {
  it.each([
    // [before, the lines of the patch, after]
    ["a\nb\nc\n", ["@@", " a", "-b", "+B", " c"], "a\nB\nc\n"],
    ["a\nb", ["-b", "+B"], "a\nB"],
    ["f\nx\ng\nx\n", ["@@ g", "-x", "+y"], "f\nx\ng\ny\n"],
    ["x\ny\nx\n", ["-x", "+z", "*** End of File"], "x\ny\nz\n"],
    ["  a  \nb\n", [" a", "-b", "+B"], "  a  \nB\n"],
    ["a\r\nb\r\n", [" a", "-b", "+B"], "a\r\nB\r\n"],
    ["a\r\nb", [" a", " b", "+c"], "a\r\nb\r\nc"],
    ["a\r\nb\r\nc\n", ["-b", "+B"], "a\r\nB\r\nc\n"],
    ["a\nb\r\nc\n", ["-c", "+C"], "a\nb\r\nC\n"],
    ["\ufeffa\nb\n", ["-a", "+A"], "\ufeffA\nb\n"],
    ["\ufeffa\nb\n", ["-\ufeffa", "+\ufeffA"], "\ufeffA\nb\n"],
    ["a\n", ["+b"], "a\nb\n"],
    ["", ["+b"], "b\n"],
    ["a\nb\n", ["@@ a", "+n"], "a\nn\nb\n"],
    ["a\n\nb\n", [" a", "", "-b"], "a\n\n"],
    ["1\n2\n3\n", ["-1", "+one", "@@", "-3", "+three"], "one\n2\nthree\n"],
    ["a\n", ["-a"], ""],
  ])("%j with %j is %j", (before, lines, after) => {
    const [file] = readPatch(patchOf("*** Update File: f", ...lines));
    expect(file?.kind === "update" && patched(before, file)).toBe(after);
  });

  it.each([
    ["nothing", "A patch begins with"],
    [patchOf(), "names no file"],
    [patchOf("*** Update File: a"), "changes nothing in a"],
    [patchOf("*** Update File: a", "x"), "Line 3 of the patch"],
    [patchOf("*** Add File: a", "x"), 'begins with "+"'],
    [patchOf("*** Replace File: a"), "Line 2 of the patch is not"],
    [patchOf("*** Delete File: a", "-x"), "nothing follows"],
  ])("refuses %j", (patch, message) => {
    expect(() => readPatch(patch)).toThrow(message);
  });
});

describe("apply_patch", () => {
  let workspace: string;
  let store: ToolContext["store"];
  const get = (path: string): string => readFileSync(join(workspace, path), "utf8");
  const put = (path: string, text: string): void => writeFileSync(join(workspace, path), text);
  const context = (self: string, more: Partial<ToolContext> = {}): ToolContext =>
    ({
      workspace,
      store,
      self,
      readable: [],
      signal: new AbortController().signal,
      ...more,
    }) as unknown as ToolContext;
  const tool = patchTool(true);
  const apply = (self: string, patch: string, more: Partial<ToolContext> = {}): Promise<string> =>
    tool.run({ patch }, context(self, more));
  beforeEach(() => {
    workspace = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-patch-")));
    store = { team: "default" } as ToolContext["store"];
    put("a", "one\ntwo\n");
    put("b", "b\n");
  });
  afterEach(() => takeAway(workspace));

  it("keeps the byte order mark and the line ends of a file, also where it is added again", async () => {
    put("a", "\ufeffone\r\ntwo\r\n");
    await apply("alice", patchOf("*** Update File: a", "-[U+FEFF]one", "+[U+FEFF]1", "+1.5"));
    expect(get("a")).toBe("\ufeff1\r\n1.5\r\ntwo\r\n");
    await apply("alice", patchOf("*** Add File: a", "+new", "+file"));
    expect(get("a")).toBe("\ufeffnew\r\nfile\r\n");
  });

  it("adds, changes, moves and deletes files", async () => {
    const patch = patchOf(
      ...[
        "*** Add File: new/c",
        "+c",
        "*** Update File: a",
        "*** Move to: d",
        "@@",
        " one",
        "-two",
        "+2",
        "*** Delete File: b",
      ],
    );
    expect(tool.writes?.({ patch })).toEqual(["new/c", "a", "d", "b"]);
    expect(await tool.preview?.({ patch }, context("alice"))).toMatchObject({ path: "new/c, a, d, b" });
    expect(await apply("alice", patch)).toBe("Created new/c.\nDeleted a.\nCreated d.\nDeleted b.");
    expect([
      get("new/c"),
      get("d"),
      existsSync(join(workspace, "a")),
      existsSync(join(workspace, "b")),
    ]).toEqual(["c\n", "one\n2\n", false, false]);
  });

  const FINE = ["*** Update File: a", "-one", "+1"];
  it.each([
    [["*** Update File: b", "-nowhere", "+x"], "the lines of part 1 were not found. Nothing was changed."],
    [["*** Update File: c", "-x", "+y"], "There is no file c"],
    [["*** Update File: b", "*** Move to: a", "-b", "+x"], "a exists already"],
    [["*** Delete File: ../out"], "outside the workspace"],
    [["*** Add File: .git/hooks/x", "+x"], "not by rule"],
    [["*** Update File: link", "-out", "+in"], "dangling symbolic link"],
    [["*** Update File: folder", "-x"], "is a folder"],
  ])("changes nothing where one part fails: %j", async (lines, message) => {
    symlinkSync(join(tmpdir(), "nowhere-at-all"), join(workspace, "link"));
    mkdirSync(join(workspace, "folder"));
    const closed = (_: string, path: string): string | null => (path.includes(".git") ? "not by rule" : null);
    await expect(apply("alice", patchOf(...FINE, ...lines), { closed })).rejects.toThrow(message);
    expect([get("a"), get("b")]).toEqual(["one\ntwo\n", "b\n"]);
  });

  it("takes back what it wrote when a later file cannot be written", async () => {
    put("in-the-way", "");
    const patch = patchOf(
      ...FINE,
      "*** Delete File: b",
      "*** Add File: new",
      "+n",
      "*** Add File: in-the-way/x",
      "+x",
    );
    await expect(apply("alice", patch)).rejects.toThrow();
    expect([get("a"), get("b"), existsSync(join(workspace, "new"))]).toEqual(["one\ntwo\n", "b\n", false]);
  });

  it("does not overwrite what another member changed", async () => {
    await readFile.run({ path: "a" }, context("alice"));
    await apply("bob", patchOf("*** Update File: a", "-two", "+2"));
    await expect(apply("alice", patchOf(...FINE))).rejects.toThrow("bob changed it");
    expect(get("a")).toBe("one\n2\n");
  });
});

describe("the program of this name in a shell line", () => {
  const patch = patchOf("*** Delete File: a");
  const call = { tool: "apply_patch", input: { patch } };
  it.each([
    ["bash", { command: `apply_patch <<'EOF'\n${patch}\nEOF` }],
    ["Bash", { command: ` applypatch << "PATCH"\n${patch}\nPATCH\n` }],
    ["shell", { command: ["apply_patch", patch] }],
    ["shell", { command: ["bash", "-lc", `apply_patch <<EOF\n${patch}\nEOF`] }],
    ["apply_patch", { input: patch }],
  ])("is ours: %s(%j)", (tool, input) => expect(inOurNames({ tool, input })).toEqual(call));

  it.each([
    [{ command: `apply_patch <<'EOF'\n${patch}\nEOF\nrm -rf x` }],
    [{ command: `echo; apply_patch <<'EOF'\n${patch}\nEOF` }],
    [{ command: "apply_patch --help" }],
    [{ command: `apply_patch <<'EOF'\n${patch}\nEOF\nrm x\nEOF`, run_in_background: true }],
  ])("stays a command of the shell: %j", (input) =>
    expect(inOurNames({ tool: "bash", input }).tool).toBe("bash"),
  );
});
