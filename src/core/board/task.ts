/**
 * The board: what a task is, and which tasks may start. Pure.
 *
 *   pending ──claim──▶ in_progress ──complete──▶ completed
 *      ▲                 │  │
 *      └──release/reap───┘  └──fail──▶ failed ──retry──▶ pending        any but completed ──cancel──▶ cancelled ──retry──▶ pending
 *
 * *Ready* is derived: pending and every blocker completed. A failed or cancelled blocker keeps its dependants waiting, visibly.
 */
import { badInput } from "../errors.ts";
import { type Instant, type Name, quote, type TaskId } from "../ids.ts";
import { cutEnd } from "../text/valid.ts";

type TaskBase = {
  readonly id: TaskId;
  readonly subject: string;
  readonly description: string;
  /** Edges are never removed: the graph is drawn from them later. */
  readonly blockedBy: readonly TaskId[];
  /** The number of `blockedBy` that are not completed. Kept on the row, so that "ready" needs no join. */
  readonly openBlockers: number;
  /** Higher goes first. Default 0. */
  readonly priority: number;
  /** Estimated work in whatever unit the team uses; only ratios matter. Default 1. */
  readonly estimate: number;
  /** Only a teammate of this role may claim it. */
  readonly role: string | null;
  /** The only teammate that may claim it. */
  readonly assignee?: Name;
  /** Path patterns that this task will edit. Tasks with overlapping patterns do not run at once. */
  readonly touches: readonly string[];
  /** The owner may change nothing before its plan is approved. */
  readonly needsPlan: boolean;
  /** Counts claims, and fences: a writer with an older number is refused. */
  readonly attempt: number;
  /** The reason why the last attempt ended without completion; null if none did. */
  readonly lastFailure: string | null;
  readonly createdBy: Name;
  /** The last author of the description. */
  readonly describedBy: Name;
  /** The runbook that it is of, as `keyOf` names it (see project/rerun.ts); absent for any other task. */
  readonly runbook?: string;
  /** The task on which its creator worked; absent for a task of the person. */
  readonly parent?: TaskId;
  /** Its owner has split it into parts. It waits for them, and its former owner gets it back. */
  readonly split?: Split;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
};

/** `note`: for whoever continues when the parts are done. */
export type Split = { readonly by: Name; readonly parts: readonly TaskId[]; readonly note: string };
/** `said`: its result, or why it failed or was cancelled. */
export type Part = {
  readonly id: TaskId;
  readonly subject: string;
  readonly status: Status;
  readonly said: string;
};

export type Pending = TaskBase & { readonly status: "pending" };
/** A task in progress. `parts`: of a task that was split, as they were when it was claimed. Only its owner can complete, fail or release it. */
export type Claimed = TaskBase &
  Readonly<{ status: "in_progress"; owner: Name; startedAt: Instant; parts?: readonly Part[] }>;
export type Completed = TaskBase &
  Readonly<{ status: "completed"; owner: Name; startedAt: Instant; endedAt: Instant; result: string }>;
/** `startedAt`: of the last attempt; null if the task was never claimed. */
type Unsuccessful = TaskBase & Readonly<{ startedAt: Instant | null; endedAt: Instant; reason: string }>;
export type Failed = Unsuccessful & Readonly<{ status: "failed"; owner: Name | null }>;
export type Cancelled = Unsuccessful & Readonly<{ status: "cancelled"; owner: null }>;
export type Task = Pending | Claimed | Completed | Failed | Cancelled;
export type Status = Task["status"];

/**
 * A task in short. `board.outlines` returns the JSON text of an `Outline[]` in no order. The database writes that text, because reading
 * 10,000 whole tasks takes ten times as long. `blockedBy` and `touches` are JSON. `why` is the beginning of the reason for which it failed last or was cancelled.
 */
export type Outline = readonly [
  id: TaskId,
  subject: string,
  status: Status,
  blockedBy: string,
  owner: Name | null,
  attempt: number,
  priority: number,
  estimate: number,
  role: string,
  assignee: string,
  touches: string,
  needsPlan: 0 | 1,
  createdAt: Instant,
  startedAt: Instant | null,
  endedAt: Instant | null,
  why: string,
];

export const isReady = (task: Task): task is Pending => task.status === "pending" && task.openBlockers === 0;
export const isFinished = (task: Task): task is Completed | Failed | Cancelled =>
  task.status === "completed" || task.status === "failed" || task.status === "cancelled";

/** A task to be added. `blockedBy` holds ids of the board, or positions (`{ nth }`) in the same batch. */
export type NewTask = {
  readonly subject: string;
  readonly description?: string;
  readonly blockedBy?: readonly (TaskId | { readonly nth: number })[];
  readonly priority?: number;
  readonly estimate?: number;
  readonly role?: string | null;
  readonly touches?: readonly string[];
  readonly needsPlan?: boolean;
  /** The only one who may claim it: a teammate. */
  readonly assignee?: Name;
  /** The key of the runbook that it is of. */
  readonly runbook?: string;
  /** Where it is not the task on which the creator works. */
  readonly parent?: TaskId;
  /** A task that is not completed: it is cancelled, and what waits for it waits for this one. */
  readonly replaces?: TaskId;
};

export type TaskChange = Partial<
  Omit<NewTask, "blockedBy" | "assignee" | "runbook" | "parent" | "replaces">
> & {
  readonly addBlockedBy?: readonly TaskId[];
  readonly removeBlockedBy?: readonly TaskId[];
};

/** The fields of a task that a fact about it may name; those of a new one that are as usual are left out. */
export type TaskFields = Partial<
  Pick<
    TaskBase,
    | "subject"
    | "description"
    | "blockedBy"
    | "priority"
    | "estimate"
    | "role"
    | "touches"
    | "needsPlan"
    | "runbook"
    | "parent"
  >
> & { /** Null: anybody may claim it. */ readonly assignee?: Name | null };

/** Losing a race is ordinary, so the outcome is a value, not an exception. */
export type ClaimResult =
  | { readonly ok: true; readonly task: Claimed }
  | { readonly ok: false; readonly why: "missing" }
  | { readonly ok: false; readonly why: "taken"; readonly by: Name }
  | { readonly ok: false; readonly why: "blocked"; readonly on: readonly TaskId[] }
  | { readonly ok: false; readonly why: "finished"; readonly status: Status }
  | { readonly ok: false; readonly why: "role"; readonly role: string }
  | { readonly ok: false; readonly why: "assigned"; readonly to: Name }
  | { readonly ok: false; readonly why: "touches"; readonly conflictsWith: TaskId }
  | { readonly ok: false; readonly why: "busy"; readonly with: TaskId };

/** Counts of one board, for status lines and for the end of a run. */
export type Counts = Readonly<
  Record<"pending" | "ready" | "inProgress" | "completed" | "failed" | "cancelled" | "total", number>
>;

/** A completion that a hook or a landing refuses this many times in one attempt fails the task. */
export const REFUSALS_MAX = 3;

export const PRIORITY_MAX = 1_000_000;
export const SUBJECT_MAX = 500;
/** Parts of one task, over all its splits. */
export const PARTS_MAX = 50;
export const DESCRIPTION_MAX = 200_000;

const PATH_MAX = 1_000;
/** A letter of any script, a digit, or a pattern; no signs of a shell and no line breaks. */
const NAMED = /^[^\p{Cc};|<>"`]*[\p{L}\p{N}*?][^\p{Cc};|<>"`]*$/u;
const OUTSIDE = /^(?:~|\p{L}:[\\/])|(?:^|[\\/])\.\.(?:[\\/]|$)/u;

/** Whether `touches` may hold it. Tasks of older versions may have others. */
export const namesFile = (path: string): boolean =>
  NAMED.test(path) && !OUTSIDE.test(path) && path.length <= PATH_MAX;

/** @throws EkidenError `bad_input` naming the field and its limit. */
export function checkTask(task: NewTask | TaskChange): void {
  if (task.subject !== undefined) {
    if (task.subject.trim() === "")
      throw badInput("A task needs a subject: one short line that says what to do.");
    if (task.subject.length > SUBJECT_MAX)
      throw badInput(
        `The subject has ${task.subject.length} characters; the limit is ${SUBJECT_MAX}. Put the rest into the description.`,
      );
    if (/[\0\n\r]/.test(task.subject))
      throw badInput(
        "The subject must be one line without NUL characters. Put the rest into the description.",
      );
  }
  if (task.description !== undefined) {
    if (task.description.length > DESCRIPTION_MAX)
      throw badInput(
        `The description has ${task.description.length} characters; the limit is ${DESCRIPTION_MAX}. Put the rest into a file and name the file.`,
      );
    if (task.description.includes("\0")) throw badInput("The description holds a NUL character. Remove it.");
  }
  if (
    task.priority !== undefined &&
    !(Number.isInteger(task.priority) && Math.abs(task.priority) <= PRIORITY_MAX)
  )
    throw badInput(`The priority ${task.priority} is not a whole number between -1000000 and 1000000.`);
  if (task.estimate !== undefined && !(task.estimate > 0 && task.estimate <= 1e9))
    throw badInput(`The estimate ${task.estimate} is not a number above 0 and up to 1000000000.`);
  if (typeof task.role === "string") checkRole(task.role);
  for (const path of task.touches ?? [])
    if (!namesFile(path))
      throw badInput(
        `${quote(cutEnd(path, 60))} names no file of the project. Give paths and patterns in it, such as README.md or src/api/**.`,
      );
}

/** A role is one line of letters of any script and signs: "C++ dev", "Backend (Go)", 编码者. "" for none. @throws EkidenError `bad_input` */
export function checkRole(role: string): void {
  if (!/^(?!\s*@)[^\p{C}\p{Zl}\p{Zp}]{0,64}$/u.test(role))
    throw badInput(
      `${quote(role)} is not a usable role. Use one line of at most 64 characters that does not begin with "@".`,
    );
}

/** A cycle as errors show it: "#1 → #2 → #1". */
export const showCycle = (ids: readonly TaskId[]): string => ids.map((id) => `#${id}`).join(" → ");

/** The fields that may change while a task is on the board. */
export const EDITABLE_FIELDS = [
  "subject",
  "description",
  "blockedBy",
  "priority",
  "estimate",
  "role",
  "touches",
  "needsPlan",
] as const;
