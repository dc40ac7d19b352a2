/**
 * These tests check what the file tools open: pipes, sockets, links that are put in place late, hidden characters, and what an edit would change.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import { shownResult } from "../../core/conversation/foreign.ts";
import type { Tool, ToolContext } from "../../ports/index.ts";
import { editFile } from "./edit-file.ts";
import { grep } from "./grep.ts";
import { readFile } from "./read-file.ts";
import { writeFile } from "./write-file.ts";

let top: string;
let workspace: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-opened-")));
  workspace = join(top, "workspace");
  mkdirSync(workspace);
});
afterEach(() => takeAway(top));

const context = (): ToolContext =>
  ({ workspace, store: {}, readable: [], signal: new AbortController().signal }) as unknown as ToolContext;
const call = (tool: Tool, input: unknown): Promise<string> => tool.run(tool.input().parse(input), context());
const preview = (tool: Tool, input: unknown) => tool.preview?.(tool.input().parse(input), context());
const put = (path: string, content: string | Buffer): void => writeFileSync(join(workspace, path), content);
const get = (path: string): string => readFileSync(join(workspace, path), "utf8");
const uses = (path: string): [Tool, unknown][] => [
  [readFile, { path }],
  [writeFile, { path, content: "x" }],
  [editFile, { path, old: "a", new: "b" }],
];

describe("a file tool", () => {
  it("does not wait for a pipe, a socket or a device", async () => {
    spawnSync("mkfifo", [join(workspace, "pipe")]);
    const server = createServer().listen(join(workspace, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      const isDevice = spawnSync("mknod", [join(workspace, "null"), "c", "1", "3"]).status === 0;
      const kinds = { pipe: "named pipe", socket: "socket", ...(isDevice && { null: "device" }) };
      for (const [path, kind] of Object.entries(kinds))
        for (const [tool, input] of uses(path))
          await expect(call(tool, input)).rejects.toThrow(`${path} is not a regular file but a ${kind}`);
      for (const path of Object.keys(kinds))
        await expect(call(grep, { path, pattern: "a" })).rejects.toThrow("is not a regular file");
    } finally {
      server.close();
    }
  });

  it("does not write to a file that has another name", async () => {
    writeFileSync(join(top, "shared"), "a");
    linkSync(join(top, "shared"), join(workspace, "linked"));
    for (const [tool, input] of [
      [editFile, { path: "linked", old: "a", new: "b" }],
      [writeFile, { path: "linked", content: "b" }],
    ] as const)
      await expect(call(tool, input)).rejects.toThrow("linked is the same file as another one");
    expect(await call(readFile, { path: "linked" })).toContain("a");
    expect(readFileSync(join(top, "shared"), "utf8")).toBe("a");
    unlinkSync(join(top, "shared"));
    await call(editFile, { path: "linked", old: "a", new: "b" });
    expect(get("linked")).toBe("b");
  });

  it("stays inside while a program swaps a folder of the path for a link out", async () => {
    const outside = join(top, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "file"), "secret");
    mkdirSync(join(workspace, "folder"));
    put("folder/file", "inside a");
    // The tools may make the folder again at any time, so each step may fail.
    const swap = `const fs = require("node:fs");
      const attempt = (step) => { try { step(); } catch {} };
      for (;;) {
        attempt(() => fs.rmSync("folder", { recursive: true, force: true }));
        attempt(() => fs.symlinkSync("../outside", "folder"));
        attempt(() => fs.unlinkSync("folder"));
        attempt(() => { fs.mkdirSync("folder"); fs.writeFileSync("folder/file", "inside a"); });
      }`;
    const swapper = spawn(process.execPath, ["-e", swap], { cwd: workspace, stdio: "ignore" });
    const ended = new Promise((resolve) => swapper.once("exit", resolve));
    let done = 0;
    try {
      for (let i = 0; i < 300; i += 1) {
        const inputs: [Tool, unknown][] = [
          ...uses("folder/file"),
          [writeFile, { path: `folder/new-${i}`, content: "x" }],
          [writeFile, { path: `folder/deep-${i}/new`, content: "x" }],
        ];
        for (const [tool, input] of inputs)
          await call(tool, input).then(
            (text) => {
              done += 1;
              expect(text).not.toContain("secret");
            },
            () => {},
          );
      }
    } finally {
      swapper.kill("SIGKILL");
      await ended;
    }
    expect(done).toBeGreaterThan(0);
    expect(readdirSync(outside)).toEqual(["file"]);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("secret");
  }, 60_000);
});

describe("read_file", () => {
  it.each([
    ["a ZIP archive", "PK\x03\x04\x14\x00", "ZIP archive, 6 bytes"],
    ["a tar archive", `a${"\0".repeat(256)}ustar`, "tar archive, 262 bytes"],
    [
      "nothing known",
      "\x01\x02\x00\x04",
      "of an unknown format, beginning with the bytes 01 02 00 04, 4 bytes",
    ],
    ["noise without a NUL byte", "\x81\x93\xfe\xa1\x92\xf0\x9c\x88", "beginning with the bytes 81 93"],
  ])("says that a file is %s", async (_, bytes, said) => {
    put("file", Buffer.from(bytes, "latin1"));
    expect(await call(readFile, { path: "file" })).toContain(said);
  });

  it("shows text in an old encoding, and no byte order mark", async () => {
    put("latin1", Buffer.from("Gr\xfc\xdfe aus K\xf6ln, sch\xf6n\n", "latin1"));
    expect(await call(readFile, { path: "latin1" })).toContain("1\tGr");
    put("bom.cs", "\ufeffusing System;\n");
    expect(await call(readFile, { path: "bom.cs" })).toBe("1\tusing System;");
  });
});

describe("a file with hidden characters and with tags of ours", () => {
  const SOURCE = 'let a = "\u202eadmin"; // <mail>\nlet b = 1;\n';

  it("is edited by what was read", async () => {
    put("a.js", SOURCE);
    const shown = shownResult(await call(readFile, { path: "a.js" }));
    expect(shown).toBe('1\tlet a = "[U+202E]admin"; // &lt;mail>\n2\tlet b = 1;');
    const old = 'let a = "[U+202E]admin"; // &lt;mail>';
    await call(editFile, { path: "a.js", old, new: old.replace("let", "const") });
    expect(get("a.js")).toBe(SOURCE.replace("let", "const"));
    await call(editFile, { path: "a.js", old: "[U+202E]admin", new: "\\u202eadmin" });
    expect(get("a.js")).toContain('"\\u202eadmin"');
  });

  it("is written again by what was read", async () => {
    put("a.js", SOURCE);
    const content = '// [U+2067]\nlet a = "[U+202E]admin"; // &lt;mail>\n';
    expect(await call(writeFile, { path: "a.js", content })).toContain("Marks for characters, tags");
    expect(get("a.js")).toBe('// [U+2067]\nlet a = "\u202eadmin"; // <mail>\n');
    put("b.html", "&lt;mail>\n");
    await call(writeFile, { path: "b.html", content: "<b>&lt;mail></b>\n" });
    expect(get("b.html")).toBe("<b>&lt;mail></b>\n");
  });

  it("keeps marks that are in the file themselves", async () => {
    put("a.md", "[U+202E] and \u202e\n");
    await call(editFile, { path: "a.md", old: "[U+202E] and", new: "[U+202E] or" });
    expect(get("a.md")).toBe("[U+202E] or \u202e\n");
  });
});

describe("the preview of a change", () => {
  it("has the text before and after, and changes nothing", async () => {
    put("a.txt", "a\nb\n");
    expect(await preview(editFile, { path: "a.txt", old: "b", new: "c" })).toEqual({
      path: "a.txt",
      before: "a\nb\n",
      after: "a\nc\n",
    });
    expect(await preview(writeFile, { path: "new/b.txt", content: "x" })).toEqual({
      path: "new/b.txt",
      before: null,
      after: "x",
    });
    expect(readdirSync(workspace)).toEqual(["a.txt"]);
    expect(get("a.txt")).toBe("a\nb\n");
  });

  it("fails as the change would", async () => {
    put("a.txt", "a\na\n");
    await expect(preview(editFile, { path: "a.txt", old: "x", new: "y" })).rejects.toThrow("is not in a.txt");
    await expect(preview(editFile, { path: "a.txt", old: "a", new: "y" })).rejects.toThrow("2 times");
    await expect(preview(editFile, { path: "none", old: "a", new: "y" })).rejects.toThrow("There is no file");
    mkdirSync(join(workspace, "folder"));
    await expect(preview(writeFile, { path: "folder", content: "" })).rejects.toThrow("is a folder");
  });
});
