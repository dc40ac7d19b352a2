/**
 * The runner of vitest in the process of one test file. It runs the tests twice without a fault, to see that they pass and which test
 * passes which switches. Then it turns on one fault after the other and runs the tests that pass its switch, until one fails. After a
 * failure the same tests run without the fault: a test that fails then, too, says nothing about the fault.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { type File, type Suite, startTests, type Task } from "@vitest/runner";
import { getTests, hasFailed } from "@vitest/runner/utils";
import { TestRunner } from "vitest";
import { type Line, ORDER, type Order, type Seen } from "./protocol.ts";

/** A fault loops if it passes this many times the switches that the tests pass without it. */
const LOOPS = 50;
const LEAST_PASSES = 100_000;
const IMPORT_PASSES = 20_000_000;
/** A test is given up after this many times of what the slowest of its file took without a fault. */
const SLOWER = 5;
const LEAST_MS = 3_000;

/** Passed while the file was imported or a hook ran, so that any test may depend on it. */
const ALL = "";

type Passes = { readonly of: Map<string, Set<number>>; count: number };
type Outcome = { readonly failed: readonly string[]; readonly isLate: boolean; readonly ms: number };

const order = JSON.parse(readFileSync(process.env[ORDER] as string, "utf8")) as Order;
const tell = (line: Line): void => appendFileSync(order.report, `${JSON.stringify(line)}\n`);

let on = order.always;
let current = ALL;
let passes: Passes = { of: new Map(), count: 0 };
let most = order.always === null ? Number.POSITIVE_INFINITY : IMPORT_PASSES;
let isWatched = true;
/** Errors that no test caught, such as a rejected promise that nobody waits for. */
let stray = 0;
// Vitest binds some methods to the outer runner, so the state of both is here.
let isInner = false;
let only: ReadonlySet<string> | null = null;
let failedTests: string[] = [];

Object.assign(globalThis, {
  __ekidenFault: (id: number): boolean => {
    passes.count += 1;
    if (passes.count > most) throw new Error("The fault loops.");
    if (isWatched) {
      const known = passes.of.get(current);
      if (known) known.add(id);
      else passes.of.set(current, new Set([id]));
    }
    return id === on;
  },
});
for (const event of ["unhandledRejection", "uncaughtException"]) process.on(event, () => (stray += 1));

export default class Judge extends TestRunner {
  override async onBeforeRunTask(test: Task): Promise<void> {
    if (failedTests.length > 0) test.mode = "skip";
    current = test.id;
    await super.onBeforeRunTask(test as never);
  }

  override onAfterRunTask(test: Task): void {
    current = ALL;
    if (test.result?.state === "fail") failedTests.push(test.id);
    super.onAfterRunTask(test as never);
  }

  override async onAfterRunSuite(suite: Suite): Promise<void> {
    if (!isInner) await super.onAfterRunSuite(suite as never);
  }

  /** Called after the file ran for vitest. The answer to vitest does not matter: the report holds the verdicts. */
  override async onAfterRunFiles(files: readonly File[] = []): Promise<void> {
    if (isInner) return;
    super.onAfterRunFiles();
    for (const file of files) await this.judge(file);
  }

  private async judge(file: File): Promise<void> {
    const ms = (file.collectDuration ?? 0) + (Date.now() - (file.result?.startTime ?? Date.now()));
    const isPassed = failedTests.length === 0 && !hasFailed(file) && stray === 0;
    if (order.always !== null) {
      const verdict = isPassed ? "alive" : passes.count > most ? "timed out" : "killed";
      return tell({ at: "end", fault: order.always, verdict, ms });
    }
    if (!isPassed) return tell({ at: "unusable", why: errorsOf(file) });
    const inFirst = idsOf(passes);
    const passed: Line = { at: "passed", ms, passes: [...inFirst] };
    if (!order.faults.some((id) => inFirst.has(id))) return tell(passed);
    const slowest = Math.max(0, ...getTests(file).map((test) => test.result?.duration ?? 0));
    const inner = this.inner(Math.max(LEAST_MS, SLOWER * slowest));
    passes = { of: new Map(), count: 0 };
    const again = await inner.once(file, null);
    if (again.failed.length > 0) return tell({ at: "unusable", why: "fails when it runs again" });
    tell(passed);
    const second = passes;
    isWatched = false;
    const inSecond = idsOf(second);
    tell({ at: "imported", faults: order.faults.filter((id) => inFirst.has(id) && !inSecond.has(id)) });
    for (const fault of order.faults) {
      if (!inSecond.has(fault)) continue;
      const verdict = await this.verdictOf(fault, file, inner, second);
      if (verdict === "dirty" || verdict === "late") return;
    }
  }

  private async verdictOf(fault: number, file: File, inner: Judge, usual: Passes): Promise<Seen> {
    tell({ at: "begin", fault });
    const reaching = [...usual.of].filter(([, ids]) => ids.has(fault)).map(([test]) => test);
    const tests = reaching.includes(ALL) ? null : this.affordable(file, reaching, order.left[fault] ?? 0);
    on = fault;
    most = LEAST_PASSES + LOOPS * usual.count;
    const seen = await inner.once(file, tests);
    const isLooping = passes.count > most;
    on = null;
    most = Number.POSITIVE_INFINITY;
    let verdict: Seen = seen.isLate ? "late" : "alive";
    if (verdict === "alive" && seen.failed.length > 0) {
      const sane = await inner.once(file, tests === null ? null : new Set(seen.failed));
      verdict = sane.failed.length > 0 ? "dirty" : isLooping ? "timed out" : "killed";
    }
    tell({ at: "end", fault, verdict, ms: seen.ms });
    return verdict;
  }

  /** The quickest tests, as many as the time allows, and one at least. */
  private affordable(file: File, reaching: readonly string[], left: number): Set<string> {
    const took = new Map(getTests(file).map((test) => [test.id, test.result?.duration ?? 0]));
    const sorted = [...reaching].sort((a, b) => (took.get(a) ?? 0) - (took.get(b) ?? 0));
    let ms = 0;
    const isAffordable = (test: string, i: number): boolean => {
      ms += took.get(test) ?? 0;
      return ms <= left || i === 0;
    };
    return new Set(sorted.filter(isAffordable));
  }

  /** A runner that runs the file again without a word to vitest, with the modules that are loaded. */
  private inner(testTimeout: number): Judge {
    const inner = Object.create(this) as Judge;
    const config = { ...this.config, testTimeout, hookTimeout: testTimeout };
    const silent = { onTaskUpdate: async () => {}, onCollectStart: () => {}, onCollected: inner.select };
    return Object.assign(inner, { config, ...silent });
  }

  private select(files: readonly File[]): void {
    if (only !== null) for (const file of files) skipOthers(file, only);
  }

  override importFile(path: string, source: "collect" | "setup"): unknown {
    if (isInner) {
      const { evaluatedModules } = (this as unknown as WithModules).workerState;
      const known = evaluatedModules.getModuleById(path);
      if (known) evaluatedModules.invalidateModule(known);
    }
    return super.importFile(path, source);
  }

  private async once({ filepath }: File, tests: ReadonlySet<string> | null): Promise<Outcome> {
    const since = Date.now();
    only = tests;
    failedTests = [];
    passes.count = 0;
    stray = 0;
    isInner = true;
    const [file] = await startTests([filepath], this as never);
    await new Promise((done) => setImmediate(done));
    const errors = file ? errorsOf(file) : "";
    const isFailed = file === undefined || hasFailed(file) || stray > 0;
    const failed = failedTests.length === 0 && isFailed ? [...(tests ?? [ALL])] : failedTests;
    return { failed, isLate: /timed out in \d+ms/.test(errors), ms: Date.now() - since };
  }
}

const idsOf = ({ of }: Passes): Set<number> => new Set([...of.values()].flatMap((ids) => [...ids]));

type WithModules = {
  readonly workerState: {
    readonly evaluatedModules: {
      getModuleById(id: string): object | undefined;
      invalidateModule(module: object): void;
    };
  };
};

/** Marks all other tests and the suites without one of `only`, so that their hooks do not run. */
function skipOthers(task: Task, only: ReadonlySet<string>): boolean {
  const isOn =
    task.type === "suite" ? task.tasks.map((one) => skipOthers(one, only)).includes(true) : only.has(task.id);
  if (!isOn) task.mode = "skip";
  return isOn;
}

function errorsOf(task: Task): string {
  const own = task.result?.errors?.map((error) => error.message) ?? [];
  return [...own, ...(task.type === "suite" ? task.tasks.map(errorsOf) : [])].filter(Boolean).join("; ");
}
