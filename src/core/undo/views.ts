/** Undo and its records as people see them: sentences, a table, and the preview. */

import { type Instant, instant, type Name, type TaskId } from "../ids.ts";
import { listed } from "../text/listed.ts";
import { type Cell, right, type View } from "../views/view.ts";
import { type Change, undoneIn } from "./change.ts";

export type UndoneFile = {
  readonly path: string;
  readonly how: "restored" | "removed" | "changed back";
};
export type UndoneData = {
  /** The record of this undo, which a redo takes; null for a preview, or where nothing had to change. */
  readonly id: string | null;
  readonly redo: boolean;
  readonly dryRun: boolean;
  readonly whose: readonly Name[];
  readonly task: TaskId | null;
  readonly files: readonly UndoneFile[];
  /** The same lines were changed since, or something else is there now: they stay as they are. */
  readonly conflicts: readonly string[];
  /** Not recorded, so not undone: large files, and those of workspaces that are gone. */
  readonly left: readonly string[];
  /** Calls that may have reached other programs or machines. */
  readonly outside: readonly string[];
  /** Sentences: for each conversation that was to be cut, and for calls that are kept as one and stay. */
  readonly conversations: readonly string[];
  /** The change as a diff, with a preview. */
  readonly diff: string;
};

export type ChangeRow = {
  readonly at: Instant;
  readonly who: Name;
  readonly task: TaskId | null;
  readonly what: string;
  readonly files: number;
  readonly isUndone: boolean;
};

/** The newest first, without the undos themselves. */
export function changeRows(changes: readonly Change[]): ChangeRow[] {
  const undone = undoneIn(changes);
  return changes
    .filter(({ kind }) => kind === "call")
    .map(({ id, at, who, task, what, roots }) => ({
      ...{ at: instant(at), who, task, what },
      files: roots.reduce((sum, { paths }) => sum + paths.length, 0),
      isUndone: undone.has(id),
    }))
    .reverse();
}

export function changeViews(rows: readonly ChangeRow[]): View[] {
  const columns = [
    { name: "when" },
    { name: "who" },
    { name: "task" },
    right("files"),
    { name: "call", grow: true as const },
  ];
  return [
    {
      kind: "table",
      columns,
      rows: rows.map(({ at, who, task, what, files, isUndone }): Cell[] => [
        { text: new Date(at).toISOString().slice(0, 19).replace("T", " "), tone: "dim" },
        { text: who, tone: "strong" },
        { text: task === null ? "" : `#${task}` },
        { text: String(files) },
        { text: isUndone ? `${what} (undone)` : what, tone: isUndone ? "dim" : "plain" },
      ]),
      empty: "No changes are recorded.",
    },
  ];
}

/** What was done, or would be. */
export function undoneText({
  redo,
  dryRun,
  whose,
  task,
  files,
  conflicts,
  left,
  outside,
  conversations,
  id,
}: UndoneData): string {
  const [does, did] = redo ? ["would put back", "put back"] : ["would undo", "undid"];
  const of = whose.length === 0 ? "changes" : `changes of ${whose.join(", ")}`;
  const head = `${dryRun ? does : did} ${of}${task === null ? "" : ` for #${task}`}: ${
    files.length === 0
      ? "no file has to change"
      : listed(files.map(({ path, how }) => (how === "changed back" ? path : `${path} (${how})`)))
  }`;
  return [
    head,
    ...(conflicts.length > 0
      ? [
          `left as they are, because they were changed since in the same place: ${listed(conflicts)}. Edit them by hand, or undo the later changes first`,
        ]
      : []),
    ...(left.length > 0 ? [`not recorded: ${listed(left)}`] : []),
    ...(outside.length > 0 ? [`not undone, because it may have reached others: ${listed(outside)}`] : []),
    ...conversations,
    ...(id !== null && !redo && files.length > 0 ? ["ekiden redo puts it back"] : []),
  ].join("\n");
}
