/** A landing that is killed between any two of its steps: the next one finishes it, once, and its gate has seen exactly its tree. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createShell } from "../../../src/adapters/shell/index.ts";
import { FUZZ } from "../../fixtures/fuzz.ts";
import { killedLanding, uncountedGate } from "../../fixtures/killed-landing.ts";
import { gatesIn } from "../../fixtures/landing-board.ts";
import { landing, openTrees, writeWork } from "../../fixtures/landing-trees.ts";
import { repository } from "../../fixtures/repository.ts";

async function landKilled(at: string): Promise<boolean> {
  const repo = repository({ "a.txt": "a\n" });
  const dir = join(repo.dir, ".ekiden");
  const shell = createShell({ outputDir: join(dir, "output") });
  onTestFinished(() => shell.close());
  const gate = uncountedGate(dir);
  const trees = await openTrees(repo.dir, shell, { gate });
  const workspace = await writeWork(trees, landing.task(1), { "1.txt": "one\n" });
  repo.git("-C", workspace, "add", "--all");
  repo.git("-C", workspace, "commit", "--quiet", "--message", "Half");
  await writeWork(trees, landing.task(1), { "2.txt": "two\n" });
  repo.write({ "person.txt": "person\n" });
  repo.commit("Person");
  const { isKilled, commands } = await killedLanding(repo.dir, gate, at);
  const later = await openTrees(repo.dir, shell, { gate });
  const landed = await later.land(landing.task(1), landing.by);
  expect(landed, at).toMatchObject({ kind: "landed" });
  expect(repo.git("log", "--format=%s", "main"), at).toBe("Task 1\nPerson\nFirst");
  expect(repo.git("status", "--porcelain", "--untracked-files=no"), at).toBe("");
  expect(repo.read("1.txt") + repo.read("2.txt"), at).toBe("one\ntwo\n");
  const [commit, tree] = repo.git("rev-parse", "main", "main^{tree}").split("\n");
  expect(readdirSync(join(dir, "seen")), at).toContain(tree);
  const gates = await gatesIn(repo.dir, String(commit));
  expect(gates, at).toContainEqual(expect.objectContaining({ commit, tree, green: true }));
  expect(await later.remove(landing.task(1)), at).toEqual({ kind: "removed" });
  expect(existsSync(workspace), at).toBe(false);
  if (!isKilled) expect(commands).toBeGreaterThan(15);
  return isKilled;
}

/** Every sixth step, from one that the seed chooses: six seeds in a row cover all. */
const STRIDE = 6;

it.each(["before", "after"])(
  "lands once, and gated, when it is killed %s its git commands",
  { timeout: 900_000 },
  async (when) => {
    let at = 1 + ((FUZZ.seed + (when === "after" ? 3 : 0)) % STRIDE);
    while (await landKilled(`${at}.${when}`)) at += STRIDE;
    expect(at).toBeGreaterThan(15);
  },
);
