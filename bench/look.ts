/**
 * What the look for signals of tampering adds to a landing that has none: landings of the same change in two repositories, in turn,
 * with the look and without it. Paired milliseconds: of the processors, with those of git and the gate, and as the member waits for them.
 * The latter say something on a machine that does nothing else.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createShell } from "../src/adapters/shell/index.ts";
import { boardIn } from "../test/fixtures/landing-board.ts";
import { landing, openTrees, writeWork } from "../test/fixtures/landing-trees.ts";
import { type Figure, figure, median, quantile } from "./measure.ts";
import { freshFolder } from "./stage.ts";

const FILES = 200;
/** The worst case is a gate that takes no time: the look is over before any other one ends. */
const GATES = { "no time": "sh check.sh", "0.2 s": "sh check.sh && sleep 0.2" } as const;
const AT_MOST_MS = 5;

/** The figures of both gates. */
export async function looks(quick: boolean): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [takes, gate] of Object.entries(GATES)) {
    const [on, off] = [await place(gate, "second gate"), await place(gate, "off")];
    const pairs: Spent[] = [];
    const without: number[] = [];
    // The first ones read git and the store into memory.
    for (let nth = -3; nth < (quick ? 30 : 100); nth += 1) {
      // Each is first as often as the other one.
      const [first, second] = nth % 2 === 0 ? [on, off] : [off, on];
      const [a, b] = [await first.land(), await second.land()];
      if (nth < 0) continue;
      const [looked, plain] = first === on ? [a, b] : [b, a];
      pairs.push({ ms: looked.ms - plain.ms, cpuMs: looked.cpuMs - plain.cpuMs });
      without.push(plain.ms);
    }
    await Promise.all([on.close(), off.close()]);
    const more = (name: string, value: number, samples: readonly number[], of: string): Figure =>
      figure({
        ...{ item: "l", name: `the look at a landing, gate of ${takes}, ${name}`, unit: "ms more" },
        ...{ value, samples, budget: { of: "value", atMost: AT_MOST_MS } },
        note: `${of} of pairs; the middle half from ${at(samples, 0.25)} to ${at(samples, 0.75)}; a landing without it takes ${Math.round(median(without))} ms`,
      });
    const [cpu, wait] = [pairs.map((one) => one.cpuMs), pairs.map((one) => one.ms)];
    // Steps of 10 ms have no median.
    const mean = cpu.reduce((sum, one) => sum + one, 0) / cpu.length;
    figures.push(more("processors", mean, cpu, "mean"), more("wait", median(wait), wait, "median"));
  }
  return figures;
}

type Spent = { readonly ms: number; readonly cpuMs: number };

const at = (samples: readonly number[], q: number): number => Math.round(quantile(samples, q));

/** Of this process and, in steps of 10 ms, of those that it has started and that have ended: see proc(5). */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (user + system) / 1_000 + 10 * (Number(fields[13]) + Number(fields[14]));
}

async function place(gate: string, tampering: "second gate" | "off") {
  const dir = freshFolder();
  const git = (...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=B", "-c", "user.email=b@example.org", ...args], { cwd: dir });
  };
  git("init", "--quiet", "--initial-branch", "main");
  for (const folder of ["src", "test"]) mkdirSync(join(dir, folder));
  writeFileSync(join(dir, "check.sh"), "set -e\ntest -d src\ntest -d test\n");
  for (let nth = 0; nth < FILES; nth += 1) {
    writeFileSync(join(dir, "src", `${nth}.js`), `export const n${nth} = ${nth};\n`.repeat(20));
    writeFileSync(join(dir, "test", `${nth}.test.js`), test(nth, "first"));
  }
  git("add", ".");
  git("commit", "--quiet", "--message", "First");
  const shell = createShell({ outputDir: join(dir, ".ekiden", "output") });
  const trees = await openTrees(dir, shell, { gate, tampering });
  const { store } = await boardIn(dir, landing.by.seat.name);
  let nth = 0;
  return {
    land: async (): Promise<Spent> => {
      nth += 1;
      const task = landing.task(nth);
      await writeWork(trees, task, {
        [`src/${nth}.js`]: `export const n${nth} = ${nth} + 1;\n`.repeat(60),
        [`test/${nth}.test.js`]: `${test(nth, "first")}\n${test(nth, "second")}`,
      });
      const [since, used] = [performance.now(), usedMs()];
      const { kind } = await trees.land(task, landing.by);
      const spent = { ms: performance.now() - since, cpuMs: usedMs() - used };
      if (kind !== "landed") throw new Error(`Task ${nth} is ${kind}.`);
      await trees.remove(task);
      return spent;
    },
    close: () => Promise.all([shell.close(), store.close()]),
  };
}

const test = (nth: number, name: string): string =>
  `it("${name}", () => {\n  assert.equal(n${nth}, ${nth});\n});\n`.repeat(10);
