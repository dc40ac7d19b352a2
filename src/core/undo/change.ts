/**
 * What one call of a member changed in files, as it is recorded, and which records an undo or a redo takes back. Pure. An undo is a record
 * itself, so a redo is the undo of an undo.
 */
import { badInput } from "../errors.ts";
import type { Name, TaskId } from "../ids.ts";

/** A file or a link as git names it: `100644`, `100755` or `120000`, and the id of its content. */
export type Blob = { readonly mode: string; readonly oid: string };
/** `path`: relative to the root, with slashes. null: no file is there. */
export type PathChange = {
  readonly path: string;
  readonly before: Blob | null;
  readonly after: Blob | null;
};

export type Change = {
  /** Grows with time. */
  readonly id: string;
  readonly kind: "call" | "undo" | "redo";
  /** The person for an undo or a redo. */
  readonly who: Name;
  readonly task: TaskId | null;
  /** The reply of its model that asked for the call: its calls are one change to the person. "" for an undo or a redo. */
  readonly reply: string;
  /** Its id in the conversation of the member; older records have none. */
  readonly call?: string;
  /** The number of calls of a record that holds several old ones. */
  readonly calls?: number;
  /** The call in words, such as `bash: rm -rf src`. */
  readonly what: string;
  /** Milliseconds since 1970: when the call began and when it had ended. */
  readonly began: number;
  readonly at: number;
  /** Each root is a folder relative to the project; "" is the project. `id`: of the record that it comes from, in one that holds several. */
  readonly roots: readonly {
    readonly id?: string;
    readonly root: string;
    readonly paths: readonly PathChange[];
  }[];
  /** Others whose commands ran at the same time: some of the paths may be theirs. */
  readonly beside: readonly Name[];
  /** Changed files that are not recorded: too large, or with a name that is no UTF-8. */
  readonly left: readonly string[];
  /** The records that an undo or a redo took back. */
  readonly of: readonly string[];
};

/**
 * As the journal tells it: changes of `whose` were taken back, or with `again` put back. `paths`: the files, the first ones of many. `kept`:
 * those that stay as they are, because the same lines were changed since.
 */
export type Undone = {
  readonly by: Name;
  readonly whose: readonly Name[];
  readonly task: TaskId | null;
  readonly files: number;
  readonly paths: readonly string[];
  readonly kept: readonly string[];
  readonly again: boolean;
};

/** What the person wants to take back: the last change of a member or of all, all of a task, or all since a time. */
export type Wanted = {
  readonly who?: Name | undefined;
  readonly task?: TaskId | undefined;
  readonly since?: number | undefined;
};

/** The records that are taken back now, by an undo that was not redone. */
export function undoneIn(changes: readonly Change[]): ReadonlySet<string> {
  const undone = new Set<string>();
  const taken = new Map(changes.map((one) => [one.id, one.of]));
  for (const { kind, of } of changes) {
    if (kind === "undo") for (const id of of) undone.add(id);
    if (kind !== "redo") continue;
    for (const undo of of) for (const id of [undo, ...(taken.get(undo) ?? [])]) undone.delete(id);
    for (const undo of of) undone.add(undo);
  }
  return undone;
}

/** Of several old calls only all together. */
export const isSince = ({ calls, began, at }: Change, time: number): boolean =>
  (calls === undefined ? at : began) >= time;

/** The newest first; [] where there is none. `changes`: in the order of their ids. */
export function toUndo(changes: readonly Change[], { who, task, since }: Wanted): Change[] {
  const undone = undoneIn(changes);
  const open = changes.filter(
    (one) =>
      one.kind === "call" &&
      !undone.has(one.id) &&
      (who === undefined || one.who === who) &&
      (task === undefined || one.task === task) &&
      (since === undefined || isSince(one, since)),
  );
  const last = open.at(-1);
  if (!last) return [];
  const isAll = task !== undefined || since !== undefined;
  const found = isAll ? open : open.filter((one) => one.who === last.who && one.reply === last.reply);
  return found.reverse();
}

/** The last undo that was not redone, unless a member has changed something that it took back meanwhile: that is merged. */
export function toRedo(changes: readonly Change[]): Change | null {
  const redone = undoneIn(changes);
  return changes.findLast((one) => one.kind === "undo" && !redone.has(one.id)) ?? null;
}

/** @throws EkidenError `bad_input` */
export function notEmpty(found: readonly Change[], { who, task, since }: Wanted): readonly Change[] {
  if (found.length > 0) return found;
  const of = task === undefined ? (who === undefined ? "" : ` of ${who}`) : ` for #${task}`;
  const when = since === undefined ? "" : " since then";
  throw badInput(
    `No change${of}${when} is recorded that could be undone. Changes of files by tools and commands of members are recorded for 14 days; ekiden undo --list shows them.`,
  );
}
