/** A pipe or a device in the place of a file that git reads ends own git at once, with its name. */
import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../../../../test/fixtures/repository.ts";
import { Git } from "../git.ts";

const git = new Git({ PATH: process.env.PATH ?? "" }, null);
const pipe = (path: string): void => {
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
};
const FILES = [
  ...["config", "HEAD", "index", "packed-refs", "commondir", "info/exclude", "refs/heads/side"].map(
    (name) => `.git/${name}`,
  ),
  ...[".gitattributes", ".gitignore", "deep/er/.gitignore", ".git"],
];

describe("a pipe", () => {
  it.each(FILES)("as %s is named", async (name) => {
    const repo = repository({ "a.txt": "a\n", "deep/er/b.txt": "b\n" });
    const path = join(repo.dir, name);
    if (name === ".git") rmSync(path, { recursive: true });
    pipe(path);
    const asked = name.includes("refs") ? ["for-each-ref"] : ["status", "--porcelain"];
    await expect(git.try(repo.dir, ...asked)).rejects.toThrow(`${path} is a pipe`);
  });

  it.each(["HEAD", "index", "commondir", "gitdir"])("as %s of a worktree is named", async (name) => {
    const repo = repository({ "a.txt": "a\n" });
    repo.git("worktree", "add", "--quiet", "tree", "-b", "b");
    const path = join(repo.dir, ".git/worktrees/tree", name);
    pipe(path);
    await expect(git.try(join(repo.dir, "tree"), "status")).rejects.toThrow(`${path} is a pipe`);
  });

  it("below a common directory that a file names is named", async () => {
    const repo = repository({ "a.txt": "a\n", "evil/HEAD": "ref: refs/heads/main\n" });
    const path = join(repo.dir, "evil/config");
    pipe(path);
    writeFileSync(join(repo.dir, ".git/commondir"), "../evil\n");
    await expect(git.try(repo.dir, "status")).rejects.toThrow(`${path} is a pipe`);
  });

  it("elsewhere in the work tree is none of git's business", async () => {
    const repo = repository({ "a.txt": "a\n" });
    pipe(join(repo.dir, "other"));
    expect((await git.try(repo.dir, "status", "--porcelain")).code).toBe(0);
  });
});

it("a link to a device is named", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const path = join(repo.dir, ".git/packed-refs");
  symlinkSync("/dev/zero", path);
  await expect(git.try(repo.dir, "for-each-ref")).rejects.toThrow(`${path} is a device`);
});
