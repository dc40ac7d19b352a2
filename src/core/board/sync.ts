/**
 * A task that is on the board and in a file that other programs write. Both may change; each field is merged by what it was when
 * they last agreed. Pure: ids of tasks are those of the files.
 */
import { foldName, type Name } from "../ids.ts";
import { EDITABLE_FIELDS, type Status, type Task } from "./task.ts";

export type SharedField = (typeof EDITABLE_FIELDS)[number];

/** The owner and the status of a task. `owner`: "" for nobody. */
export type Progress = { readonly status: Status; readonly owner: string };

export type SharedTask = Progress &
  Pick<Task, "subject" | "description" | "priority" | "estimate" | "touches" | "needsPlan"> & {
    /** Sorted, without completed tasks: another program may drop those. */
    readonly blockedBy: readonly string[];
    readonly role: string;
  };

/** The fields of a file; an absent field says nothing. */
export type FileTask = { readonly [K in keyof SharedTask]?: SharedTask[K] | undefined };

/** The last state in which both agreed: texts that are equal when the values are. */
export type Agreed = Progress & { readonly marks: Readonly<Record<SharedField, string>> };

export type Merge = {
  /** Fields that only the file has changed. */
  readonly toBoard: readonly SharedField[];
  /** Fields that both have changed, to different values: the board counts. */
  readonly conflicts: readonly SharedField[];
  /** The side that has changed status or owner, where the file and the board differ in it. */
  readonly progress: "same" | "file" | "board" | "both";
};

/** `mark`: the text of a value in `Agreed`. Without `agreed` every difference is one of both sides. */
export function merge(
  agreed: Agreed | null,
  file: FileTask,
  board: SharedTask,
  mark: (value: unknown) => string,
): Merge {
  const toBoard: SharedField[] = [];
  const conflicts: SharedField[] = [];
  for (const field of EDITABLE_FIELDS) {
    const [said, here, before] = [file[field], mark(board[field]), agreed?.marks[field]];
    // A file without the field differs only if the board has changed it.
    const there = said === undefined ? (before ?? here) : mark(said);
    if (there === here) continue;
    if (here === before) toBoard.push(field);
    else if (there !== before) conflicts.push(field);
  }
  const there: Progress = { status: file.status ?? board.status, owner: file.owner ?? board.owner };
  const progress = sameProgress(there, board)
    ? "same"
    : agreed && sameProgress(agreed, board)
      ? "file"
      : agreed && sameProgress(there, agreed)
        ? "board"
        : "both";
  return { toBoard, conflicts, progress };
}

const isOver = (status: Status): boolean => status !== "pending" && status !== "in_progress";
/** A task that another program gave up is cancelled here: only its owner can fail a task of the board. */
const ending = (status: Status): Status => (status === "failed" ? "cancelled" : status);

/** Owners of ended tasks are history, and nobody waits for them. */
export function sameProgress(a: Progress, b: Progress): boolean {
  if (isOver(a.status)) return ending(a.status) === ending(b.status);
  return a.status === b.status && a.owner === b.owner;
}

export const agreedOn = (task: SharedTask, mark: (value: unknown) => string): Agreed => ({
  status: task.status,
  owner: task.owner,
  marks: Object.fromEntries(EDITABLE_FIELDS.map((field) => [field, mark(task[field])])) as Agreed["marks"],
});

const OUTSIDE = "outside:";
/** The assignee of a task that someone outside of the team has. No member can have such a name. */
export const outsider = (owner: string): Name =>
  `${OUTSIDE}${
    foldName(owner)
      .replace(/[^\p{L}\p{N}.-]+/gu, "-")
      .slice(0, 64) || "somebody"
  }` as Name;
export const isOutsider = (name: string): boolean => name.startsWith(OUTSIDE);
