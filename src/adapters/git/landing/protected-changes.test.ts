import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { landing, openTrees } from "../../../../test/fixtures/landing-trees.ts";
import { repository } from "../../../../test/fixtures/repository.ts";
import { rulesOf } from "../../../core/permission/permission.ts";
import { mayChangeProtected } from "../../../core/permission/protected.ts";
import type { Worktrees } from "../../../ports/worktrees.ts";
import { createShell } from "../../shell/index.ts";

const which = landing.task(1);

async function opened(allow: readonly string[] = [], gate?: string) {
  const repo = repository({ "a.txt": "a\n", ".npmrc": "a=b\n" });
  repo.git("checkout", "--quiet", "-b", "other");
  repo.write({ ".github/workflows/ci.yml": "on: push\n" });
  repo.commit("Workflow");
  repo.git("checkout", "--quiet", "main");
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const rules = rulesOf({ deny: [], ask: [], allow });
  const trees: Worktrees = await openTrees(repo.dir, shell, {
    gate,
    mayChange: (path, workspace) => mayChangeProtected(rules, path, workspace),
  });
  const { workspace } = await trees.open(which);
  const write = (path: string): void => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), "x\n");
  };
  const git = (...args: string[]): string => repo.git("-C", workspace, ...args);
  return { repo, trees, workspace, write, git };
}

it.each([
  [".envrc", "a file that is not committed"],
  [".npmrc", "a changed file"],
  [".VSCode/tasks.json", "a name in other letters"],
  [".envrc", "a commit"],
  [".github/workflows/ci.yml", "a merge"],
  [".npmrc", "a file that is gone"],
])("refuses a branch that changes %s by %s, and names it", async (path, by) => {
  const { repo, trees, git, write } = await opened();
  if (by === "a merge") git("merge", "--quiet", "--no-ff", "-m", "m", "other");
  else if (by === "a file that is gone") git("rm", "--quiet", path);
  else write(path);
  if (by === "a commit") git("add", "--all");
  if (by === "a commit") git("commit", "--quiet", "--message", "mine");
  const landed = await trees.land(which, landing.by);
  expect(landed).toMatchObject({ kind: "refused", why: "branch" });
  expect(landed).toHaveProperty("evidence", expect.stringContaining(`${path} is a protected file`));
  expect(repo.git("log", "--format=%s", "main")).toBe("First");
});

it("lands it where a file tool was allowed to write it", async () => {
  const { trees, workspace, write } = await opened();
  write(".envrc");
  trees.accept(join(workspace, ".envrc"));
  expect(await trees.land(which, landing.by)).toMatchObject({ kind: "landed" });
});

it.each([
  [["write_file(.vscode/**)"], "landed"],
  [["edit_file(.vscode/tasks.json)"], "landed"],
  [["write_file"], "refused"],
  [["write_file(**)"], "refused"],
  [["read_file(.vscode/**)"], "refused"],
])("with the rules %s it is %s", async (allow, kind) => {
  const { trees, write } = await opened(allow);
  write(".vscode/tasks.json");
  expect(await trees.land(which, landing.by)).toMatchObject({ kind });
});

it("refuses what is committed while the branch waits in line", async () => {
  const { repo, trees, write, git } = await opened([], `until test -e ../../go; do sleep 0.02; done`);
  const other = await trees.open(landing.task(2));
  writeFileSync(join(other.workspace, "other.txt"), "x\n");
  let isAtGate = (): void => {};
  const atGate = new Promise<void>((done) => {
    isAtGate = done;
  });
  const first = trees.land(landing.task(2), { ...landing.by, onStep: async () => isAtGate() });
  await atGate;
  write("mine.txt");
  const second = trees.land(which, {
    ...landing.by,
    onStep: async (step) => {
      if (step !== "queued") return;
      write(".envrc");
      git("add", "--all");
      git("commit", "--quiet", "--message", "late");
      writeFileSync(join(repo.dir, ".ekiden", "go"), "");
    },
  });
  expect(await first).toMatchObject({ kind: "landed" });
  expect(await second).toMatchObject({ kind: "refused", evidence: expect.stringContaining(".envrc is a") });
  expect(repo.git("log", "--format=%s", "main")).toBe("Task 2\nFirst");
  expect(git("log", "-1", "--format=%s", "HEAD")).toBe("late");
});
