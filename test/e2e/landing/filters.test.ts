/** Clean filters of the project: they run where the person agreed, and where they are left out their files do not land. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createShell } from "../../../src/adapters/shell/index.ts";
import type { Worktrees } from "../../../src/ports/worktrees.ts";
import { landing, openTrees } from "../../fixtures/landing-trees.ts";
import { type Repository, repository } from "../../fixtures/repository.ts";

const TASK = landing.task(1);

/** A filter takes the password out of a file before it is committed. */
function withFilter(): Repository {
  const repo = repository({ "a.txt": "a\n", ".gitattributes": "*.env filter=redact\n" });
  repo.git("config", "filter.redact.clean", "sed s/password=.*/password=/");
  return repo;
}

async function open(repo: Repository, trusted: boolean): Promise<Worktrees> {
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  return await openTrees(repo.dir, shell, { trusted });
}

it("lands no file past a clean filter that nobody agreed to, and names it at the start", async () => {
  const repo = withFilter();
  const trees = await open(repo, false);
  const told: string[] = [];
  for (let nth = 0; nth < 2; nth += 1)
    await trees.noticeMoves(async (text) => {
      told.push(text);
    });
  expect(told).toEqual([expect.stringMatching(/filter redact, which you have not agreed to.*ekiden trust/)]);
  const { workspace } = await trees.open(TASK);
  writeFileSync(join(workspace, "b.txt"), "b\n");
  writeFileSync(join(workspace, "my.env"), "password=secret\n");
  const refused = {
    kind: "refused",
    evidence: expect.stringMatching(/^my\.env would land.*"redact".*ekiden trust/),
  };
  expect(await trees.land(TASK, landing.by)).toMatchObject(refused);
  // Its commit is there by now: a second try finds no other way.
  expect(await trees.land(TASK, landing.by)).toMatchObject(refused);
  expect(repo.git("log", "--format=%s", "main")).toBe("First");
  rmSync(join(workspace, "my.env"));
  // Without a gate each commit lands.
  expect(await trees.land(TASK, landing.by)).toMatchObject(refused);
  repo.git("-C", workspace, "reset", "--quiet", "--soft", "main");
  repo.git("-C", workspace, "rm", "--quiet", "--cached", "my.env", "--ignore-unmatch");
  expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
  expect(repo.read("b.txt")).toBe("b\n");
  expect(repo.git("log", "--name-only", "--format=%s", "main")).not.toContain("my.env");
});

it("runs it where the person agreed", async () => {
  const repo = withFilter();
  const trees = await open(repo, true);
  const { workspace } = await trees.open(TASK);
  writeFileSync(join(workspace, "my.env"), "password=secret\n");
  repo.git("-C", workspace, "add", "my.env");
  repo.git("-C", workspace, "commit", "--quiet", "-m", "Own");
  writeFileSync(join(workspace, "other.env"), "password=secret\n");
  expect(await trees.land(TASK, landing.by)).toMatchObject({ kind: "landed" });
  expect(repo.git("show", "main:my.env")).toBe("password=");
  expect(repo.git("show", "main:other.env")).toBe("password=");
});
