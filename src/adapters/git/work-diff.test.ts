import { execFileSync } from "node:child_process";
import { mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../../../test/fixtures/repository.ts";
import { childEnvironment } from "../shell/environment.ts";
import { Git } from "./git.ts";
import { folderDiff } from "./work-diff.ts";

it("shows what landed in the second in which its run began", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-diff-"));
  const at = 1_700_000_000;
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, GIT_COMMITTER_DATE: `${at} +0000`, GIT_AUTHOR_DATE: `${at} +0000` },
    });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "Begin");
  writeFileSync(join(folder, "door.txt"), "one coat\n");
  git("add", ".");
  git("commit", "-qm", "Paint");
  const landed = git("rev-parse", "HEAD").trim();
  const own = new Git(childEnvironment(process.env), null);
  expect(await folderDiff(own, folder, at * 1_000 + 300)).toBe("");
  expect(await folderDiff(own, folder, at * 1_000 + 300, landed)).toContain("+one coat");
  expect(await folderDiff(own, folder, at * 1_000 - 5_000, landed)).toContain("+one coat");
});

it("shows a change that left a file as long, and as old, as the index knows it", async () => {
  const repo = repository({ "b.txt": "b\n" });
  // Nobody can set the time of the last change of an inode.
  repo.git("config", "core.trustctime", "false");
  const at = Math.floor(Date.now() / 1_000) - 100;
  const write = (text: string): void => {
    repo.write({ "a.txt": text });
    utimesSync(join(repo.dir, "a.txt"), at, at);
  };
  write("old\n");
  repo.commit("Old");
  utimesSync(join(repo.dir, ".git/index"), at, at);
  write("new\n");
  const git = new Git(childEnvironment(process.env), null);
  expect(await folderDiff(git, repo.dir, Date.now() + 60_000)).toContain("+new");
});
