/** Works a board off in virtual time, as the scheduler gives out tasks, and with what wrong edges and files cost. */
import { overlapping } from "../../src/core/board/touches.ts";
import type { Planned } from "../../src/core/plan/remarks.ts";
import type { Truth } from "./boards.ts";

/** `minutes`: until all is done. `conflicts`: landings that met a change of the same file that was made meanwhile. */
export type Ran = { readonly minutes: number; readonly conflicts: number; readonly landings: number };

/** The share of the work that a conflict costs once more. */
const REDONE = 0.3;

type Run = { readonly id: number; readonly from: number; readonly until: number; readonly isRedone: boolean };

export function runBoard(truth: readonly Truth[], plan: readonly Planned[], workers: number): Ran {
  const of = new Map(truth.map((one) => [one.id, one]));
  const open = new Map(plan.map((task) => [task.id as number, task]));
  const all = new Map(open);
  const done = new Map<number, Run>();
  const running: Run[] = [];
  let [now, conflicts, landings] = [0, 0, 0];
  while (open.size > 0 || running.length > 0) {
    for (const [id, task] of [...open].sort(([a], [b]) => tail(all, b) - tail(all, a))) {
      if (running.length >= workers) break;
      if (!task.blockedBy.every((one) => done.has(one))) continue;
      if (running.some((one) => overlapping(all.get(one.id)?.touches ?? [], task.touches))) continue;
      open.delete(id);
      running.push({ id, from: now, until: now + (of.get(id)?.minutes ?? 0), isRedone: false });
    }
    running.sort((a, b) => a.until - b.until);
    const ended = running.shift();
    if (!ended) throw new Error("the board waits for itself");
    now = ended.until;
    const { needs = [], files = [], minutes = 0 } = of.get(ended.id) ?? {};
    // Its check is red until what it uses is there: then it is done again.
    const early = needs.filter((one) => !done.has(one) || (done.get(one)?.until ?? 0) > ended.from);
    if (early.length > 0) {
      const waits = needs.every((one) => done.has(one));
      if (waits) running.push({ id: ended.id, from: now, until: now + minutes, isRedone: false });
      else
        open.set(ended.id, { ...(all.get(ended.id) as Planned), blockedBy: needs as Planned["blockedBy"] });
      continue;
    }
    const isConflict = [...done.values()].some(
      (one) => one.until > ended.from && (of.get(one.id)?.files ?? []).some((file) => files.includes(file)),
    );
    landings += 1;
    if (isConflict && !ended.isRedone) {
      conflicts += 1;
      running.push({ id: ended.id, from: now, until: now + minutes * REDONE, isRedone: true });
      continue;
    }
    done.set(ended.id, ended);
  }
  return { minutes: now, conflicts, landings };
}

/** Tasks at the head of the longest chain go first. */
function tail(tasks: ReadonlyMap<number, Planned>, id: number): number {
  const behind = [...tasks.values()].filter(({ blockedBy }) => blockedBy.includes(id as never));
  return 1 + Math.max(0, ...behind.map((task) => tail(tasks, task.id)));
}
