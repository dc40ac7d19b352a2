/**
 * A landing on a remote that is killed between any two of its steps. The same machine or another one continues with the task: it lands
 * once, and as a gate has seen it.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createShell } from "../../../src/adapters/shell/index.ts";
import { FUZZ } from "../../fixtures/fuzz.ts";
import { killedLanding, uncountedGate } from "../../fixtures/killed-landing.ts";
import { landing, openTrees, writeWork } from "../../fixtures/landing-trees.ts";
import { type Repository, repository } from "../../fixtures/repository.ts";

const task = (attempt: number) => ({ ...landing.task(1), attempt });

async function landKilled(at: string, goesOn: "here" | "elsewhere"): Promise<boolean> {
  const first = repository({ "a.txt": "a\n" });
  const remote = join(repository({ "unused.txt": "" }).dir, "bare");
  first.git("clone", "--quiet", "--bare", first.dir, remote);
  const machine = async (gates: Repository) => {
    const repo = repository({ "unused.txt": "" });
    repo.git("fetch", "--quiet", remote, "main");
    repo.git("reset", "--quiet", "--hard", "FETCH_HEAD");
    const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
    onTestFinished(() => shell.close());
    const gate = uncountedGate(gates.dir);
    const open = () => openTrees(repo.dir, shell, { gate, wayOut: { kind: "push", remote } });
    return { repo, gate, open, trees: await open() };
  };
  const gates = repository({ "unused.txt": "" });
  const one = await machine(gates);
  await writeWork(one.trees, task(1), { "1.txt": "one\n" });
  await one.trees.park(task(1), { signal: landing.by.signal, tell: () => Promise.resolve() });
  await writeWork(one.trees, task(1), { "2.txt": "two\n" });
  first.write({ "person.txt": "person\n" });
  first.commit("Person");
  first.git("push", "--quiet", remote, "main");

  const { isKilled } = await killedLanding(one.repo.dir, one.gate, at, remote);
  const next = goesOn === "here" ? await one.open() : (await machine(gates)).trees;
  const attempt = goesOn === "here" ? 1 : 2;
  // The next owner repeats the work, and not in the same way.
  if (goesOn === "elsewhere") await writeWork(next, task(attempt), { "2.txt": "again\n" });
  expect(await next.land(task(attempt), landing.by), at).toMatchObject({ kind: "landed" });
  const log = first.git("-C", remote, "log", "--format=%s", "main");
  expect(log, at).toBe("Task 1\nPerson\nFirst");
  expect(readdirSync(join(gates.dir, "seen")), at).toContain(
    first.git("-C", remote, "rev-parse", "main^{tree}"),
  );
  expect(["two", "again"], at).toContain(first.git("-C", remote, "show", "main:2.txt"));
  return isKilled;
}

/** Every twelfth step, from one that the seed chooses: twelve seeds in a row cover all. */
const STRIDE = 12;

it.each(["before", "after"])(
  "lands once when it is killed %s its git commands, and the same machine or another one continues",
  { timeout: 900_000 },
  async (when) => {
    let at = 1 + ((FUZZ.seed + (when === "after" ? STRIDE / 2 : 0)) % STRIDE);
    for (let nth = FUZZ.seed; await landKilled(`${at}.${when}`, nth % 2 ? "here" : "elsewhere"); nth += 1)
      at += STRIDE;
    expect(at).toBeGreaterThan(25);
  },
);
