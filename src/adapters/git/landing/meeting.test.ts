/** Landings of several processes and of several stores: none waits for one that was killed or stands still, and none lands ungated. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { wordsOf } from "../../../../test/fixtures/built.ts";
import { boardIn, queueIn } from "../../../../test/fixtures/landing-board.ts";
import {
  landing,
  meeting,
  openTrees,
  seeingGate,
  writeWork,
} from "../../../../test/fixtures/landing-trees.ts";
import { repository } from "../../../../test/fixtures/repository.ts";
import { soon } from "../../../../test/fixtures/soon.ts";
import { takeAway } from "../../../../test/fixtures/take-away.ts";
import { createShell } from "../../shell/index.ts";

const { task, by } = landing;

it.each([
  ["killed", "SIGKILL"],
  ["frozen", "SIGSTOP"],
] as const)("passes over a landing whose process was %s at its gate", async (_, signal) => {
  const repo = repository({ "a.txt": "a\n" });
  const dir = join(repo.dir, ".ekiden");
  const shell = createShell({ outputDir: join(dir, "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(repo.dir, shell, { gate: seeingGate(dir) });
  await writeWork(trees, task(1), { "1.txt": "1\n" });
  await writeWork(trees, task(2), { "2.txt": "2\n" });
  const gate = `touch ${dir}/begun; until test -e ${dir}/go; do sleep 0.02; done`;
  const owner: ChildProcess = spawn(process.execPath, [...wordsOf("landing-owner"), repo.dir, gate], {
    env: { ...process.env, TEST_LEASE_MS: "2000" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void owner.kill("SIGKILL"));
  let said = "";
  owner.stderr?.on("data", (data) => {
    said += data;
  });
  const over = new Promise((done) => owner.once("close", done));
  await soon(() => expect(existsSync(join(dir, "begun"))).toBe(true));
  expect((await queueIn(repo.dir)).waiting).toMatchObject([{ task: 1, state: "gate" }]);
  owner.kill(signal);
  if (signal === "SIGKILL") await over;
  expect(await trees.land(task(2), by)).toMatchObject({ kind: "landed" });
  // As a host does all the time: it declares those dead whose lease is over.
  await (await boardIn(repo.dir, by.seat.name)).store.close();
  writeFileSync(join(dir, "go"), "");
  if (signal === "SIGSTOP") {
    owner.kill("SIGCONT");
    await over;
    expect(said).toContain("can no longer act for it");
  }
  expect(repo.git("log", "--format=%s", "main")).toBe("Task 2\nFirst");
  expect(await trees.land(task(1), by)).toMatchObject({ kind: "landed" });
  expect(repo.git("log", "--format=%s", "main")).toBe("Task 1\nTask 2\nFirst");
});

it("lets landings of two stores meet at the target: each lands once, and as its gate has seen it", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const dir = join(repo.dir, ".ekiden");
  const elsewhere = repository({ "unused.txt": "" });
  onTestFinished(() => takeAway(join(elsewhere.dir, ".ekiden")));
  const shell = createShell({ outputDir: join(dir, "output") });
  onTestFinished(() => shell.close());
  const here = await openTrees(repo.dir, shell, { gate: seeingGate(dir) });
  const there = meeting(await openTrees(repo.dir, shell, { gate: seeingGate(dir) }), elsewhere.dir);
  const ids = [1, 2, 3, 4, 5, 6];
  for (const id of ids) await writeWork(here, task(id), { [`${id}.txt`]: "x\n" });
  const landed = await Promise.all(ids.map((id) => (id % 2 ? here : there).land(task(id), by)));
  expect(landed.map(({ kind }) => kind)).toEqual(ids.map(() => "landed"));
  expect(repo.git("log", "--format=%s", "main").split("\n").sort()).toEqual(
    ["First", ...ids.map((id) => `Task ${id}`)].sort(),
  );
  const trees = repo.git("log", "--format=%T", "--max-count=6", "main").split("\n");
  expect(readdirSync(join(dir, "seen"))).toEqual(expect.arrayContaining(trees));
});
