/** These tests check what of a repository a confined command may not write, also where it does not exist yet. */
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../../../test/fixtures/repository.ts";
import { repositoryOf } from "./git-folders.ts";

const guardedOf = (dir: string): string[] =>
  repositoryOf(dir).folders.flatMap(({ guarded }) =>
    guarded.map((path) => path.slice(realpathSync(dir).length + 1)),
  );

it("guards the configuration of a worktree before it exists, where git would read it", () => {
  const repo = repository({ "a.txt": "a\n" });
  expect(guardedOf(realpathSync(repo.dir))).not.toContain(".git/config.worktree");
  repo.git("config", "extensions.worktreeConfig", "true");
  expect(guardedOf(realpathSync(repo.dir))).toContain(".git/config.worktree");
});

it("guards files that the configuration includes, and those that they include, before they exist", () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.git("config", "include.path", "../shared.gitconfig");
  repo.write({
    "shared.gitconfig": '[include]\n\tpath = more.gitconfig\n[includeIf "onbranch:x"]\n\tpath = b/c\n',
  });
  repo.write({ "b/x": "" });
  const guarded = guardedOf(realpathSync(repo.dir));
  expect(guarded).toEqual(expect.arrayContaining(["shared.gitconfig", "more.gitconfig", "b/c"]));
});

it("guards the repository around an empty folder .git, which git does not take for one", () => {
  const repo = repository({ "a.txt": "a\n", "in/.git/kept": "" });
  const [around] = repositoryOf(join(realpathSync(repo.dir), "in")).folders;
  expect(around?.path).toBe(join(realpathSync(repo.dir), ".git"));
});

it("guards the folder of hooks before it exists", () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.git("config", "core.hooksPath", "tools/hooks");
  expect(guardedOf(realpathSync(repo.dir))).toContain("tools/hooks");
});

it("guards the folder of hooks of a worktree of the person that a command works in", () => {
  const repo = repository({ "a.txt": "a\n", ".githooks/pre-commit": "" });
  repo.git("config", "core.hooksPath", ".githooks");
  repo.git("worktree", "add", "--quiet", ".ekiden/worktrees/1-a", "-b", "a");
  const tree = realpathSync(join(repo.dir, ".ekiden/worktrees/1-a"));
  expect(repositoryOf(tree).folders.flatMap(({ guarded }) => guarded)).toEqual(
    expect.arrayContaining([join(tree, ".githooks"), join(realpathSync(repo.dir), ".githooks")]),
  );
});

it("takes no other common directory from a file that a command wrote into .git", () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.write({ ".git/commondir": "/etc\n" });
  const dir = realpathSync(repo.dir);
  expect(repositoryOf(dir).folders.map(({ path }) => path)).toEqual([join(dir, ".git")]);
  expect(existsSync(join(dir, ".git/commondir"))).toBe(false);
});

it("leaves the index and the HEAD of the checkout that a worktree of the person belongs to", () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.git("worktree", "add", "--quiet", "beside", "-b", "b");
  const dir = realpathSync(repo.dir);
  const { folders } = repositoryOf(join(dir, "beside"));
  expect(folders.map(({ path, access }) => [path, access])).toEqual([
    [join(dir, ".git"), "write"],
    [join(dir, ".git/worktrees/beside"), "write"],
  ]);
  const guarded = ["HEAD", "index", "config", "worktrees"].map((name) => join(dir, ".git", name));
  expect(folders[0]?.guarded).toEqual(expect.arrayContaining(guarded));
});

it("leaves nothing of the repository of a project writable where members work in clones", () => {
  const repo = repository({ "a.txt": "a\n" });
  const dir = realpathSync(repo.dir);
  expect(repositoryOf(dir, "look").folders).toEqual([
    { path: join(dir, ".git"), access: "read", guarded: [] },
  ]);
});

it("finds the repository around a place that is a file", () => {
  const repo = repository({ "a.txt": "a\n" });
  expect(repositoryOf(join(realpathSync(repo.dir), "a.txt")).folders).toHaveLength(1);
});
