/** A push that is cut in the middle is repeated: it lands once, and its task is not refused. */
import { randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createShell } from "../../../src/adapters/shell/index.ts";
import type { Worktrees } from "../../../src/ports/worktrees.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { cuttingNetwork, gitDaemon } from "../../fixtures/git-network.ts";
import { landing, openTrees, writeWork } from "../../fixtures/landing-trees.ts";
import { type Repository, repository } from "../../fixtures/repository.ts";

type Remote = { readonly dir: string; readonly log: () => string };

/** A bare repository, and a clone of it in which a task is done that lands at `address`. */
function shared(): { readonly remote: Remote; readonly here: Repository } {
  const first = repository({ "a.txt": "a\n" });
  const dir = join(repository({ "unused.txt": "" }).dir, "bare");
  first.git("clone", "--quiet", "--bare", first.dir, dir);
  const here = repository({ "unused.txt": "" });
  here.git("fetch", "--quiet", dir, "main");
  here.git("reset", "--quiet", "--hard", "FETCH_HEAD");
  return { remote: { dir, log: () => first.git("-C", dir, "log", "--format=%s", "main") }, here };
}

async function openAt({ dir }: Repository, address: string): Promise<Worktrees> {
  const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  return await openTrees(dir, shell, { gate: "true", wayOut: { kind: "push", remote: address } });
}

const task = { ...landing.task(1), attempt: 1 };

async function land(here: Repository, address: string): Promise<unknown> {
  const trees = await openAt(here, address);
  // Random data cannot be compressed.
  await writeWork(trees, task, { "large.txt": randomBytes(300_000).toString("base64"), "b.txt": "b\n" });
  return await trees.land(task, landing.by);
}

const CUTS = [
  ["in the list of branches", "server", 10, 3],
  ["after it has named the branches", "client", 350, 3],
  ["in the middle of the pack", "client", 100_000, 3],
  // It has landed by then.
  ["before the answer", "server", 250, 1],
] as const;
it.each(sampled(CUTS, 2))("lands once when the connection is cut %s", async (_, side, bytes, times) => {
  const { remote, here } = shared();
  const daemon = await gitDaemon(dirname(remote.dir));
  onTestFinished(() => daemon.end());
  const through = await cuttingNetwork(daemon.port);
  onTestFinished(() => through.end());
  through.cut({ side, bytes }, times);
  expect(await land(here, `git://127.0.0.1:${through.port}/bare`)).toMatchObject({ kind: "landed" });
  expect(through.cuts).toBe(times);
  expect(remote.log()).toBe("Task 1\nFirst");
});

it.each(sampled(["pre-receive", "update", "post-receive"], 3))(
  "lands once when the other side is killed three times in its hook %s",
  async (name) => {
    const { remote, here } = shared();
    const count = join(remote.dir, "count");
    const hook = join(remote.dir, "hooks", name);
    writeFileSync(
      hook,
      `#!/bin/sh\necho x >> '${count}'\n[ "$(wc -l < '${count}')" -le 3 ] && kill -9 $PPID\nexit 0\n`,
    );
    chmodSync(hook, 0o755);
    expect(await land(here, remote.dir)).toMatchObject({ kind: "landed" });
    expect(remote.log()).toBe("Task 1\nFirst");
  },
);

it("removes the branch of a task with the next one when the connection was cut", async () => {
  const { remote, here } = shared();
  const daemon = await gitDaemon(dirname(remote.dir));
  onTestFinished(() => daemon.end());
  const through = await cuttingNetwork(daemon.port);
  onTestFinished(() => through.end());
  const trees = await openAt(here, `git://127.0.0.1:${through.port}/bare`);
  const next = { ...landing.task(2), attempt: 1 };
  for (const one of [task, next]) {
    await writeWork(trees, one, { [`${one.id}.txt`]: "b\n" });
    expect(await trees.land(one, landing.by)).toMatchObject({ kind: "landed" });
    through.cut({ side: "client", bytes: 150 }, one === task ? 1 : 0);
    await trees.remove(one);
  }
  expect(through.cuts).toBe(1);
  expect(here.git("-C", remote.dir, "branch", "--format=%(refname:short)")).toBe("main");
});
