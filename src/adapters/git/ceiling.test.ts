/** Git in a worktree that somebody is removing. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { landing, openTrees } from "../../../test/fixtures/landing-trees.ts";
import { repository } from "../../../test/fixtures/repository.ts";
import { createShell } from "../shell/index.ts";
import { Git } from "./git.ts";

it("never takes the project's checkout for a worktree whose .git file is gone", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(repo.dir, shell, { gate: "true" });
  const { workspace } = await trees.open(landing.task(1));
  writeFileSync(join(workspace, "b.txt"), "b\n");
  rmSync(join(workspace, ".git"), { recursive: true });
  const git = new Git({ PATH: process.env.PATH ?? "", HOME: repo.dir, GIT_CONFIG_NOSYSTEM: "1" }, null);
  for (const args of [
    ["checkout", "--quiet", "--detach"],
    ["add", "--all"],
    ["reset", "--hard"],
  ])
    expect(await git.try(workspace, ...args)).toMatchObject({
      ...{ code: 128, err: expect.stringContaining("not a git repository") },
    });
  const { signal } = new AbortController();
  const command = shell.run("git checkout --detach", { cwd: workspace, timeoutMs: 10_000, signal });
  expect((await command).output).toContain("not a git repository");
  expect(repo.git("symbolic-ref", "--short", "HEAD")).toBe("main");
  expect(repo.git("status", "--porcelain")).toBe("");
});
