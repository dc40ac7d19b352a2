/**
 * How long a board will take before anything of it has run: the members take ready tasks as the scheduler gives them out, the longest chain
 * first, and tasks that change the same files take turns. In units of `estimate`. Pure.
 */
import { criticalPath, inOrder } from "../board/order.ts";
import type { Status } from "../board/task.ts";
import { aboutSpan, aboutWords, timeOfOne } from "../board/time-left.ts";
import { overlapping } from "../board/touches.ts";

export type Open<Id> = {
  readonly id: Id;
  readonly status: Status;
  readonly blockedBy: readonly Id[];
  readonly estimate: number;
  readonly touches: readonly string[];
  readonly startedAt: number | null;
  readonly endedAt: number | null;
};

/** Larger boards would take too long to play through. */
const TASKS_MAX = 2_000;
const isOpen = ({ status }: { readonly status: Status }): boolean =>
  status === "pending" || status === "in_progress";

/** The time until all open tasks are done, by `workers` members. */
export function makespan<Id>(tasks: ReadonlyMap<Id, Open<Id>>, workers: number): number {
  const rest = new Map([...tasks].filter(([, task]) => isOpen(task)));
  const tail = tails(rest);
  const done = new Set<Id>();
  const running: { readonly id: Id; readonly until: number }[] = [];
  let now = 0;
  while (rest.size > 0 || running.length > 0) {
    const ready = [...rest.values()]
      .filter(({ blockedBy }) => blockedBy.every((id) => done.has(id) || !isOpenIn(tasks, id)))
      .sort((a, b) => (tail.get(b.id) ?? 0) - (tail.get(a.id) ?? 0));
    for (const task of ready) {
      if (running.length >= Math.max(1, workers)) break;
      if (running.some(({ id }) => overlapping(tasks.get(id)?.touches ?? [], task.touches))) continue;
      rest.delete(task.id);
      running.push({ id: task.id, until: now + task.estimate });
    }
    running.sort((a, b) => a.until - b.until);
    const next = running.shift();
    // What is left waits for itself, or for a task that failed.
    if (!next) return now;
    now = next.until;
    done.add(next.id);
  }
  return now;
}

const isOpenIn = <Id>(tasks: ReadonlyMap<Id, Open<Id>>, id: Id): boolean => {
  const task = tasks.get(id);
  return task !== undefined && task.status !== "completed";
};

/** The work from the beginning of a task to the end of the longest chain behind it. */
export function tails<Id>(
  tasks: ReadonlyMap<Id, Pick<Open<Id>, "id" | "blockedBy" | "estimate">>,
): ReadonlyMap<Id, number> {
  const tail = new Map<Id, number>();
  for (const id of inOrder(tasks).reverse()) {
    const task = tasks.get(id);
    if (!task) continue;
    const own = task.estimate + (tail.get(id) ?? 0);
    tail.set(id, own);
    for (const blocker of task.blockedBy)
      if (tasks.has(blocker)) tail.set(blocker, Math.max(tail.get(blocker) ?? 0, own));
  }
  return tail;
}

const countedIn = (count: number, what: string): string =>
  `${count} ${count === 1 ? what : what.replace(/^\w+/, "$&s")}`;
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const CHAIN_SHOWN = 6;
/** More members than this are not asked for by themselves. */
const USUAL = 3;

/**
 * "about 40 min with three, 1 h 35 min with one; the chain #2 → #5 → #9 decides; about $1.20". Where nothing tells how long an estimate of one
 * takes: "as long as 4 tasks with three, 9 tasks with one". "" for fewer than two open tasks. `spent`: US dollars of completed tasks.
 */
export function planWords<Id extends number>(list: readonly Open<Id>[], workers: number, spent = 0): string {
  const tasks = new Map(list.map((task) => [task.id, task]));
  const open = list.filter(isOpen);
  if (open.length < 2 || open.length > TASKS_MAX) return "";
  const unit = timeOfOne(list);
  const several = workers > 1 ? workers : USUAL;
  const what = open.every(({ estimate }) => estimate === 1) ? "task" : "unit of the estimates";
  const long = (estimate: number): string =>
    unit === null ? countedIn(Math.round(estimate * 10) / 10, what) : aboutSpan(estimate * unit);
  const [fast, slow] = [makespan(tasks, several), makespan(tasks, 1)];
  const first = unit === null ? `as long as ${long(fast)}` : aboutWords(fast * unit);
  const path = criticalPath(tasks);
  const sum = (of: readonly Open<Id>[]): number => of.reduce((all, { estimate }) => all + estimate, 0);
  // It decides where more members would not make the end come sooner.
  const isDecisive = path.length > 1 && sum(open.filter(({ id }) => path.includes(id))) >= fast * 0.99;
  const shown = path.slice(0, CHAIN_SHOWN).map((id) => `#${id}`);
  const chain = isDecisive
    ? `; the chain ${shown.join(" → ")}${path.length > CHAIN_SHOWN ? " → …" : ""} decides`
    : "";
  const done = sum(list.filter(({ status }) => status === "completed"));
  const usd = spent > 0 && done > 0 ? `; about $${((spent / done) * sum(open)).toFixed(2)}` : "";
  return `${first} with ${NUMBERS[several] ?? several}, ${long(slow)} with one${chain}${usd}`;
}
