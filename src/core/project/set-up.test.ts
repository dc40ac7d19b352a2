import { expect, it } from "vitest";
import { placeVariables, setUpIn } from "./set-up.ts";

const found = (files: Record<string, unknown>) =>
  setUpIn((file) => {
    const name = Object.keys(files).find((one) => one.startsWith(file));
    return name === undefined ? null : { file: name, content: files[name] };
  }, "linux");

it.each<[string, Record<string, unknown>, string | null, string?]>([
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
  [
    "our own, with a teardown",
    { ".ekiden/worktree.json": { setup: "npm ci", teardown: ["a", "b"] } },
    "npm ci",
    "a &&\nb",
  ],
  [
    "conductor.json, a teardown alone",
    { "conductor.json": { scripts: { archive: "dropdb" } } },
    "",
    "dropdb",
  ],
  [
    "Codex, that for this system first",
    {
      ".codex/environments/environment.toml": {
        setup: { script: "\nnpm ci\n", darwin: { script: "brew" } },
        cleanup: { script: "all", linux: { script: "linux" } },
      },
    },
    "npm ci",
    "linux",
  ],
  ["nonsense", { "conductor.json": [1], ".cursor/worktrees.json": { "setup-worktree": "y" } }, null],
  ["nothing", {}, null],
])("read how a worktree is made ready: %s", (_, files, command, teardown = "") => {
  expect(found(files)?.command ?? null).toBe(command);
  expect(found(files)?.teardown ?? "").toBe(teardown);
});

it("names a worktree as the programs do whose file it is, and without ports where it has none", () => {
  const place = { project: "/p", workspace: "/p/w/1-a", target: "main", block: 20_010 };
  const own = { EKIDEN_ROOT: "/p", EKIDEN_WORKTREE: "/p/w/1-a" };
  expect(placeVariables("", place)).toEqual(own);
  expect(placeVariables(".cursor/worktrees.json", place)).toEqual({ ...own, ROOT_WORKTREE_PATH: "/p" });
  const codex = { CODEX_SOURCE_TREE_PATH: "/p", CODEX_WORKTREE_PATH: "/p/w/1-a" };
  expect(placeVariables(".codex/environments/b.toml", place)).toEqual({ ...own, ...codex });
  const conductor = placeVariables("conductor.json", place);
  expect(conductor).toMatchObject({ CONDUCTOR_WORKSPACE_NAME: "1-a", CONDUCTOR_PORT: "20010" });
  expect(placeVariables("conductor.json", { ...place, block: null }).CONDUCTOR_PORT).toBeUndefined();
});
