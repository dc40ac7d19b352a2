/**
 * (l) Landings per minute with a gate that only sleeps: eight tasks that wait, gates one at a time and four at once, all green and
 * with one red in eight. The floor is one at a time, in the same run. Then what the look for signals of tampering adds to one.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createShell } from "../src/adapters/shell/index.ts";
import { boardIn, endTask } from "../test/fixtures/landing-board.ts";
import { landing, openTrees, writeWork } from "../test/fixtures/landing-trees.ts";
import { looks } from "./look.ts";
import { type Figure, figure, type Item, median } from "./measure.ts";
import { freshFolder } from "./stage.ts";

const TASKS = 8;
/** Less than the usual 20: the work of git for a landing weighs four times as much. */
const GATE_SECONDS = 5;
const PARALLEL = 4;
/** In the middle: those behind it have begun on it. */
const RED = 4;

export const landings: Item = async (quick) => {
  const serial: number[] = [];
  const parallel: number[] = [];
  const withRed: number[] = [];
  for (let i = 0; i < (quick ? 1 : 3); i += 1) {
    serial.push(await perMinute(1, null));
    parallel.push(await perMinute(PARALLEL, null));
    withRed.push(await perMinute(PARALLEL, RED));
  }
  const rate = (name: string, samples: readonly number[], atLeast: number | null): Figure =>
    figure({
      item: "l",
      name: `landings, ${name}`,
      unit: "per minute",
      value: median(samples),
      ...(atLeast !== null && {
        floor: median(serial),
        budget: { of: "ratio", atLeast } as const,
      }),
      samples,
      note: `${TASKS} tasks wait, the gate sleeps ${GATE_SECONDS} s`,
    });
  return [
    rate("one gate at a time", serial, null),
    rate(`${PARALLEL} gates at once`, parallel, 3),
    rate(`${PARALLEL} gates at once, one red in ${TASKS}`, withRed, 2),
    ...(await looks(quick)),
  ];
};

async function perMinute(gateParallel: number, red: number | null): Promise<number> {
  const dir = freshFolder();
  const git = (...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=B", "-c", "user.email=b@example.org", ...args], { cwd: dir });
  };
  git("init", "--quiet", "--initial-branch", "main");
  git("commit", "--quiet", "--allow-empty", "--message", "First");
  const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
  const trees = await openTrees(dir, shell, { gate: `sleep ${GATE_SECONDS}; ! test -e red`, gateParallel });
  const tasks = Array.from({ length: TASKS }, (_, i) => landing.task(i + 1));
  for (const task of tasks)
    await writeWork(trees, task, { [task.id === red ? "red" : `${task.id}.txt`]: "x\n" });
  // A team has its store open when it lands.
  const { store } = await boardIn(dir, landing.by.seat.name);
  const since = performance.now();
  const ends = await Promise.all(
    tasks.map(async (task) => {
      const { kind } = await trees.land(task, landing.by);
      // As the embedded model's does.
      if (kind === "refused") await endTask(dir, task.id);
      return kind === "landed" ? performance.now() : since;
    }),
  );
  await Promise.all([shell.close(), store.close()]);
  const landed = ends.filter((at) => at > since).length;
  if (landed !== TASKS - (red === null ? 0 : 1)) throw new Error(`${landed} of ${TASKS} tasks have landed.`);
  return (landed / (Math.max(...ends) - since)) * 60_000;
}
