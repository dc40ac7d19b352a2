/** The tools that read, write, find and search files, on real folders; and the wall around them. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pictureHead } from "../../test/fixtures/pictures.ts";
import { takeAway } from "../../test/fixtures/take-away.ts";
import { createShell } from "../adapters/shell/index.ts";
import { IMAGE_MAX, type ImageFile } from "../core/conversation/image.ts";
import type { Shell, Tool, ToolContext } from "../ports/index.ts";
import { bash } from "./bash.ts";
import { editFile } from "./files/edit-file.ts";
import { glob } from "./files/glob.ts";
import { grep } from "./files/grep.ts";
import { readFile } from "./files/read-file.ts";
import { writeFile } from "./files/write-file.ts";

let top: string;
let workspace: string;
let shell: Shell;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-files-")));
  workspace = join(top, "workspace");
  mkdirSync(workspace);
  shell = createShell({ outputDir: join(top, "output") });
});
afterEach(async () => {
  await shell.close();
  takeAway(top);
});

async function call(tool: Tool, input: unknown, more: Partial<ToolContext> = {}): Promise<string> {
  const { signal } = new AbortController();
  // File tools and bash read no more of the team than its name and the task in progress.
  const team = { store: { team: "default" }, currentTask: () => Promise.resolve(null) };
  const ctx = { workspace, shell, signal, readable: [join(top, "output")], ...team, ...more } as ToolContext;
  return tool.run(tool.input().parse(input), ctx);
}

function put(path: string, content: string | Buffer): string {
  const full = join(workspace, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}
const get = (path: string): string => readFileSync(join(workspace, path), "utf8");

describe("the wall", () => {
  const ESCAPES = ["../x", "a/../../x", "/etc/passwd", "..", "sub/../..", "../workspace-not/x"];
  it.each(ESCAPES)("refuses %s to every file tool", async (path) => {
    const refused = { code: "outside_workspace", message: expect.stringContaining(workspace) };
    await expect(call(readFile, { path })).rejects.toMatchObject(refused);
    await expect(call(writeFile, { path, content: "" })).rejects.toMatchObject(refused);
    await expect(call(editFile, { path, old: "a", new: "b" })).rejects.toMatchObject(refused);
    await expect(call(glob, { path, pattern: "*" })).rejects.toMatchObject(refused);
    await expect(call(grep, { path, pattern: "a" })).rejects.toMatchObject(refused);
  });

  it("sees through links to files, to folders, and to nowhere", async () => {
    writeFileSync(join(top, "secret"), "secret");
    symlinkSync(join(top, "secret"), join(workspace, "file"));
    symlinkSync(top, join(workspace, "folder"));
    symlinkSync(join(top, "not-yet"), join(workspace, "nowhere"));
    const refused = { code: "outside_workspace" };
    for (const path of ["file", "folder/secret", "folder/new/deep", "nowhere", "folder"]) {
      await expect(call(readFile, { path }), path).rejects.toMatchObject(refused);
      await expect(call(writeFile, { path, content: "x" }), path).rejects.toMatchObject(refused);
      await expect(call(grep, { path, pattern: "secret" }), path).rejects.toMatchObject(refused);
    }
    expect(readFileSync(join(top, "secret"), "utf8")).toBe("secret");
    expect(await call(grep, { pattern: "secret" })).toContain("Nothing");
    expect(await call(glob, { pattern: "**/secret" })).toContain("No file matches");
  });

  it("lets links inside through, absolute paths inside, and the folder of spooled output to read only", async () => {
    put("real/a.txt", "one");
    symlinkSync("real", join(workspace, "link"));
    expect(await call(readFile, { path: "link/a.txt" })).toBe("1\tone");
    expect(await call(readFile, { path: join(workspace, "real/../real/a.txt") })).toBe("1\tone");
    mkdirSync(join(top, "output"));
    writeFileSync(join(top, "output/1.txt"), "spooled");
    expect(await call(readFile, { path: join(top, "output/1.txt") })).toBe("1\tspooled");
    const write = call(writeFile, { path: join(top, "output/1.txt"), content: "" });
    await expect(write).rejects.toMatchObject({ code: "outside_workspace" });
  });

  it.each(["../*", "/etc/*", "a/../../*", "{..,a}/*", "{a,/etc}/*", "~/x"])(
    "refuses the pattern %s",
    async (pattern) => {
      await expect(call(glob, { pattern })).rejects.toMatchObject({ code: "outside_workspace" });
      await expect(call(grep, { pattern: "a", glob: pattern })).rejects.toMatchObject({
        code: "outside_workspace",
      });
    },
  );

  it.each([
    ["nothing", ""],
    ["a NUL", "a\0b"],
    ["a tilde", "~/x"],
    ["5,000 letters", "x".repeat(5000)],
  ])("refuses %s as a path", async (_, path) => {
    await expect(call(readFile, { path })).rejects.toMatchObject({ code: "bad_input" });
  });
});

describe("read_file", () => {
  it("numbers lines, from an offset, as many as asked for", async () => {
    put("a", "one\ntwo\r\nthree\nfour\n");
    expect(await call(readFile, { path: "a" })).toBe("1\tone\n2\ttwo\n3\tthree\n4\tfour");
    expect(await call(readFile, { path: "a", offset: "2", limit: 2 })).toBe(
      "2\ttwo\n3\tthree\n[lines 2 to 3 of 4 lines; continue with offset 4]",
    );
    await expect(call(readFile, { path: "a", offset: 9 })).rejects.toThrow("a has only 4 lines");
  });

  it("is not begun where the call has ended, and nothing fails outside of it", async () => {
    put("a", "one\n");
    const signal = AbortSignal.abort(new Error("it ended"));
    await expect(call(readFile, { path: "a" }, { signal })).rejects.toThrow("it ended");
    await setImmediate(); // a stream that fails by itself would end the process here
  });

  it("names what is empty, binary, a folder, missing", async () => {
    put("empty", "");
    put("image.png", Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"));
    put("folder/index.ts", "");
    expect(await call(readFile, { path: "empty" })).toBe("empty is empty.");
    expect(await call(readFile, { path: "image.png" })).toMatch(/binary file \(PNG image, 10 bytes\)/);
    await expect(call(readFile, { path: "folder" })).rejects.toThrow("folder is a folder");
    await expect(call(readFile, { path: "folder/Index.js" })).rejects.toThrow("Did you mean index.ts?");
    await expect(call(readFile, { path: "folder/index.ts/x" })).rejects.toThrow("through a file");
  });

  it("shows an image as it is, but no text that begins like one and nothing that is too large", async () => {
    const shown: ImageFile[] = [];
    const showImage = async (image: ImageFile): Promise<void> => void shown.push(image);
    const png = pictureHead("image/png");
    const see = (path: string) => call(readFile, { path }, { showImage });
    put("a/<shot>.png", png);
    put("notes", "GIF89a is a format.");
    truncateSync(put("large.png", png), IMAGE_MAX + 1);
    expect(await see("a/<shot>.png")).toBe("a/<shot>.png is an image. You see it below.");
    expect(shown).toEqual([{ name: "_shot_.png", mediaType: "image/png", content: png }]);
    expect(await see("notes")).toBe("1\tGIF89a is a format.");
    expect(await see("large.png")).toMatch(/binary file \(PNG image, 3750001 bytes\)/);
    put("wide.png", pictureHead("image/png", 9_000, 10));
    expect(await see("wide.png")).toMatch(/no model can be shown: it has 9000 x 10 pixels/);
    put("broken.png", png.subarray(0, 12));
    expect(await see("broken.png")).toMatch(/no model can be shown: its header is broken/);
    expect(shown).toHaveLength(1);
  });

  it("reads the wanted lines of a huge file, and one huge line, without holding them", async () => {
    // Written in pieces, or what the test itself let go of would make room.
    const huge = put("huge", "");
    for (let i = 0; i < 100; i += 1) appendFileSync(huge, `${"x".repeat(99)}\n`.repeat(10_000));
    const line = put("line", "");
    for (let i = 0; i < 100; i += 1) appendFileSync(line, "y".repeat(1_000_000));
    appendFileSync(line, "\nend");
    const before = process.memoryUsage().rss;
    const text = await call(readFile, { path: "huge", offset: 500_000, limit: 1 });
    expect(text).toContain(`500000\t${"x".repeat(99)}\n[lines 500000 to 500000 of a file of 100000000 bytes`);
    const cut = await call(readFile, { path: "line" });
    expect(cut).toMatch(/^1\ty{1000} \[… line of 100000000 bytes cut\]\n2\tend$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(80_000_000);
  });

  it("shows a bounded part", async () => {
    put("long", "abcdefghi\n".repeat(10_000));
    const text = await call(readFile, { path: "long" });
    expect(text).toContain("[lines 1 to 2000 of 10000 lines; continue with offset 2001]");
  });
});

describe("write_file", () => {
  it("makes folders, and says what it did", async () => {
    expect(await call(writeFile, { path: "a/b/c.txt", content: "é\n" })).toBe(
      "Created a/b/c.txt: 1 lines, 3 bytes.",
    );
    expect(await call(writeFile, { path: "a/b/c.txt", content: "" })).toBe(
      "Overwrote a/b/c.txt: 0 lines, 0 bytes.",
    );
    expect(get("a/b/c.txt")).toBe("");
    await expect(call(writeFile, { path: "a", content: "" })).rejects.toThrow("a is a folder");
    await expect(call(writeFile, { path: ".", content: "" })).rejects.toMatchObject({ code: "bad_input" });
  });
});

describe("edit_file", () => {
  it("replaces what matches once, whatever is in the replacement", async () => {
    put("a", "one\ntwo\nthree\n");
    expect(await call(editFile, { path: "a", old: "two", new: "$& $1 2" })).toBe("Replaced line 2 in a.");
    expect(get("a")).toBe("one\n$& $1 2\nthree\n");
  });

  it("refuses what matches more than once, unless all are meant", async () => {
    put("a", "x\ny\nx\n");
    await expect(call(editFile, { path: "a", old: "x", new: "z" })).rejects.toThrow(
      "2 times in a, at lines 1, 3.",
    );
    expect(await call(editFile, { path: "a", old: "x", new: "z", all: true })).toContain(
      "2 places, lines 1, 3",
    );
    expect(get("a")).toBe("z\ny\nz\n");
  });

  it("shows what was most likely meant", async () => {
    put("a", "function run() {\n    return 1;\n}\n");
    await expect(
      call(editFile, { path: "a", old: "function run() {\n  return 1;", new: "" }),
    ).rejects.toThrow("With other white space it is at line 1:\n1\tfunction run() {\n2\t    return 1;");
    await expect(call(editFile, { path: "a", old: "return 2;", new: "" })).rejects.toThrow(
      "line 2:\n2\t    return 1;",
    );
    await expect(call(editFile, { path: "a", old: "zzzzzzzz", new: "" })).rejects.toThrow(
      "Nothing in it is similar",
    );
  });

  it("keeps line ends and a byte order mark, and refuses what is not UTF-8", async () => {
    put("a", "\ufeffone\r\ntwo\r\n");
    await call(editFile, { path: "a", old: "one\ntwo", new: "1\n2" });
    expect(get("a")).toBe("\ufeff1\r\n2\r\n");
    await call(editFile, { path: "a", old: "1", new: "1\n1.5" });
    await call(editFile, { path: "a", old: "\ufeff1\r\n", new: "one\n" });
    await call(editFile, { path: "a", old: "[U+FEFF]one", new: "[U+FEFF]1" });
    expect(get("a")).toBe("\ufeff1\r\n1.5\r\n2\r\n");
    put("c", "one\ntwo\r\n");
    await call(editFile, { path: "c", old: "\ufeffone", new: "\ufeff1\n1.5" });
    expect(get("c")).toBe("1\n1.5\ntwo\r\n");
    put("b", Buffer.from([0x61, 0xff]));
    await expect(call(editFile, { path: "b", old: "a", new: "b" })).rejects.toThrow("not UTF-8");
  });

  it.each([
    [
      "\ufeffone\r\ntwo\r\n",
      "1\n2\n",
      "\ufeff1\r\n2\r\n",
      "Its byte order mark and line ends (\\r\\n) stayed.",
    ],
    ["\ufeffone\n", "\ufeff1\n", "\ufeff1\n", ""],
    ["\ufeffone\n", "[U+FEFF]1\n", "\ufeff1\n", "Marks for characters"],
    ["one\r\n", "1\r\n2\n", "1\r\n2\n", ""],
    ["one\n", "1\r\n", "1\r\n", ""],
    [`\ufeff${"line\r\n".repeat(800_000)}`, "1\n", "\ufeff1\r\n", "stayed."],
    ["one", "1\n", "1\n", ""],
    [Buffer.from("\ufeffone\n", "utf16le"), "1\n", "1\n", "It was no UTF-8 text"],
  ])("write_file keeps the form of the file (%#)", async (before, content, after, note) => {
    put("a", before);
    const said = await call(writeFile, { path: "a", content });
    expect(get("a")).toBe(after);
    expect(said.replace(/^.*? bytes\. ?/, "")).toEqual(note === "" ? "" : expect.stringContaining(note));
  });

  it.each([
    ["docs/cafe\u0301.txt", "docs/caf\u00e9.txt", /composed differs .* pattern: docs\/cafe?\*.txt$/],
    ["docs/caf\u00e9.txt", "docs/cafe\u0301.txt", /composed differs/],
    ["u\u0308ber/a.txt", "\u00fcber/a.txt", /composed differs .* pattern: u?\*ber\/a.txt$/],
    [
      "Shot 9.41\u202fPM.png",
      "Shot 9.41 PM.png",
      /blanks or characters that are not seen differ.*Shot\*9.41\*PM.png$/,
    ],
    ["a\u200bb.ts", "ab.ts", /not seen differ/],
    ["name .txt", "name  .txt", /blanks/],
    ["src/ReadMe.md", "src/README.md", /There is src\/ReadMe.md: only upper and lower case differ/],
    ["Src/deep/x.ts", "src/Deep/x.ts", /There is Src\/deep\/x.ts: only upper/],
  ])("%j is hinted at where %j is asked for", async (name, wanted, hint) => {
    put(name, "x\n");
    for (const [tool, input] of [
      [readFile, {}],
      [editFile, { old: "x", new: "y" }],
      [grep, { pattern: "x" }],
    ] as const)
      await expect(call(tool, { path: wanted, ...input })).rejects.toThrow(hint);
    await expect(call(readFile, { path: "quite/else.txt" })).rejects.toThrow("folder does not exist either");
  });

  it.each([
    ["\ufeffone\r\n", "\ufefftwo\nthree\n", "\ufeffone\r\ntwo\r\nthree\r\n"],
    ["one\n", "two\n", "one\ntwo\n"],
  ])("write_file appends in the form of the file (%#)", async (before, content, after) => {
    put("a", before);
    expect(await call(writeFile, { path: "a", content, append: true })).toMatch(/^Appended to a: /);
    expect(get("a")).toBe(after);
  });

  it.each([
    [{ old: "", new: "x" }, "`old` is empty"],
    [{ old: "x", new: "x" }, "the same"],
  ])("refuses %j", async (edit, message) => {
    put("a", "x");
    await expect(call(editFile, { path: "a", ...edit })).rejects.toThrow(message);
  });
});

describe("glob", () => {
  it("gives the newest first and leaves out what git ignores, also by nested files", async () => {
    for (const [at, path] of [
      "src/old.ts",
      "src/deep/new.ts",
      "dist/out.ts",
      "src/gen/a.ts",
      "b.js",
    ].entries())
      utimesSync(put(path, ""), 1000 + at, 1000 + at);
    put(".gitignore", "dist/\n");
    put("src/.gitignore", "gen\n");
    expect(await call(glob, { pattern: "**/*.ts" })).toBe("src/deep/new.ts\nsrc/old.ts");
    expect(await call(glob, { pattern: "*.{js,md}" })).toBe("b.js");
    expect(await call(glob, { pattern: "*.ts", path: "src" })).toBe("src/old.ts");
    expect(await call(glob, { pattern: "**/*.ts", path: "src/deep" })).toBe("src/deep/new.ts");
  });

  it("takes names with any character, and does not follow links to folders", async () => {
    put("a b/new\nline.ts", "");
    symlinkSync("a b", join(workspace, "alias"));
    expect(await call(glob, { pattern: "**/*.ts" })).toBe("a b/new\nline.ts");
    expect(await call(glob, { pattern: "alias/*" })).toContain("No file matches");
  });

  it("takes a folder with brackets by its name, escaped or as it is", async () => {
    put("app/[id]/page.tsx", "");
    put("app/d/page.tsx", "");
    put("{slug}/x", "");
    expect(await call(glob, { pattern: "app/[id]/*" })).toContain("app/[id]/page.tsx");
    expect(await call(glob, { pattern: "app/\\[id\\]/*" })).toBe("app/[id]/page.tsx");
    expect(await call(glob, { pattern: "*", path: "app/[id]" })).toBe("app/[id]/page.tsx");
    expect(await call(glob, { pattern: "{slug}/*" })).toBe("{slug}/x");
  });

  it("is bounded", async () => {
    for (let i = 0; i < 250; i += 1) put(`f/${i}`, "");
    const lines = (await call(glob, { pattern: "f/*" })).split("\n");
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe("[50 more; use a narrower pattern]");
  });
});

describe("grep", () => {
  const search = (input: object, more: Partial<ToolContext> = {}): Promise<string> => call(grep, input, more);

  it("leaves out files that stay closed, by name or behind a link, whatever characters a name has", async () => {
    put(".env", "KEY=1\nKEY=2");
    put("a:1:b/c-2-d.txt", "x\nKEY=3\ny");
    symlinkSync(".env", join(workspace, "alias"));
    const closed = (_: string, path: string): string | null =>
      realpathSync(path) === join(workspace, ".env") ? "the rule deny read_file(.env) says so" : null;
    const ask = (input: object): Promise<string> => search(input, { closed });
    expect(await ask({ pattern: "KEY" })).toBe("a:1:b/c-2-d.txt:2:KEY=3");
    expect(await ask({ pattern: "KEY", files_only: true })).toBe("a:1:b/c-2-d.txt");
    expect(await ask({ pattern: "KEY", context: 1 })).toBe(
      "a:1:b/c-2-d.txt-1-x\na:1:b/c-2-d.txt:2:KEY=3\na:1:b/c-2-d.txt-3-y",
    );
    for (const path of [".env", "alias"])
      await expect(ask({ pattern: "KEY", path })).rejects.toMatchObject({ code: "not_permitted" });
    await expect(call(readFile, { path: "alias" }, { closed })).rejects.toMatchObject({
      code: "not_permitted",
    });
  });

  it("takes a folder with brackets by its name", async () => {
    put("app/[id]/page.tsx", "x\n");
    put("{slug}/x", "x\n");
    put("app/other/page.tsx", "x\n");
    for (const place of [{ glob: "app/[id]/*" }, { glob: "app/\\[id\\]/**" }, { path: "app/[id]" }])
      expect(await search({ pattern: "x", ...place })).toBe("app/[id]/page.tsx:1:x");
    expect(await search({ pattern: "x", glob: "{slug}/*" })).toBe("{slug}/x:1:x");
    expect(await search({ pattern: "x", glob: "!app/[id]/*" })).not.toContain("[id]");
  });

  it("shows file, line and text; by path, glob, case and context", async () => {
    put("src/a.ts", "one\nTwo\nthree\n");
    put("src/b.md", "two\n");
    put(".github/c.yml", "two\n");
    put("ignored/d.ts", "two\n");
    put(".gitignore", "ignored\n");
    expect(await search({ pattern: "t[wo]+" })).toBe(".github/c.yml:1:two\nsrc/b.md:1:two");
    expect(await search({ pattern: "two", ignore_case: true, glob: "*.ts" })).toBe("src/a.ts:2:Two");
    expect(await search({ pattern: "Two", path: "src", context: 1 })).toBe(
      "src/a.ts-1-one\nsrc/a.ts:2:Two\nsrc/a.ts-3-three",
    );
    expect(await search({ pattern: "two", path: "src/b.md" })).toBe("src/b.md:1:two");
    expect(await search({ pattern: "t", files_only: true, path: "src" })).toBe("src/a.ts\nsrc/b.md");
    expect(await search({ pattern: "nowhere to be found" })).toContain("Nothing in . matches");
  });

  it("is bounded, and explains a broken pattern", async () => {
    put("a", "match\n".repeat(500));
    const lines = (await search({ pattern: "match" })).split("\n");
    expect(lines).toHaveLength(151);
    expect(lines.at(-1)).toContain("[350 more lines");
    await expect(search({ pattern: "(" })).rejects.toMatchObject({ code: "bad_input" });
    await expect(search({ pattern: "--files", path: "missing" })).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await search({ pattern: "--files" })).toContain("Nothing");
  });
});

it("names what to do when ripgrep is missing", async () => {
  const none: Shell = { ...shell, exec: (_, args, options) => shell.exec("no-such-program", args, options) };
  for (const [tool, input] of [[grep, { pattern: "x" }] as const, [glob, { pattern: "*" }] as const])
    await expect(call(tool, input, { shell: none })).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringContaining("find or grep with bash"),
    });
});

describe("bash", () => {
  it("reports output, failures, silence, time-outs", async () => {
    expect(await call(bash, { command: "echo hi; pwd" })).toBe(`hi\n${workspace}`);
    expect(await call(bash, { command: "echo no; exit 3" })).toBe("no\n[exit code 3]");
    // Words of a command that succeeds are not taken for its end.
    for (const said of ["[exit code 1]", "ok\n[ended by SIGKILL]", "Exit code 1 means a fault"])
      expect(await call(bash, { command: `printf '%s\\n' '${said}'` })).toBe(`${said}\n[exit code 0]`);
    expect(await call(bash, { command: "true" })).toBe("(no output)");
    expect(await call(bash, { command: "false" })).toBe("[exit code 1]");
    expect(await call(bash, { command: "kill -9 $$" })).toBe("[ended by SIGKILL]");
    expect(await call(bash, { command: "echo a; sleep 60", timeout_ms: 1_500 })).toMatch(
      /^a\n\[timed out after 1500 ms/,
    );
    await expect(call(bash, { command: " " })).rejects.toThrow("The command is empty");
  });

  it("names the file with the whole output, which read_file may read", async () => {
    const text = await call(bash, { command: "seq 20000" });
    const path = /\[whole output, 108894 bytes: (.+)\]/.exec(text)?.[1] ?? "";
    expect(text).toMatch(/^1\n2\n/);
    expect(text).toContain("20000\n[whole output");
    expect(await call(readFile, { path, offset: 10_000, limit: 1 })).toContain("10000\t10000");
  });

  it("shows what would be left on a screen", async () => {
    const command = String.raw`printf '\033[31mred\033[0m\n10%%\r50%%\r100%%\ndone\r\n'`;
    expect(await call(bash, { command })).toBe("red\n100%\ndone");
  });
});
