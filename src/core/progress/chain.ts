/**
 * A chain is work with one budget: a task of the plan with all its attempts and all tasks that come from it, or the rest of a run (the goal):
 * calls of members without a task, and the tasks that the lead adds once its plan is done. Pure accounting; `host/brakes.ts` acts on it.
 */
import { isFinished, type Task } from "../board/task.ts";
import { ROOTS, rootOf } from "../board/task-depth.ts";
import { LEAD, type TaskId } from "../ids.ts";
import { oneLine } from "../text/one-line.ts";
import { lineOf, type Step, stepLine } from "./steps.ts";

/** Somebody looks after so many calls, then after twice as many, up to the most. */
const LOOK_AFTER = 60;
const LOOK_MOST = 240;
/** And after so much of its money, because calls with much text use up the budget in a few. */
const LOOK_SHARE = 0.4;
/** A team without a completed task is looked at after so many. */
export const TEAM_LOOK_AFTER = 150;
const WARN_AT = 0.8;
const STEPS_KEPT = 30;
const CHECKS_KEPT = 10;
const CHECK =
  /\b(?:tests?|check|lint|build|tsc|make|pytest|vitest|jest|mypy|ruff|gradlew?|mvn|ctest|clippy|vet)\b/;

export type ChainLimits = { readonly usd: number; readonly calls: number };
export type Due = "fine" | "look" | "warn" | "over";

export class Chain {
  /** Null: the goal, or the whole team. */
  readonly root: TaskId | null;
  calls = 0;
  usd = 0;
  /** The last calls, and the results of checks over time, a line each. */
  readonly steps: string[] = [];
  readonly checks: string[] = [];
  private gap: number;
  private next: number;
  /** What it had used at the last look. */
  private seenUsd = 0;
  private warned = false;
  /** What it had used when its root was completed. */
  done: { readonly usd: number; readonly calls: number } | null = null;
  private ended = false;

  constructor(root: TaskId | null, lookAfter = LOOK_AFTER) {
    this.root = root;
    this.gap = lookAfter;
    this.next = lookAfter;
  }

  take(who: string, usd: number, steps: readonly Step[], said: string): void {
    this.calls += 1;
    this.usd += usd;
    const lines = steps.length > 0 ? steps.map(stepLine) : [`says: ${oneLine(said, 100)}`];
    keep(this.steps, STEPS_KEPT, ...lines.map((line) => `${this.calls} ${who}: ${line}`));
    const checks = steps.filter((step) => CHECK.test(lineOf(step) ?? ""));
    keep(this.checks, CHECKS_KEPT, ...checks.map((step) => `call ${this.calls}: ${stepLine(step)}`));
  }

  /** Its tasks were ended. When they are tried again, what they used stays used, and a look comes as in the first attempt. */
  get isOver(): boolean {
    return this.ended;
  }

  set isOver(isOver: boolean) {
    this.ended = isOver;
    if (isOver) [this.gap, this.next, this.seenUsd] = [LOOK_AFTER, this.calls + LOOK_AFTER, this.usd];
  }

  due({ usd, calls }: ChainLimits): Due {
    const used = Math.max(this.usd / usd, this.calls / calls);
    if (used >= 1) return "over";
    if (this.calls >= this.next || this.usd - this.seenUsd >= LOOK_SHARE * usd) {
      this.seenUsd = this.usd;
      this.gap = Math.min(LOOK_MOST, 2 * this.gap);
      this.next = this.calls + this.gap;
      return "look";
    }
    if (used < WARN_AT || this.warned) return "fine";
    this.warned = true;
    return "warn";
  }
}

function keep(lines: string[], most: number, ...more: readonly string[]): void {
  lines.push(...more);
  lines.splice(0, lines.length - most);
}

/**
 * The task of the plan from which a task comes; null for one that the lead added after its plan was done, which belongs to the goal.
 * `rests`: when the lead rested; `since`: when the person last said something. A plan is what the lead adds between two rests, and all
 * that the person added.
 */
export function plannedFor(
  task: Task,
  tasks: readonly Task[],
  rests: readonly number[],
  since: number,
): TaskId | null {
  const planOf = ({ createdBy, createdAt }: Task): number =>
    createdBy === LEAD ? 1 + rests.filter((at) => at <= createdAt).length : 0;
  const root = rootOf(task, tasks);
  if (ROOTS.has(root.createdBy)) return root.id;
  const planned = tasks.filter(
    (one) => one.createdAt >= since && !one.parent && (one.createdBy === LEAD || ROOTS.has(one.createdBy)),
  );
  const plan = planOf(root);
  const first = planned.find((one) => planOf(one) === plan)?.createdAt ?? root.createdAt;
  const earlier = planned.filter((one) => planOf(one) < plan);
  const isAfter = earlier.length > 0 && earlier.every((one) => isFinished(one) && one.endedAt <= first);
  return isAfter ? null : root.id;
}
