/** These tests check the files that a command may not leave in a git directory, and files that are older. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { repository } from "../../../test/fixtures/repository.ts";
import { repositoryOf } from "./git-folders.ts";
import { GitLinks } from "./git-links.ts";
import type { Reads } from "./reads.ts";

const READS: Reads = {
  git: "git",
  confine: async (program) => ({ ...program, ended: async () => null }),
};

function world() {
  const repo = repository({ "a.txt": "a\n" });
  const dir = realpathSync(repo.dir);
  const links = new GitLinks();
  onTestFinished(() => links.close());
  const at = (path: string): string => join(dir, ".git", path);
  const isThere = (path: string): boolean => lstatSync(at(path), { throwIfNoEntry: false }) !== undefined;
  const watch = () => links.watch(repositoryOf(dir).folders, READS);
  return { repo, watch, at, isThere };
}

it.each([
  "logs/HEAD",
  "logs/refs/heads/main",
  "refs/heads/main",
  "index",
  "HEAD",
  "objects/00",
  "refs/heads/new",
])("removes the link %s, and keeps HEAD", async (path) => {
  const { watch, at, isThere } = world();
  const head = readFileSync(at("HEAD"), "utf8");
  const ended = watch();
  rmSync(at(path), { force: true });
  symlinkSync("/etc/passwd", at(path));
  expect(await ended()).toContain(path);
  expect(isThere(path)).toBe(path === "HEAD");
  expect(readFileSync(at("HEAD"), "utf8")).toBe(head);
});

it("removes pipes, and a file that leads to another directory", async () => {
  const { watch, at, isThere } = world();
  const ended = watch();
  execFileSync("mkfifo", [at("MERGE_MSG")]);
  writeFileSync(at("commondir"), "/tmp\n");
  await ended();
  expect([isThere("MERGE_MSG"), isThere("commondir")]).toEqual([false, false]);
});

it("keeps the links that were there before, also while two commands overlap", async () => {
  const { watch, at } = world();
  symlinkSync("main", at("refs/heads/other"));
  const [first, second] = [watch(), watch()];
  symlinkSync("main", at("refs/heads/mine"));
  expect([await first(), await second()].join("")).toContain("refs/heads/mine");
  expect([existsSync(at("refs/heads/other")), existsSync(at("refs/heads/mine"))]).toEqual([true, false]);
});

it.each([".git/hooks/evil", "../outside/file"])(
  "removes an index that names %s, which the next checkout of the person would write",
  async (path) => {
    const { repo, watch, at, isThere } = world();
    const instead = "x".repeat(path.length);
    const plant = (): void => {
      const blob = repo.git("rev-parse", "HEAD:a.txt");
      repo.git("update-index", "--add", "--cacheinfo", `100755,${blob},${instead}`);
      const body = Buffer.from(readFileSync(at("index")).subarray(0, -20));
      body.write(path, body.indexOf(instead));
      writeFileSync(at("index"), Buffer.concat([body, createHash("sha1").update(body).digest()]));
    };
    plant();
    repo.git("checkout", ".");
    expect(existsSync(join(repo.dir, path))).toBe(true);
    rmSync(join(repo.dir, path));
    repo.git("reset", "--quiet");
    const ended = watch();
    plant();
    expect(await ended()).toContain(JSON.stringify(path));
    expect(isThere("index")).toBe(false);
    repo.git("reset", "--quiet");
    repo.git("checkout", ".");
    expect([existsSync(join(repo.dir, path)), repo.git("status", "--porcelain")]).toEqual([false, ""]);
    // One of git stays.
    const again = watch();
    repo.write({ "b.txt": "b\n" });
    repo.git("add", "b.txt");
    expect(await again()).toBeNull();
  },
);
