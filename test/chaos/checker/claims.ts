/** Replays the journal task by task and compares its end with the tables. */
import type { EventRow, History, TaskRow } from "./history.ts";

/** The journal's name of the person, who may end any task that is not over, and claim several. */
export const PERSON = "person";

type Replayed = {
  status: string;
  owner: string | null;
  attempt: number;
  blockedBy: number[];
  /** The members whose claims were taken from them. */
  former: string[];
};
type Fact = Record<string, unknown> & {
  type: string;
  task: number;
  by: string;
  from: string | null;
  attempt: number;
};

export const factOf = (row: EventRow): Fact => ({ ...JSON.parse(row.data), type: row.type }) as Fact;

/** One fault a sentence. A fact that does not fit is reported and then applied, so that one mistake is reported once. */
export function replay(history: History): { faults: string[]; tasks: Map<number, Replayed> } {
  const faults: string[] = [];
  const tasks = new Map<number, Replayed>();
  const leads = new Set(history.members.filter((m) => m.kind === "lead").map((m) => m.name));
  for (const row of [...history.events].sort((a, b) => a.seq - b.seq)) {
    if (!(row.type in STEPS)) continue;
    const fact = factOf(row);
    const where = `event ${row.seq} (${row.type} #${fact.task})`;
    const task = tasks.get(fact.task);
    if (row.type === "task.added") {
      if (task) faults.push(`${where}: the task was added before`);
      tasks.set(fact.task, {
        status: "pending",
        owner: null,
        attempt: 0,
        blockedBy: fact.blockedBy as number[],
        former: [],
      });
    } else if (!task) faults.push(`${where}: the task was never added`);
    else STEPS[row.type]?.({ task, fact, tasks, leads, fault: (what) => faults.push(`${where}: ${what}`) });
  }
  return { faults, tasks };
}

type Step = (at: {
  readonly task: Replayed;
  readonly fact: Fact;
  readonly tasks: ReadonlyMap<number, Replayed>;
  readonly leads: ReadonlySet<string>;
  readonly fault: (what: string) => void;
}) => void;

/** Only the owner of the current attempt may report about a claim. */
const held: Step = ({ task, fact, fault }) => {
  if (task.status !== "in_progress") fault(`the task is ${task.status}, not in progress`);
  if (task.owner !== fact.by) fault(`${fact.by} does not own it, ${task.owner} does`);
  if (fact.attempt !== undefined && task.attempt !== fact.attempt)
    fault(`attempt ${fact.attempt}, but the claim is attempt ${task.attempt}`);
};

/**
 * A landing that was under way when its process was frozen ends after it: its commit is on the target branch, and the journal must
 * say so, whoever holds the task by then. The next attempt finds the commit there.
 */
const heldOrBefore: Step = (at) => {
  if (!at.task.former.includes(at.fact.by)) held(at);
};

/** The task keeps its owner, or becomes the person's. */
const ofPerson: Step = ({ task, fault }) => {
  if (task.status !== "pending" && task.status !== "in_progress") fault(`the task is ${task.status}`);
  task.owner ??= PERSON;
};

const STEPS: Readonly<Record<string, Step>> = {
  "task.added": () => {},
  "task.claimed": ({ task, fact, tasks, leads, fault }) => {
    if (task.status !== "pending") fault(`claimed by ${fact.by} while ${task.status} with ${task.owner}`);
    if (fact.attempt !== task.attempt + 1) fault(`attempt ${fact.attempt} after attempt ${task.attempt}`);
    for (const blocker of task.blockedBy)
      if (tasks.get(blocker)?.status !== "completed") fault(`its blocker #${blocker} is not completed`);
    if (fact.by !== PERSON)
      for (const [id, other] of tasks)
        if (
          other !== task &&
          other.status === "in_progress" &&
          other.owner === fact.by &&
          !leads.has(fact.by)
        )
          fault(`${fact.by} has #${id} in progress already`);
    Object.assign(task, { status: "in_progress", owner: fact.by, attempt: fact.attempt });
  },
  "task.completed": (at) => {
    if (at.fact.by === PERSON) ofPerson(at);
    else held(at);
    at.task.status = "completed";
  },
  "task.failed": (at) => {
    if (at.fact.by === PERSON) ofPerson(at);
    else if (at.task.status !== "in_progress") at.fault(`the task is ${at.task.status}, not in progress`);
    if (at.fact.attempt !== at.task.attempt)
      at.fault(`attempt ${at.fact.attempt}, but the claim is attempt ${at.task.attempt}`);
    at.task.status = "failed";
  },
  "task.released": ({ task, fact, fault }) => {
    const from = fact.why === "retry" ? ["failed", "cancelled"] : ["in_progress"];
    if (!from.includes(task.status)) fault(`released while ${task.status}`);
    if (fact.from !== task.owner) fault(`released from ${fact.from}, but its owner is ${task.owner}`);
    if (fact.why === "owner_died" && task.owner !== null) task.former.push(task.owner);
    if (fact.why === "split") task.blockedBy = [...new Set([...task.blockedBy, ...(fact.parts as number[])])];
    Object.assign(task, { status: "pending", owner: null });
  },
  "task.cancelled": ({ task, fault }) => {
    if (task.status !== "pending" && task.status !== "in_progress") fault(`cancelled while ${task.status}`);
    Object.assign(task, { status: "cancelled", owner: null });
  },
  "task.changed": ({ task, fact }) => {
    const { blockedBy } = (fact.now ?? {}) as { blockedBy?: number[] };
    if (blockedBy) task.blockedBy = blockedBy;
  },
  "task.queued": heldOrBefore,
  "gate.started": heldOrBefore,
  "task.landed": heldOrBefore,
  "task.reopened": held,
  "task.unblocked": ({ fact, tasks, fault }) => {
    if (tasks.get(Number(fact.by))?.status !== "completed")
      fault(`unblocked by #${fact.by}, which is not completed`);
  },
};

/** The tables say what the journal says, and nothing was lost. */
export function tablesAgree(history: History): string[] {
  const { tasks } = replay(history);
  const faults: string[] = [];
  const rows = new Map(history.tasks.map((row) => [row.id, row]));
  const given = history.tasks.filter((row) => row.created_by === PERSON).length;
  if (given !== history.wanted)
    faults.push(`the board has ${given} tasks, but ${history.wanted} were put on it`);
  for (const [id, task] of tasks) {
    const row = rows.get(id);
    if (!row) {
      faults.push(`#${id} is in the journal and not on the board`);
      continue;
    }
    for (const field of ["status", "owner", "attempt"] as const)
      if (row[field] !== task[field])
        faults.push(`#${id}: ${field} is ${row[field]} on the board and ${task[field]} in the journal`);
    faults.push(...rowFaults(row, rows, history));
  }
  for (const id of rows.keys())
    if (!tasks.has(id)) faults.push(`#${id} is on the board and not in the journal`);
  return faults;
}

function rowFaults(row: TaskRow, rows: ReadonlyMap<number, TaskRow>, { edges }: History): string[] {
  const faults: string[] = [];
  const blockers = edges.filter((edge) => edge.task === row.id).map((edge) => edge.blocker);
  const listed = (JSON.parse(row.blocked_by) as number[]).toSorted((a, b) => a - b);
  if (blockers.toSorted((a, b) => a - b).join() !== listed.join())
    faults.push(`#${row.id}: its row names the blockers ${listed}, its edges ${blockers}`);
  const open = blockers.filter((id) => rows.get(id)?.status !== "completed").length;
  if (row.open_blockers !== open)
    faults.push(`#${row.id}: open_blockers is ${row.open_blockers}, but ${open} are open`);
  if (row.tries > row.attempt) faults.push(`#${row.id}: ${row.tries} tries in ${row.attempt} attempts`);
  return faults;
}

/** A task of a member is a part of one task, which its owner was to split, once; each of those was, unless the person completed it. */
export function splitOnce(history: History): string[] {
  const facts = history.events.map(factOf);
  const partsOf = new Map<number, number>();
  const split = new Map<number, number>();
  for (const fact of facts) {
    if (fact.type !== "task.released" || fact.why !== "split") continue;
    split.set(fact.task, (split.get(fact.task) ?? 0) + 1);
    for (const part of fact.parts as number[]) partsOf.set(part, (partsOf.get(part) ?? 0) + 1);
  }
  const byHand = new Set(byPerson(history));
  return [
    ...history.tasks.flatMap(({ id, created_by }) =>
      created_by === PERSON || partsOf.get(id) === 1
        ? []
        : [`#${id}: a part of ${partsOf.get(id) ?? 0} tasks`],
    ),
    ...[...split].flatMap(([id, times]) =>
      times === 1 && history.splits.includes(id) ? [] : [`#${id}: split ${times} times`],
    ),
    ...history.splits.flatMap((id) => (split.has(id) || byHand.has(id) ? [] : [`#${id}: never split`])),
  ];
}

/** The tasks that the person completed. */
export const byPerson = ({ events }: Pick<History, "events">): number[] =>
  events.flatMap((event) => {
    const { type, by, task } = factOf(event);
    return type === "task.completed" && by === PERSON ? [task] : [];
  });

/** Every task of the workload can succeed, so each of them must be completed in the end. */
export const allCompleted = ({ tasks }: History): string[] =>
  tasks.filter((row) => row.status !== "completed").map((row) => `#${row.id} ended as ${row.status}`);
