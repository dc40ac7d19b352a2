/** Changes to the board by a person, or by the member in whose shell a command was typed. Each is journalled with its author. */

import { systemClock } from "../../adapters/clock.ts";
import { livesAs } from "../../adapters/process-identity.ts";
import {
  checkTask,
  EDITABLE_FIELDS,
  isFinished,
  type NewTask,
  namesFile,
  type Part,
  SUBJECT_MAX,
  type Task,
  type TaskChange,
} from "../../core/board/task.ts";
import { badInput, EkidenError, notFound, notPermitted } from "../../core/errors.ts";
import { LEAD, type Name, PERSON, type TaskId } from "../../core/ids.ts";
import { changedIn } from "../../core/project/mark.ts";
import { listed } from "../../core/text/listed.ts";
import { cutEnd } from "../../core/text/valid.ts";
import { boardData, type TaskData } from "../../core/views/board.ts";
import type { Board, BoardEdit, Store } from "../../ports/index.ts";
import type { Done } from "./done.ts";

/** @throws EkidenError `bad_input` | `not_found` (a blocker) */
export async function addTask(store: Store, by: Name, task: NewTask): Promise<Done<TaskData>> {
  const added = await store.board.add(task, by);
  const [data] = boardData(store.team, [added], systemClock.now()).tasks as [TaskData];
  return { data, text: `#${added.id} is on the board` };
}

/** `blockedBy` replaces the blockers of the task. `role`, `assignee`: null for any. */
export type TaskEdit = Omit<TaskChange, "addBlockedBy" | "removeBlockedBy"> & {
  readonly blockedBy?: readonly TaskId[];
  readonly assignee?: Name | null;
};

type Edited = { readonly id: TaskId; readonly changed: readonly string[] };

/** Changes a task that is not completed, and tells its owner. @throws EkidenError `bad_input` | `not_found` | `cycle` | `already_started` | `not_permitted` */
export async function editTask(store: Store, by: Name, id: TaskId, edit: TaskEdit): Promise<Done<Edited>> {
  mustEdit(by);
  checkTask(edit);
  const { blockedBy, assignee, ...fields } = edit;
  const before = await store.board.task(id);
  if (before?.status === "completed")
    throw new EkidenError(
      "already_started",
      `Task #${id} is completed, so it cannot be edited. Add a new task for further work.`,
    );
  const change: TaskChange = {
    ...fields,
    ...(blockedBy && {
      addBlockedBy: blockedBy.filter((one) => !before?.blockedBy.includes(one)),
      removeBlockedBy: before?.blockedBy.filter((one) => !blockedBy.includes(one)) ?? [],
    }),
  };
  const after =
    assignee === undefined
      ? await store.board.change(id, change, by)
      : await changeAndAssign(store, by, { id, assignee, change });
  const changed = [...EDITABLE_FIELDS, "assignee" as const].filter(
    (key) => JSON.stringify(before?.[key]) !== JSON.stringify(after[key]),
  );
  if (changed.length === 0) return { data: { id, changed }, text: `#${id} is unchanged` };
  const isTaken = after.status === "pending";
  const told = await toldText(store, before, by, isTaken ? " to stop" : "");
  const written = told && isTaken ? writtenIn(after) : "";
  const words = changed.flatMap((key) =>
    key === "description" ? changedIn(before?.description ?? "", after.description) : key,
  );
  const done = `#${id}: changed ${words.join(", ")}${told}`;
  return { data: { id, changed }, text: withSentences(done, written) };
}

/** In one step. */
async function changeAndAssign({ board }: Store, by: Name, edit: BoardEdit): Promise<Task> {
  await board.replan(() => ({ edits: [edit] }), by);
  const after = await board.task(edit.id);
  if (!after) throw notFound(`Task #${edit.id} no longer exists.`);
  return after;
}

const withSentences = (done: string, ...sentences: string[]): string => {
  const more = sentences.filter((one) => one !== "").join(" ");
  return more === "" ? done : `${done}. ${more}`;
};

const NAMES_SHOWN = 10;

type Decided = { readonly id: TaskId; readonly status: string | undefined };

/** Puts a failed or cancelled task back on the board. @throws EkidenError `not_found` | `bad_input` | `already_started` | `not_permitted` */
export const retryTask = (store: Store, by: Name, id: TaskId): Promise<Done<Decided>> =>
  decide(store, by, id, "is back on the board", () => store.board.retry(id, by));

/** Puts a task on the board that continues a completed one, whose result and commit its owner reads. @throws as `retryTask` */
export async function reopenTask(
  store: Store,
  by: Name,
  id: TaskId,
  words = "",
): Promise<Done<{ readonly id: TaskId; readonly of: TaskId }>> {
  mustDecide(by, "Create a task with create_task, or ask the lead with send_message.");
  const before = await store.board.task(id);
  if (!before) throw notFound(`There is no task #${id}. ekiden tasks shows all tasks.`);
  if (before.status !== "completed")
    throw badInput(
      `Task #${id} is ${before.status.replace("_", " ")}, so it does not need to be reopened.${isFinished(before) ? ` To put it back on the board: ekiden retry ${id}` : ""}`,
    );
  const { subject, description, role, estimate, touches, needsPlan, result } = before;
  const commit = (await store.journal.ofTask(id, ["task.landed"])).at(-1)?.commit;
  const landed = commit === undefined ? "" : `, and its change has landed as ${commit.slice(0, 9)}`;
  const head = `[It continues #${id}, which ${before.owner} completed${landed}. Its result: ${cutEnd(result, RESULT_SHOWN)}]`;
  const text = [words, head, `#${id} read:`, description].filter((part) => part.trim() !== "").join("\n\n");
  const added = await store.board.add(
    {
      subject: cutEnd(`Again: ${subject}`, SUBJECT_MAX),
      description: text,
      blockedBy: [id],
      ...{ role, estimate, touches: touches.filter(namesFile), needsPlan },
    },
    by,
  );
  return { data: { id: added.id, of: id }, text: `#${added.id} is on the board, and names #${id}` };
}

const RESULT_SHOWN = 2_000;

/** Takes a claimed task from its owner and puts it back on the board. @throws as `retryTask` */
export const releaseTask = (store: Store, by: Name, id: TaskId): Promise<Done<Decided>> =>
  decide(store, by, id, "is back on the board", () => store.board.takeBack(id, by));

/** A person does a task by hand; members leave it alone. @throws as `retryTask` */
export const takeTask = (store: Store, by: Name, id: TaskId): Promise<Done<Decided>> =>
  decide(store, by, id, "is yours", () => store.board.claimFor(id, by));

/** `words`: the reason or the result. `cwd`: the project, for the work that the task leaves. @throws as `retryTask` */
type End = (store: Store, by: Name, id: TaskId, words?: string, cwd?: string) => Promise<Done<Decided>>;

const end =
  (text: string, act: (board: Board, id: TaskId, by: Name, words: string) => Promise<unknown>): End =>
  (store, by, id, words = "", cwd = "") =>
    decide(store, by, id, text, () => act(store.board, id, by, words), cwd);

/** Takes a task that is not completed off the board. */
export const cancelTask = end("is cancelled", (board, id, by, reason) =>
  board.cancel(id, by, reason || `cancelled by ${by === PERSON ? "a person" : by}`),
);

export const completeTask = end("is completed", (board, id, by, result) =>
  board.completeFor(id, by, result || "done by hand"),
);

export const failTask = end("has failed", (board, id, by, reason) =>
  board.failFor(id, by, reason || "failed by hand"),
);

/** `cwd`: the project, where the task ends and nobody continues with what is in its worktree. */
async function decide(
  store: Store,
  by: Name,
  id: TaskId,
  text: string,
  act: () => Promise<unknown>,
  cwd = "",
): Promise<Done<Decided>> {
  mustDecide(
    by,
    "Give back your own task with release_task or fail_task; about others ask the lead with send_message.",
  );
  const before = await store.board.task(id);
  const parts = before?.split ? await store.board.parts(id) : [];
  await act();
  const stopped = await toldText(store, before, by, " to stop");
  const after = await store.board.task(id);
  const written = stopped && after ? writtenIn(after) : "";
  const left = after && cwd !== "" ? await leftText(store, cwd, after) : "";
  const waiting =
    after?.status === "cancelled" || after?.status === "failed" ? await waitText(store, after) : "";
  const done = `#${id} ${text}${stopped}${await endedParts(store, parts)}`;
  return { data: { id, status: after?.status }, text: withSentences(done, left || written, waiting) };
}

/** The owner that the store has told, by mail. A process that has ended reads none. `what`: behind "was told". */
async function toldText({ roster }: Store, task: Task | null, by: Name, what: string): Promise<string> {
  if (task?.status !== "in_progress" || task.owner === by) return "";
  const { owner } = task;
  if (owner === PERSON) return "";
  const member = await roster.member(owner);
  const host = (await roster.hosts()).find(({ id }) => id === member?.host);
  const runs = host !== undefined && livesAs(host.identity) !== false;
  return runs
    ? `; ${owner} was told${what}`
    : `; ${owner} is not running, and reads of it when the team is resumed`;
}

/** The parts that the order has cancelled with their whole. */
async function endedParts({ board }: Store, before: readonly Part[]): Promise<string> {
  const open = before.filter(({ status }) => status === "pending" || status === "in_progress");
  if (open.length === 0) return "";
  const now = await Promise.all(open.map(({ id }) => board.task(id)));
  const ended = now.flatMap((task) => (task?.status === "cancelled" ? [`#${task.id}`] : []));
  return ended.length === 0 ? "" : `; cancelled with it: ${ended.join(", ")}`;
}

/** Tasks that wait for one that ended without success: no member can begin them. */
async function waitText({ board }: Store, { id, status }: Task): Promise<string> {
  const all = await board.tasks();
  const behind = all.filter((task) => task.status === "pending" && task.blockedBy.includes(id));
  const [first] = behind;
  if (!first) return "";
  const names = behind.map((task) => `#${task.id}`);
  return `${listed(names, NAMES_SHOWN)} ${names.length === 1 ? "waits" : "wait"} for it and cannot begin while it is ${status}: ekiden retry ${id}, ekiden cancel ${first.id}, or ekiden edit ${first.id} --after none`;
}

async function leftText({ team }: Store, cwd: string, task: Task): Promise<string> {
  const { leftInWorktree } = await import("../queries/task-change.ts");
  return await leftInWorktree(team, cwd, task);
}

/** The store's note on the files of an owner that was stopped: see adapters/store/written.ts. */
function writtenIn(task: Task): string {
  const said =
    (task.status === "completed" ? task.result : "reason" in task ? task.reason : task.lastFailure) ?? "";
  const at = said.lastIndexOf("Until then ");
  return at < 0 ? "" : said.slice(at);
}

/** @throws EkidenError `not_permitted` */
export const mustEdit = (by: Name): void =>
  mustDecide(by, "Change tasks with update_task, or ask the lead with send_message.");

/** Teammates decide nothing about tasks of others. */
function mustDecide(by: Name, instead: string): void {
  if (by !== LEAD && by !== PERSON) throw notDecidedBy(by, instead);
}

export const notDecidedBy = (who: Name, instead: string): EkidenError =>
  notPermitted(`this is a command of ${who}, who may not decide that. ${instead}`);
