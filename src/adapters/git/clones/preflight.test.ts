/** What is asked of a project before it gets worktrees. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { landing, openTrees } from "../../../../test/fixtures/landing-trees.ts";
import { type Repository, repository } from "../../../../test/fixtures/repository.ts";
import { takeAway } from "../../../../test/fixtures/take-away.ts";
import type { Worktrees } from "../../../ports/worktrees.ts";
import { createShell } from "../../shell/index.ts";
import type { WorktreeOptions } from "../options.ts";

async function trees({ dir }: Repository, options: Partial<WorktreeOptions> = {}): Promise<Worktrees> {
  const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  return await openTrees(dir, shell, options);
}

it("says what is wrong with a project, and leaves it as it is", async () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.git("checkout", "--quiet", "--detach");
  await expect(trees(repo)).rejects.toThrow(/on no branch \(a detached HEAD\)/);
  repo.git("switch", "--quiet", "main");
  repo.git("tag", "HEAD");
  await expect(trees(repo)).rejects.toThrow(/git cannot use .*refname 'HEAD' is ambiguous/s);
  repo.git("tag", "--delete", "HEAD");
  await expect(trees(repo, { target: "nope" })).rejects.toThrow(/There is no branch "nope"/);
  repo.write({ "a.txt": "changed\n" });
  await expect(trees(repo)).rejects.toThrow(/uncommitted.*a\.txt/);
  expect(repo.read("a.txt")).toBe("changed\n");
  const invalid = { code: "settings_invalid", exitCode: 2 };
  await expect(trees(repo, { share: ["../x"] })).rejects.toMatchObject(invalid);
  expect(existsSync(join(repo.dir, ".ekiden", "worktrees"))).toBe(false);
});

it("lands where tags have the names of the branches", async () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.git("tag", "main");
  const all = await trees(repo);
  const { workspace, branch } = await all.open(landing.task(1));
  repo.git("tag", branch);
  writeFileSync(join(workspace, "b.txt"), "b\n");
  expect(await all.land(landing.task(1), landing.by)).toMatchObject({ kind: "landed" });
  expect(await all.remove(landing.task(1))).toEqual({ kind: "removed" });
});

it("names the worktrees of a bare repository, which has no files to work on", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const place = join(repo.dir, "..", `bare-${basename(repo.dir)}`);
  onTestFinished(() => takeAway(place));
  const [bare, beside] = [join(place, "p.git"), join(place, "beside")];
  repo.git("clone", "--quiet", "--bare", repo.dir, bare);
  mkdirSync(beside);
  writeFileSync(join(beside, ".git"), "gitdir: ../p.git\n");
  const at = (dir: string) => trees({ ...repo, dir });
  for (const dir of [bare, beside])
    await expect(at(dir)).rejects.toThrow(
      /is a bare repository: .*Make a worktree of it \(git worktree add main\)/,
    );
  repo.git(`--git-dir=${bare}`, "worktree", "add", "--quiet", join(place, "wt"), "main");
  for (const dir of [bare, beside])
    await expect(at(dir)).rejects.toThrow(/Start ekiden in one of its worktrees: \S+\/wt\.$/);
  const all = await at(join(place, "wt"));
  const { workspace } = await all.open(landing.task(1));
  writeFileSync(join(workspace, "b.txt"), "b\n");
  expect(await all.land(landing.task(1), landing.by)).toMatchObject({ kind: "landed" });
});
