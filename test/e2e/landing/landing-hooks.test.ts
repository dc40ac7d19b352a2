/**
 * A landing whose git hangs in a hook of the person, and whose process is killed there: git and its hook end with it, no lock stays,
 * and the next owner, who did the work in another way, does not land the task a second time.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isAlive, processesOf } from "../../../src/adapters/process-table.ts";
import { createShell } from "../../../src/adapters/shell/index.ts";
import { wordsOf } from "../../fixtures/built.ts";
import { FUZZ, sampled } from "../../fixtures/fuzz.ts";
import { landing, openTrees, writeWork } from "../../fixtures/landing-trees.ts";
import { type Repository, repository } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";

const HOOKS = [
  ...[
    "reference-transaction",
    "post-index-change",
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
  ],
  ...["post-checkout", "pre-rebase", "post-rewrite", "post-merge"],
];
/** Counts its calls. One of them reads none of its input, ignores the end of git, and hangs. */
const HOOK = `#!/bin/sh
[ -n "$TEST_COUNT" ] || exit 0
echo "$(basename "$0") $1" >> "$TEST_COUNT"
[ "$(wc -l < "$TEST_COUNT")" = "$TEST_HANG" ] || exit 0
trap '' TERM HUP INT
echo > "$TEST_COUNT.hangs"
while :; do sleep 1; done
`;
const task = (attempt: number) => ({ ...landing.task(1), attempt });

type Where = "checked out" | "not checked out";

/** Returns the hook in which it was killed, or null when there is no such call. */
async function killedInHook(repo: Repository, where: Where, nth: number): Promise<string | null> {
  const count = join(repo.dir, ".ekiden", "count");
  const owner = spawn(process.execPath, [...wordsOf("landing-owner"), repo.dir, "true"], {
    env: {
      ...process.env,
      ...{ TEST_ATTEMPT: "1", TEST_TRUSTED: "1", TEST_COUNT: count, TEST_HANG: String(nth) },
      ...(where === "not checked out" && { TEST_TARGET: "release" }),
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise<void>((done) => owner.once("close", () => done()));
  const left = (): number[] => processesOf(`TEST_COUNT=${count}\0`);
  onTestFinished(() => {
    owner.kill("SIGKILL");
    for (const pid of left().filter(isAlive)) process.kill(pid, "SIGKILL");
  });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  await soon(() => expect(isOver || existsSync(`${count}.hangs`)).toBe(true));
  owner.kill("SIGKILL");
  await ended;
  const calls = readFileSync(count, "utf8").trim().split("\n");
  if (!existsSync(`${count}.hangs`)) return null;
  // Without its end the hook would hold git's locks, and move the target later.
  await soon(() => expect(left()).toEqual([]));
  return calls[nth - 1] ?? "";
}

async function landTwice(where: Where, nth: number): Promise<string | null> {
  const repo = repository({ "a.txt": "a\n" });
  const target = where === "checked out" ? "main" : "release";
  if (target !== "main") repo.git("branch", target);
  for (const name of HOOKS) {
    writeFileSync(join(repo.dir, ".git", "hooks", name), HOOK);
    chmodSync(join(repo.dir, ".git", "hooks", name), 0o755);
  }
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const open = () => openTrees(repo.dir, shell, { gate: "true", target, trusted: true });
  await writeWork(await open(), task(1), { "1.txt": "one\n" });
  const hook = await killedInHook(repo, where, nth);
  const at = `call ${nth}: ${hook}`;
  const next = await open();
  await writeWork(next, task(2), { "1.txt": "done again\n", "2.txt": "more\n" });
  expect(await next.land(task(2), landing.by), at).toMatchObject({ kind: "landed" });
  const log = repo.git("log", "--format=%s", target).split("\n");
  expect(log, at).toEqual(["Task 1", "First"]);
  expect(repo.git("status", "--porcelain", "--untracked-files=no"), at).toBe("");
  expect(locksIn(join(repo.dir, ".git")), at).toEqual([]);
  return hook;
}

const locksIn = (dir: string): string[] =>
  (readdirSync(dir, { recursive: true }) as string[]).filter((path) => path.endsWith(".lock"));

/** Every third call, from one that the seed chooses: three seeds in a row cover all. */
const STRIDE = 3;

it.each(sampled(["checked out", "not checked out"] as const, 2))(
  "lands a task once whose process is killed while a hook of git hangs: the target is %s",
  { timeout: 600_000 },
  async (where) => {
    const hooks = new Set<string>();
    for (let nth = 1 + (FUZZ.seed % STRIDE); ; nth += STRIDE) {
      const hook = await landTwice(where, nth);
      if (hook === null) break;
      hooks.add(hook);
    }
    expect([...hooks].join()).toMatch(/reference-transaction/);
    expect(hooks.size).toBeGreaterThan(1);
  },
);
