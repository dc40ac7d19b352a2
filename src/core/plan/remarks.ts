/**
 * What can be told about a board before it is worked on, from its words and edges alone: the mistakes that boards are known for. The lead gets
 * it once after its planning. Nothing is refused: a remark may be wrong. Pure.
 */
import { criticalPath, inOrder } from "../board/order.ts";
import type { Task } from "../board/task.ts";
import { overlapping } from "../board/touches.ts";
import type { TaskId } from "../ids.ts";
import { checkOf } from "../project/mark.ts";

export type Planned = Pick<
  Task,
  "id" | "subject" | "description" | "blockedBy" | "touches" | "estimate" | "role" | "assignee" | "status"
>;
/** The teammates that there are. */
export type Crew = readonly { readonly name: string; readonly role: string }[];

/** Larger boards are not compared pair by pair. */
const TASKS_MAX = 300;
const SHOWN = 12;
/** A chain with so much of all work leaves the third member without any. */
const CHAIN = 0.6;
/** Ids above the last one that are near to it; others are numbers of issues. */
const NEAR = 10;

/** One sentence a remark, at most twelve. Of tasks that nobody has begun: a change of another one interrupts its owner. */
export function remarksOn(board: readonly Planned[], crew: Crew): string[] {
  const open = board.filter(({ status }) => status === "pending" || status === "in_progress");
  if (open.length < 2 || open.length > TASKS_MAX) return [];
  const before = ancestors(open);
  return [
    ...unproven(open),
    ...pairs(open, before),
    ...needless(open),
    ...unclaimable(open, crew),
    ...chained(open, crew),
    ...unknown(open, board),
  ].slice(0, SHOWN);
}

const ids = (tasks: readonly Pick<Planned, "id">[]): string => tasks.map(({ id }) => `#${id}`).join(", ");

function unproven(open: readonly Planned[]): string[] {
  const found = open.filter(
    ({ status, touches, description }) =>
      status === "pending" && touches.length > 0 && checkOf(description) === null,
  );
  return found.length === 0
    ? []
    : [
        `${ids(found)}: files change and no \`check\` proves it. Name the command that passes when it is done.`,
      ];
}

type Before = ReadonlyMap<TaskId, ReadonlySet<TaskId>>;

function ancestors(open: readonly Planned[]): Before {
  const byId = new Map(open.map((task) => [task.id, task]));
  const all = new Map<TaskId, Set<TaskId>>();
  for (const id of inOrder(byId)) {
    const own = new Set<TaskId>();
    for (const blocker of byId.get(id)?.blockedBy ?? [])
      for (const one of [blocker, ...(all.get(blocker) ?? [])]) own.add(one);
    all.set(id, own);
  }
  return all;
}

function pairs(open: readonly Planned[], before: Before): string[] {
  const taken = new Map(open.map((task) => [task.id, takenBy(task)]));
  return open.flatMap((a, nth) =>
    open.slice(nth + 1).flatMap((b) => {
      if (a.status !== "pending" && b.status !== "pending") return [];
      const isOrdered = before.get(a.id)?.has(b.id) || before.get(b.id)?.has(a.id);
      const share = overlapping(a.touches, b.touches);
      if (share && !isOrdered)
        return [
          `#${a.id} and #${b.id} change the same files (${a.touches.filter((one) => overlapping([one], b.touches)).join(", ")}), so they take turns. Divide them by files, or order them where one uses the other.`,
        ];
      return isOrdered ? [] : [...takes(a, b, taken), ...takes(b, a, taken)];
    }),
  );
}

/** Words behind which a task names what it takes from another one, and those that say that it does not. */
const TAKES = /\b(?:of|from|with|using|uses?|on|calls?|imports?|joins?|needs?|after)\s+(?:[^\s#]+\s+){0,2}$/i;
const LEAVES = /\b(?:not|never|no|leaves?|without|instead|unlike|like)\b/i;

/** Characters before a number that say what it is for. */
const BEFORE = 60;

/** The tasks of which the words of this one take something. */
function takenBy({ subject, description }: Planned): ReadonlySet<number> {
  const parts = `${subject}. ${description}`.split(/(?<=[.!?;])\s|\n/).filter((part) => !LEAVES.test(part));
  return new Set(
    parts.flatMap((part) =>
      [...part.matchAll(/#(\d{1,9})\b/g)].flatMap(({ 1: id, index }) =>
        TAKES.test(part.slice(Math.max(0, index - BEFORE), index)) ? [Number(id)] : [],
      ),
    ),
  );
}

function takes(task: Planned, other: Planned, taken: ReadonlyMap<TaskId, ReadonlySet<number>>): string[] {
  return task.status === "pending" && taken.get(task.id)?.has(other.id)
    ? [
        `#${task.id} uses something of #${other.id} according to its text, but does not wait for #${other.id}. Order them, or say that it needs nothing of it.`,
      ]
    : [];
}

/** Words that tell something: of four letters or more, without the most usual ones. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu) ?? [];
  return new Set(
    words.map((word) => word.replace(/(?:ing|ed|es|s)$/, "")).filter((word) => !USUAL.has(word)),
  );
}

const USUAL: ReadonlySet<string> = new Set([
  ...["with", "from", "that", "thi", "them", "when", "then", "have", "must", "into", "each", "test", "file"],
  ...[
    "check",
    "review",
    "code",
    "task",
    "implement",
    "write",
    "creat",
    "update",
    "change",
    "make",
    "support",
  ],
]);

/** Edges between tasks that share neither files nor words: nothing that one makes is named by the other. */
function needless(open: readonly Planned[]): string[] {
  const byId = new Map(open.map((task) => [task.id, task]));
  return open.flatMap((task) => {
    // A task that joins others names the whole.
    if (task.status !== "pending" || task.touches.length === 0 || task.blockedBy.length >= 3) return [];
    return task.blockedBy.flatMap((id) => {
      const blocker = byId.get(id);
      if (!blocker || blocker.touches.length === 0 || overlapping(blocker.touches, task.touches)) return [];
      return isExplained(task, blocker)
        ? []
        : [
            `#${task.id} waits for #${id}, but names nothing that #${id} makes and changes other files. Remove the edge, or say what #${task.id} uses of it.`,
          ];
    });
  });
}

/** The words of a task name the task before it, its files, or what it is about. */
function isExplained(task: Planned, blocker: Planned): boolean {
  const said = `${task.subject} ${task.description}`;
  const words = wordsOf(said);
  return (
    (said.match(/#\d+/g)?.includes(`#${blocker.id}`) ?? false) ||
    blocker.touches.some((path) => namesOf(path).some((name) => said.includes(name))) ||
    [...wordsOf(blocker.subject)].some((word) => words.has(word))
  );
}

/** "src/money/convert.ts" → the path, "convert.ts", "convert"; "src/money/**" → "src/money", "money". */
function namesOf(pattern: string): string[] {
  const path = pattern.replace(/\/?\*.*$/, "");
  const last = path.split("/").at(-1) ?? "";
  return [path, last, last.replace(/\.\w+$/, "")].filter((name) => name.length >= 3);
}

function unclaimable(open: readonly Planned[], crew: Crew): string[] {
  if (crew.length === 0) return [];
  return open.flatMap(({ id, role, assignee, status }) => {
    if (status !== "pending") return [];
    if (assignee && !crew.some(({ name }) => name === assignee))
      return [`Nobody can claim #${id}: there is no teammate ${assignee}.`];
    return role && !crew.some((one) => one.role === role)
      ? [`Nobody can claim #${id}: no teammate has the role ${role}.`]
      : [];
  });
}

function chained(open: readonly Planned[], crew: Crew): string[] {
  const path = criticalPath(new Map(open.map((task) => [task.id, task])));
  const sum = (list: readonly Planned[]): number => list.reduce((all, { estimate }) => all + estimate, 0);
  const chain = open.filter(({ id }) => path.includes(id));
  if (crew.length < 3 || open.length < 4 || sum(chain) <= CHAIN * sum(open)) return [];
  // Where each task says what it takes of the one before it, the work is a chain.
  const byId = new Map(open.map((task) => [task.id, task]));
  const isOfWork = path.every((id, nth) => {
    const [task, blocker] = [byId.get(id), byId.get(path[nth - 1] as TaskId)];
    return !task || !blocker || isExplained(task, blocker);
  });
  if (isOfWork) return [];
  const share = Math.round((100 * sum(chain)) / sum(open));
  return [
    `The chain ${path.map((id) => `#${id}`).join(" → ")} is ${share} % of all work, so of ${crew.length} teammates most wait. Put what they share first, and let the rest run in parallel.`,
  ];
}

function unknown(open: readonly Planned[], board: readonly Planned[]): string[] {
  const known = new Set<number>(board.map(({ id }) => id));
  const last = Math.max(...known);
  return open.flatMap(({ id, description }) => {
    const named = [...description.matchAll(/(?:^|\s)#(\d{1,6})\b/g)].map((match) => Number(match[1]));
    const wrong = named.find((one) => one > last && one <= last + NEAR);
    return wrong === undefined ? [] : [`The words of #${id} name #${wrong}, which does not exist.`];
  });
}
