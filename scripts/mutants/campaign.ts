/** Chooses the test file that judges the next faults: each fault is shown to the nearest test files that import its file, then the fastest. */

import type { Known } from "./known.ts";
import type { Lane } from "./lane.ts";
import type { Order } from "./protocol.ts";
import type { Related } from "./related.ts";
import type { Fault } from "./switch.ts";

export type State = {
  readonly fault: Fault;
  verdict: "alive" | "killed" | "timed out" | "judged";
  /** The time of the tests that ran with it. */
  ms: number;
  /** Test files that have judged it. */
  readonly asked: Set<string>;
};

/** A test file is given up after this much silence, and at least after this many times of what it takes. */
const SILENCE_MS = 60_000;
const SLOWER = 5;
/** From so many faults on, half of them are left to the other lane. */
const SHARED = 60;
/** The number of nearest quick test files that judge a fault before all others. */
const NEAR = 3;
const QUICK_MS = 1_500;
/** Then the test files by their distance from its file: the first so many, the next ones, all others. */
const RANKS = [6, 20, Number.POSITIVE_INFINITY];

export class Campaign {
  private readonly states: ReadonlyMap<number, State>;
  private readonly tests: readonly { readonly test: string; readonly faults: readonly State[] }[];
  private readonly known: Known;
  private readonly limit: number;
  private readonly inWork = new Set<State>();
  private readonly unusable = new Set<string>();
  /** Faults that made their process unfit for others once. The second time is a verdict. */
  private readonly doubted = new Set<string>();
  /** Faults to judge in a process of their own, for each test file. */
  private readonly imported = new Map<State, Set<string>>();

  constructor(states: readonly State[], related: Related, known: Known, limit: number) {
    this.states = new Map(states.map((state) => [state.fault.id, state]));
    this.known = known;
    this.limit = limit;
    const parts: Map<string, State[]>[] = [new Map(), ...RANKS.map(() => new Map())];
    const show = (nth: number, test: string, state: State): unknown =>
      parts[nth]?.set(test, [...(parts[nth].get(test) ?? []), state]);
    for (const state of states) {
      const tests = related.of(state.fault.file);
      for (const test of tests.filter((one) => this.timeOf(one) < QUICK_MS).slice(0, NEAR))
        show(0, test, state);
      for (const [rank, test] of tests.entries())
        show(1 + RANKS.findIndex((most) => rank < most), test, state);
    }
    this.tests = parts.flatMap((part) =>
      [...part]
        .map(([test, faults]) => ({ test, faults }))
        .sort((a, b) => this.timeOf(a.test) - this.timeOf(b.test)),
    );
  }

  /** Calls `after` when a test file has judged its faults. */
  async run(lanes: readonly Lane[], after: () => void): Promise<void> {
    await Promise.all(lanes.map((lane) => this.work(lane, after)));
  }

  private async work(lane: Lane, after: () => void): Promise<void> {
    for (;;) {
      const next = this.next();
      if (next === null && this.inWork.size === 0) return;
      if (next === null) await new Promise((done) => setTimeout(done, 200));
      else {
        for (const state of next.faults) this.inWork.add(state);
        if (next.isImported) await this.judgeImported(lane, next.test, next.faults[0] as State);
        else await this.judge(lane, next.test, next.faults);
        for (const state of next.faults) this.inWork.delete(state);
        after();
      }
    }
  }

  private next(): { test: string; faults: State[]; isImported: boolean } | null {
    for (const { test, faults } of this.tests) {
      const open = faults.filter((one) => this.isOpen(one, test));
      const all = open.filter((one) => !one.asked.has(test));
      const share = all.length < SHARED ? all : all.slice(0, Math.ceil(all.length / 2));
      if (share.length > 0) return { test, faults: share, isImported: false };
      const imported = open.find((one) => this.imported.get(one)?.has(test));
      if (imported) return { test, faults: [imported], isImported: true };
    }
    return null;
  }

  private isOpen(state: State, test: string): boolean {
    const isOwn = test === state.fault.file.replace(/\.ts$/, ".test.ts");
    return (
      state.verdict === "alive" &&
      !this.inWork.has(state) &&
      !this.unusable.has(test) &&
      this.known.mayPass(test, state.fault) &&
      (isOwn || (state.ms < this.limit && this.timeOf(test) <= this.limit))
    );
  }

  private async judge(lane: Lane, test: string, faults: readonly State[]): Promise<void> {
    let todo = [...faults];
    for (let isCut = true; isCut && todo.length > 0; ) {
      isCut = false;
      const again = todo.filter((one) => this.isDoubted(one, test));
      const order = this.orderOf([...again, ...todo.filter((one) => !again.includes(one))]);
      let isPassed = false;
      let begun: State | null = null;
      const settle = (state: State): void => {
        if (!this.isDoubted(state, test)) todo = todo.filter((one) => one !== state);
      };
      const isDone = await lane.run(test, order, this.silence(test), (line) => {
        if (line.at === "unusable") console.log(`not used: ${test} ${line.why.slice(0, 200)}`);
        if (line.at === "passed") {
          isPassed = true;
          this.known.note(test, line.ms, line.passes);
        }
        if (line.at === "imported") for (const id of line.faults) this.importedBy(id, test);
        if (line.at === "begin") begun = this.stateOf(line.fault);
        if (line.at !== "end") return;
        const { verdict } = line;
        const state = this.stateOf(line.fault);
        begun = null;
        state.ms += line.ms;
        // The process ends after these two, and the other faults need a new one.
        isCut = verdict === "late" || verdict === "dirty";
        if (verdict === "late" || verdict === "dirty")
          this.doubt(state, test, verdict === "late" ? "timed out" : "killed");
        else this.doubted.delete(`${line.fault} ${test}`);
        if (verdict === "killed" || verdict === "timed out") state.verdict = verdict;
        settle(state);
      });
      if (!isPassed) {
        this.unusable.add(test);
        if (!isDone) console.log(`not used: ${test} takes too long`);
        return;
      }
      if (begun) {
        isCut = true;
        this.doubt(begun, test, "timed out");
        settle(begun);
      }
    }
    for (const state of faults) state.asked.add(test);
    const noticed = faults.filter((one) => one.verdict !== "alive").length;
    console.log(`${test}: ${noticed} of ${faults.length}`);
  }

  private async judgeImported(lane: Lane, test: string, state: State): Promise<void> {
    this.imported.get(state)?.delete(test);
    const since = Date.now();
    let verdict = "killed"; // A file that cannot even be imported tells nothing.
    const order: Omit<Order, "report"> = { faults: [], always: state.fault.id, left: {} };
    const isDone = await lane.run(test, order, this.silence(test), (line) => {
      if (line.at === "end") verdict = line.verdict;
    });
    state.ms += Date.now() - since;
    if (!isDone) state.verdict = "timed out";
    else if (verdict === "killed" || verdict === "timed out") state.verdict = verdict;
  }

  private orderOf(faults: readonly State[]): Omit<Order, "report"> {
    const left = Object.fromEntries(
      faults.map((one) => [one.fault.id, Math.max(0, this.limit - one.ms)] as const),
    );
    return { faults: faults.map((one) => one.fault.id), always: null, left };
  }

  private doubt(state: State, test: string, verdict: "killed" | "timed out"): void {
    const key = `${state.fault.id} ${test}`;
    if (this.doubted.delete(key)) state.verdict = verdict;
    else this.doubted.add(key);
  }

  private isDoubted(state: State, test: string): boolean {
    return this.doubted.has(`${state.fault.id} ${test}`);
  }

  private importedBy(id: number, test: string): void {
    const state = this.stateOf(id);
    this.imported.set(state, (this.imported.get(state) ?? new Set()).add(test));
  }

  private stateOf(id: number): State {
    return this.states.get(id) as State;
  }

  private silence(test: string): number {
    return Math.max(SILENCE_MS, SLOWER * this.timeOf(test));
  }

  private timeOf(test: string): number {
    return this.known.timeOf(test) ?? 1_000;
  }
}
