import { expect, it } from "vitest";
import { setUpIn } from "./set-up.ts";

const found = (files: Record<string, unknown>) => setUpIn((file) => files[file] ?? null);

it.each<[string, Record<string, unknown>, string | null]>([
  ["our own, a text", { ".ekiden/worktree.json": { setup: "npm ci" } }, "npm ci"],
  ["our own, a list", { ".ekiden/worktree.json": { setup: ["npm ci", 3, "make"] } }, "npm ci &&\nmake"],
  ["conductor.json", { "conductor.json": { scripts: { setup: "pnpm install", run: "x" } } }, "pnpm install"],
  [
    "Cursor, commands",
    { ".cursor/worktrees.json": { "setup-worktree": ["npm ci", "cp $ROOT_WORKTREE_PATH/.env ."] } },
    "npm ci &&\ncp $ROOT_WORKTREE_PATH/.env .",
  ],
  [
    "Cursor, a script, that for this system first",
    { ".cursor/worktrees.json": { "setup-worktree": "all.sh", "setup-worktree-unix": "it's.sh" } },
    "sh '.cursor/its.sh'",
  ],
  [
    "ours before others, also where it says nothing",
    { ".ekiden/worktree.json": {}, "conductor.json": { scripts: { setup: "x" } } },
    null,
  ],
  ["nonsense", { "conductor.json": [1], ".cursor/worktrees.json": { "setup-worktree": "y" } }, null],
  ["nothing", {}, null],
])("read how a worktree is made ready: %s", (_, files, command) => {
  expect(found(files)?.command ?? null).toBe(command);
});
