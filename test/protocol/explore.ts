/** Visits every state that the operations can reach, and judges every step. Breadth first, so that a trace is a shortest one. */

import { brokenBy } from "./invariants.ts";
import { keyOf } from "./key.ts";
import {
  BLOCKERS,
  type Decisions,
  hostOf,
  MEMBERS,
  type Op,
  PROCESSES,
  runs,
  START,
  type State,
  step,
  TASKS,
} from "./model.ts";

/** The bounds of a search for each kind of trouble. Zero leaves the operations out. */
export type Bounds = {
  readonly crashes: number;
  /** Leases that run out while their processes live. */
  readonly expiries: number;
  readonly takeBacks: number;
  readonly letters: number;
  readonly tasks: number;
  /** Whether completions may be sent and carried out later. */
  readonly flights: boolean;
};

/** All operations that anybody could do now. A process uses whatever it believes, whether or not it is still true. */
export function operations(state: State, bounds: Bounds): Op[] {
  const ops: Op[] = [];
  const letters = state.unread.length + state.delivered.length;
  // A process that can see a dead one acts differently only where there is a dead one.
  const views = state.crashes > 0 ? [false, true] : [false];
  for (let process = 0; process < PROCESSES; process += 1) {
    const host = hostOf(state, process);
    if (state.lives[process] === -1) {
      ops.push({ op: "restart", process });
      continue;
    }
    if (state.lives[process] === 0 && state.crashes < bounds.crashes) ops.push({ op: "crash", process });
    if (state.leases[host] === "live" && state.expiries < bounds.expiries) ops.push({ op: "expire", host });
    if (state.leases[host] === "over") ops.push({ op: "beat", host });
    if (state.leases[host] === "none") ops.push({ op: "open", host });
    for (let member = 0; member < MEMBERS; member += 1) {
      if (state.seats[member] !== host && state.leases[host] !== "none")
        for (const sees of views) ops.push({ op: "adopt", host, member, sees });
      if (member !== process && state.seats[member] !== host) continue;
      // The member it began with, whether or not it still hosts it, and all that it adopted.
      for (let task = 0; task < bounds.tasks; task += 1) ops.push({ op: "claim", host, member, task });
      if (bounds.letters === 0) continue;
      if (letters < bounds.letters)
        for (let to = 0; to < MEMBERS; to += 1)
          if (to !== member) ops.push({ op: "send", host, from: member, to });
      ops.push({ op: "deliver", host, member });
    }
  }
  // The lease of a dead process runs out too.
  for (const [host, lease] of state.leases.entries())
    if (lease === "live" && !runs(state, host)) ops.push({ op: "expire", host });
  for (const claim of state.believed) {
    ops.push({ op: "complete", claim }, { op: "release", claim });
    if (bounds.flights && !state.flight) ops.push({ op: "issue", claim });
  }
  if (state.flight) ops.push({ op: "land" });
  for (const sees of views) ops.push({ op: "reap", sees });
  if (state.takenBack < bounds.takeBacks)
    for (let task = 0; task < TASKS; task += 1)
      if (state.tasks[task]?.status === "in_progress") ops.push({ op: "takeBack", task });
  return ops;
}

export type Exploration = {
  readonly states: number;
  readonly steps: number;
  /** The first broken invariant, with the shortest way there. */
  readonly broken: { readonly what: string; readonly trace: readonly Op[] } | null;
  /** States from which the work can no longer be ended. */
  readonly stuck: number;
  /** Traces to states of the search, one for each of `samples` states spread over it. */
  trace(state: number): Op[];
};

/** All work is over, or waits for work that failed; all mail is read. */
const isGoal = (state: State, tasks: number): boolean =>
  state.unread.length === 0 &&
  state.tasks.every(
    ({ status }, id) =>
      id >= tasks ||
      status === "completed" ||
      status === "failed" ||
      (BLOCKERS[id] ?? []).some((blocker) => blocker >= tasks || state.tasks[blocker]?.status === "failed"),
  );

export function explore(bounds: Bounds, store?: Decisions): Exploration {
  const states: State[] = [START];
  const numbers = new Map([[keyOf(START), 0]]);
  const parents: { readonly from: number; readonly op: Op }[] = [{ from: -1, op: { op: "land" } }];
  const edges: number[] = []; // pairs: from, to
  let steps = 0;
  const trace = (state: number): Op[] => {
    const ops: Op[] = [];
    for (let at = state; at > 0; at = parents[at]?.from ?? 0) ops.unshift((parents[at] as { op: Op }).op);
    return ops;
  };
  for (let at = 0; at < states.length; at += 1) {
    const state = states[at] as State;
    for (const op of operations(state, bounds)) {
      const next = step(state, op, store);
      steps += 1;
      if (next.state === state) continue; // refused: the invariants speak of changes
      const what = brokenBy(state, op, next);
      if (what)
        return { states: states.length, steps, broken: { what, trace: [...trace(at), op] }, stuck: 0, trace };
      const key = keyOf(next.state);
      let number = numbers.get(key);
      if (number === undefined) {
        number = states.push(next.state) - 1;
        numbers.set(key, number);
        parents.push({ from: at, op });
      }
      edges.push(at, number);
    }
  }
  return {
    states: states.length,
    steps,
    broken: null,
    stuck: countStuck(states, edges, bounds.tasks),
    trace,
  };
}

/** Backwards from all goals: a state that is not reached cannot reach one. */
function countStuck(states: readonly State[], edges: readonly number[], tasks: number): number {
  const degree = new Uint32Array(states.length + 1);
  for (let i = 1; i < edges.length; i += 2) degree[(edges[i] as number) + 1]! += 1;
  for (let i = 0; i < states.length; i += 1) degree[i + 1]! += degree[i]!;
  const sources = new Uint32Array(edges.length / 2);
  const fill = degree.slice();
  for (let i = 0; i < edges.length; i += 2) sources[fill[edges[i + 1] as number]!++] = edges[i] as number;
  const reaches = new Uint8Array(states.length);
  const queue: number[] = [];
  for (const [i, state] of states.entries()) if (isGoal(state, tasks)) queue.push(i);
  for (const i of queue) reaches[i] = 1;
  for (let at = 0; at < queue.length; at += 1) {
    const to = queue[at] as number;
    for (let i = degree[to]!; i < degree[to + 1]!; i += 1) {
      const from = sources[i]!;
      if (reaches[from] === 1) continue;
      reaches[from] = 1;
      queue.push(from);
    }
  }
  return states.length - queue.length;
}
