/** A landing that is killed between any two of its steps: the next one finishes it, once, and its gate has seen exactly its tree. */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LandingLine } from "../../src/adapters/git/landing-line.ts";
import { createShell } from "../../src/adapters/shell/index.ts";
import { FUZZ } from "../fixtures/fuzz.ts";
import { landing, openTrees, seeingGate, writeWork } from "../fixtures/landing-trees.ts";
import { repository } from "../fixtures/repository.ts";

const GIT = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
/** Counts its calls, and kills the process that calls it the TEST_AT-th time. */
const KILLER = `#!/bin/sh
n=$(($(cat "$TEST_COUNT" 2>/dev/null || echo 0) + 1))
echo $n > "$TEST_COUNT"
[ "$n.before" = "$TEST_AT" ] && { kill -9 $PPID; exit 1; }
${GIT} "$@"
code=$?
[ "$n.after" = "$TEST_AT" ] && kill -9 $PPID
exit $code
`;

async function landKilled(at: string): Promise<boolean> {
  const repo = repository({ "a.txt": "a\n" });
  const dir = join(repo.dir, ".ekiden");
  const shell = createShell({ outputDir: join(dir, "output") });
  onTestFinished(() => shell.close());
  // The gate uses git by its path: its calls are not steps of the landing.
  const gate = seeingGate(dir).replaceAll("git ", `${GIT} `);
  const trees = await openTrees(repo.dir, shell, { gate });
  const workspace = await writeWork(trees, landing.task(1), { "1.txt": "one\n" });
  repo.git("-C", workspace, "add", "--all");
  repo.git("-C", workspace, "commit", "--quiet", "--message", "Half");
  await writeWork(trees, landing.task(1), { "2.txt": "two\n" });
  repo.write({ "person.txt": "person\n" });
  repo.commit("Person");
  const bin = join(dir, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), KILLER);
  chmodSync(join(bin, "git"), 0o755);
  const once = join(import.meta.dirname, "../fixtures/landing-owner.ts");
  const child = spawn(process.execPath, ["--import", "tsx", once, repo.dir, gate], {
    env: {
      ...process.env,
      PATH: `${bin}:${process.env.PATH}`,
      TEST_COUNT: join(dir, "count"),
      TEST_AT: at,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const signal = await new Promise((done) => child.once("close", (_, by) => done(by)));
  const later = await openTrees(repo.dir, shell, { gate });
  const landed = await later.land(landing.task(1), landing.by);
  expect(landed, at).toMatchObject({ kind: "landed" });
  expect(repo.git("log", "--format=%s", "main"), at).toBe("Task 1\nPerson\nFirst");
  expect(repo.git("status", "--porcelain", "--untracked-files=no"), at).toBe("");
  expect(repo.read("1.txt") + repo.read("2.txt"), at).toBe("one\ntwo\n");
  const [commit, tree] = repo.git("rev-parse", "main", "main^{tree}").split("\n");
  expect(readdirSync(join(dir, "seen")), at).toContain(tree);
  const gates = new LandingLine(join(repo.dir, ".git")).gates();
  expect(gates, at).toContainEqual(expect.objectContaining({ commit, tree, green: true }));
  expect(await later.remove(landing.task(1)), at).toEqual({ kind: "removed" });
  expect(existsSync(workspace), at).toBe(false);
  if (signal === null) expect(Number(readFileSync(join(dir, "count"), "utf8"))).toBeGreaterThan(20);
  return signal === "SIGKILL";
}

/** Every fourth step, from one that the seed chooses: four seeds in a row cover all. */
const STRIDE = 4;

it.each(["before", "after"])(
  "lands once, and gated, when it is killed %s its git commands",
  { timeout: 900_000 },
  async (when) => {
    let at = 1 + ((FUZZ.seed + (when === "after" ? 2 : 0)) % STRIDE);
    while (await landKilled(`${at}.${when}`)) at += STRIDE;
    expect(at).toBeGreaterThan(20);
  },
);
