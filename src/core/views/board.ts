/** The board and one task as data and views. Data has the open blockers of each task, so that no reader has to compute them. */

import { type Counts, isReady, type Status, type Task } from "../board/task.ts";
import { overlapping } from "../board/touches.ts";
import type { Event } from "../event.ts";
import type { Instant, Name, TaskId } from "../ids.ts";
import { redViews } from "./red-target.ts";
import { journalView } from "./sentence.ts";
import { type Cell, type Column, counted, type Figure, span, type Tone, type View } from "./view.ts";

export type Look = { readonly glyph: string; readonly word: string; readonly tone: Tone };

type Looked = Pick<TaskData, "status" | "ready"> & { readonly heldBy?: number | null };

export function look(task: Looked): Look {
  if (task.status === "pending")
    return task.ready && (task.heldBy ?? null) === null
      ? { glyph: "○", word: "ready", tone: "plain" }
      : { glyph: "◌", word: "waiting", tone: "dim" };
  return LOOKS[task.status];
}
const LOOKS: Readonly<Record<Exclude<Status, "pending">, Look>> = {
  in_progress: { glyph: "▶", word: "in progress", tone: "busy" },
  completed: { glyph: "✓", word: "completed", tone: "good" },
  failed: { glyph: "✗", word: "failed", tone: "bad" },
  cancelled: { glyph: "⊘", word: "cancelled", tone: "warn" },
};

/** A task as shown and dumped: every task has every field; `null` means "not (yet)". */
export type TaskData = Omit<TaskFields, "openBlockers"> & {
  readonly status: Status;
  readonly ready: boolean;
  readonly owner: Name | null;
  /** The blockers that are not completed. */
  readonly waitsFor: readonly TaskId[];
  /** A task in progress that edits the same files, so that this one, though ready, cannot be claimed yet. */
  readonly heldBy: TaskId | null;
  readonly result: string | null;
  /** The reason of its failure or cancellation. */
  readonly reason: string | null;
  readonly startedAt: Instant | null;
  readonly endedAt: Instant | null;
  /** Since it ended, else since it was claimed, else since it was added. */
  readonly ageMs: number;
};
type TaskFields = Pick<Task, keyof Task>;
export type BoardData = {
  readonly team: Name;
  readonly counts: Counts;
  /** How long the open tasks take, and what decides it; absent where that is not known. */
  readonly plan?: string;
  readonly tasks: readonly TaskData[];
  readonly red?: string;
};

export function boardData(team: Name, tasks: readonly Task[], now: Instant): BoardData {
  const status = new Map(tasks.map((task) => [task.id, task.status]));
  const editing = tasks.filter((task) => task.status === "in_progress" && task.touches.length > 0);
  const rows = tasks.map((task): TaskData => taskData(task, (id) => status.get(id), editing, now));
  return { team, counts: countTasks(tasks), tasks: rows };
}

function taskData(
  task: Task,
  status: (id: TaskId) => Status | undefined,
  editing: readonly Task[],
  now: Instant,
): TaskData {
  const { openBlockers, ...facts } = task;
  const owner = task.status === "pending" ? null : task.owner;
  const startedAt = "startedAt" in task ? task.startedAt : null;
  const endedAt = "endedAt" in task ? task.endedAt : null;
  return {
    ...facts,
    ready: isReady(task),
    owner,
    waitsFor: task.status === "pending" ? task.blockedBy.filter((id) => status(id) !== "completed") : [],
    heldBy: isReady(task)
      ? (editing.find((other) => overlapping(task.touches, other.touches))?.id ?? null)
      : null,
    result: task.status === "completed" ? task.result : null,
    reason: task.status === "failed" || task.status === "cancelled" ? task.reason : null,
    startedAt,
    endedAt,
    ageMs: now - (endedAt ?? startedAt ?? task.createdAt),
  };
}

export function countTasks(tasks: readonly Task[]): Counts {
  const of = (status: Status): number => tasks.filter((task) => task.status === status).length;
  return {
    pending: of("pending"),
    ready: tasks.filter(isReady).length,
    inProgress: of("in_progress"),
    completed: of("completed"),
    failed: of("failed"),
    cancelled: of("cancelled"),
    total: tasks.length,
  };
}

/** "8 tasks: 3 completed, 1 in progress, 4 to do (2 ready)" */
export function progressText(counts: Counts): string {
  const parts = [
    `${counts.completed} completed`,
    counts.inProgress > 0 ? `${counts.inProgress} in progress` : "",
    counts.failed > 0 ? `${counts.failed} failed` : "",
    counts.cancelled > 0 ? `${counts.cancelled} cancelled` : "",
    counts.pending > 0 ? `${counts.pending} to do (${counts.ready} ready)` : "",
  ];
  return `${counted(counts.total, "task")}: ${parts.filter((part) => part !== "").join(", ")}`;
}

export const progressShare = (counts: Counts): number =>
  counts.total === 0 ? 0 : (counts.completed + counts.failed + counts.cancelled) / counts.total;

export function boardViews(board: BoardData): View[] {
  const dead = new Set(
    board.tasks
      .filter((task) => task.status === "failed" || task.status === "cancelled")
      .map((task) => task.id),
  );
  const waits = (task: TaskData): Cell => ({
    text:
      task.heldBy === null
        ? task.waitsFor.map((id) => `#${id}${dead.has(id) ? "!" : ""}`).join(" ")
        : `#${task.heldBy} (same files)`,
    tone: task.waitsFor.some((id) => dead.has(id)) ? "bad" : "dim",
  });
  const rows = board.tasks.map((task): Cell[] => {
    const { glyph, word, tone } = look(task);
    return [
      { text: `#${task.id}`, tone: "dim" },
      { text: `${glyph} ${word}`, tone },
      { text: task.subject, ...(task.status === "in_progress" && { tone: "strong" }) },
      {
        text: task.owner ?? (task.role === null ? "" : `(${task.role})`),
        ...(task.owner === null && { tone: "dim" }),
      },
      waits(task),
      { text: span(task.ageMs), tone: "dim" },
      { text: task.attempt > 0 ? String(task.attempt) : "", tone: task.attempt > 1 ? "warn" : "dim" },
    ];
  });
  const columns: Column[] = [
    { name: "id", align: "right" },
    { name: "status" },
    { name: "subject", grow: true },
    { name: "owner" },
    { name: "waits for" },
    { name: "since", align: "right" },
    { name: "attempt", align: "right", minor: true },
  ];
  const table: View = {
    kind: "table",
    columns,
    rows,
    empty: 'The board is empty. Put a task on it: ekiden add "…"',
  };
  if (board.tasks.length === 0) return [table];
  return [
    ...redViews(board.red),
    table,
    {
      kind: "figures",
      figures: [
        { label: "board", text: progressText(board.counts), share: progressShare(board.counts) },
        ...(board.plan ? [{ label: "time", text: board.plan }] : []),
      ],
    },
  ];
}

export type TaskHistory = { readonly task: TaskData; readonly history: readonly Event[] };

export function taskHistory(id: TaskId, board: BoardData, events: readonly Event[]): TaskHistory | null {
  const task = board.tasks.find((one) => one.id === id);
  return task ? { task, history: events.filter((event) => "task" in event && event.task === id) } : null;
}

export function taskViews({ task, history }: TaskHistory): View[] {
  const { glyph, word, tone } = look(task);
  const figure = (label: string, text: string | null | undefined, of?: Tone): Figure[] =>
    text ? [{ label, text, ...(of && { tone: of }) }] : [];
  return [
    {
      kind: "figures",
      figures: [
        { label: `#${task.id}`, text: task.subject, tone: "strong" },
        { label: "status", text: `${glyph} ${word}`, tone },
        ...figure("owner", task.owner),
        ...figure("blocked by", task.blockedBy.map((id) => `#${id}`).join(" ")),
        ...figure("waits for", task.waitsFor.map((id) => `#${id}`).join(" "), "warn"),
        ...figure(
          "held by",
          task.heldBy === null ? "" : `#${task.heldBy}, which edits the same files`,
          "warn",
        ),
        ...figure(
          "parts",
          task.split && `${task.split.parts.map((id) => `#${id}`).join(" ")}, split by ${task.split.by}`,
        ),
        ...figure("comes from", task.parent && `#${task.parent}`),
        ...figure("touches", task.touches.join(", ")),
        ...figure("role", task.role),
        ...figure("priority", task.priority === 0 ? "" : String(task.priority)),
        ...figure("estimate", task.estimate === 1 ? "" : String(task.estimate)),
        ...figure("attempt", task.attempt > 0 ? String(task.attempt) : ""),
        ...figure("description", task.description),
        ...figure("result", task.result),
        ...(task.status === "failed" || task.status === "cancelled"
          ? figure("reason", task.reason, "bad")
          : figure("last failure", task.lastFailure, "warn")),
      ],
    },
    journalView(history, "No history."),
  ];
}
