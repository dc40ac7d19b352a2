/** Files that commands removed, or whose changes they took back. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { FileChanges } from "../core/progress/file-changes.ts";
import { StandingFiles } from "./standing-files.ts";

function project() {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-standing-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = new FileChanges();
  const standing = new StandingFiles(folder);
  let at = 0;
  return {
    folder,
    files,
    look: () => standing.look(files),
    /** With another time at each write, also where the clock of the file system is coarse. */
    put(path: string, content: string): void {
      at += 1;
      writeFileSync(join(folder, path), content);
      utimesSync(join(folder, path), at, at);
    },
  };
}

it("notices a file that was removed, also in a worktree", () => {
  const { folder, files, look, put } = project();
  mkdirSync(join(folder, ".ekiden/worktrees/1"), { recursive: true });
  for (const path of ["a.txt", ".ekiden/worktrees/1/b.txt"]) put(path, path);
  files.judge({ path: "a.txt", content: "a" });
  files.judge({ path: "b.txt", content: "b" });
  look();
  expect(files.paths).toEqual(["a.txt", "b.txt"]);
  rmSync(join(folder, ".ekiden/worktrees/1/b.txt"));
  look();
  expect(files.paths).toEqual(["a.txt"]);
});

it("takes back what was written since the file had this content", () => {
  const { files, look, put } = project();
  const written = (content: string, n: number): string => {
    put("a.txt", content);
    const change = files.judge({ path: "a.txt", old: `old ${n}`, new: `new ${n}` });
    look();
    return change;
  };
  expect([written("1", 1), written("2", 2), written("3", 3)]).toEqual(Array(3).fill("lasting"));
  put("a.txt", "1");
  look();
  expect(files.changesOf("a.txt")).toBe(1);
  expect([written("4", 4), written("5", 5), written("6", 6)]).toEqual(["nothing", "nothing", "lasting"]);
});

it("leaves out names that no file system holds", () => {
  const { files, look } = project();
  files.judge({ path: `${"x".repeat(5_000)}\0`, content: "a" });
  look();
  expect(files.paths).toEqual([]);
});

it("waits for no pipe that a command put in the place of a file", () => {
  const { folder, files, look, put } = project();
  put("a.txt", "a");
  files.judge({ path: "a.txt", content: "a" });
  look();
  rmSync(join(folder, "a.txt"));
  execFileSync("mkfifo", [join(folder, "a.txt")]);
  look();
  expect(files.paths).toEqual(["a.txt"]);
});
