/** Changes to a planned board in one place: the order of its tasks, their words, edges, checks and members; and its beginning. */
import { badInput, notFound } from "../../core/errors.ts";
import { type Name, name, type TaskId, taskIds } from "../../core/ids.ts";
import { BEGIN } from "../../core/plan/hold.ts";
import { moved } from "../../core/plan/order.ts";
import { PLAN_FIELDS, type PlanField, type PlanTexts } from "../../core/plan/plan-views.ts";
import { withCheck } from "../../core/project/mark.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { BoardEdit, Store } from "../../ports/index.ts";
import { answer } from "../actions/answer.ts";
import type { Done } from "../actions/done.ts";
import { editTask, mustEdit, type TaskEdit } from "../actions/tasks.ts";
import { liveHosts } from "../queries/hosts.ts";
import { boardQuestionOf } from "./planned.ts";

/** Changes places with the task before (-1) or behind it. @throws EkidenError `bad_input` | `not_found` | `not_permitted` */
export async function moveTask(store: Store, by: Name, id: TaskId, places: 1 | -1): Promise<Undoable> {
  mustEdit(by);
  const set = (priorities: ReadonlyMap<TaskId, number>): BoardEdit[] =>
    [...priorities].map(([one, priority]) => ({ id: one, change: { priority } }));
  const { before } = await store.board.replan((tasks) => {
    if (!tasks.some((task) => task.id === id))
      throw notFound(`There is no task #${id}. ekiden tasks shows all tasks.`);
    const move = moved(tasks, id, places);
    if ("why" in move) throw badInput(move.why);
    const old = tasks.filter((task) => move.priorities.has(task.id));
    return {
      edits: set(move.priorities),
      before: new Map(old.map((task) => [task.id, task.priority])),
    };
  }, by);
  const undo = async (): Promise<Done<unknown>> => {
    await store.board.replan(() => ({ edits: set(before) }), by);
    return { data: { id }, text: `#${id} is where it was` };
  };
  return { data: { id }, undo, text: `#${id} is one place ${places < 0 ? "sooner" : "later"}` };
}

/** So many edits of one list can be taken back. */
export const UNDOS_MAX = 100;

/** A change with what undoes it. */
export type Undoable = Done<{ readonly id: TaskId }> & { readonly undo: () => Promise<Done<unknown>> };

/**
 * Takes a task off the plan. What waited for it waits for what it waited for: a cancelled task would keep them for ever. @throws as `cancelTask`
 */
export async function removePlanned(store: Store, by: Name, id: TaskId): Promise<Undoable> {
  mustEdit(by);
  const { behind } = await store.board.replan((tasks) => {
    const own = tasks.find((task) => task.id === id)?.blockedBy ?? [];
    const waiting = tasks.filter(({ status, blockedBy }) => status === "pending" && blockedBy.includes(id));
    const rest = waiting.map((task) => ({
      id: task.id,
      change: { removeBlockedBy: [id], addBlockedBy: own.filter((one) => !task.blockedBy.includes(one)) },
    }));
    return { edits: [...rest, { id, cancelled: "taken off the plan" }], behind: rest };
  }, by);
  const undo = async (): Promise<Done<unknown>> => {
    const back = behind.map((task) => ({
      id: task.id,
      change: { addBlockedBy: [id], removeBlockedBy: task.change.addBlockedBy },
    }));
    await store.board.replan(() => ({ edits: [{ id, retried: true }, ...back] }), by);
    return { data: { id }, text: `#${id} is back on the board` };
  };
  const list = behind.map((task) => `#${task.id}`);
  const after =
    behind.length === 0
      ? ""
      : `; ${list.join(", ")} no longer ${list.length === 1 ? "waits" : "wait"} for it`;
  return { data: { id }, undo, text: `#${id} is off the plan${after}` };
}

/** @throws EkidenError `bad_input` */
function sizeIn(text: string): number {
  const size = Number(text);
  if (text.trim() !== "" && size > 0) return size;
  throw badInput(
    `"${cutEnd(text, 40)}" is not a size. It is a number above 0, such as 0.5 or 3; most tasks have 1.`,
  );
}

/** "@alice" or "alice" where a member has that name, else a role; "" for anybody. */
async function whoIn({ roster }: Store, text: string): Promise<TaskEdit> {
  const word = text.trim();
  if (word === "" || /^any(body)?$/i.test(word)) return { role: null, assignee: null };
  if (word.startsWith("@")) return { role: null, assignee: name(word.slice(1)) };
  const isMember = (await roster.members()).some((one) => one.name === word);
  return isMember ? { role: null, assignee: name(word) } : { role: word, assignee: null };
}

/** All of the fields, or none. @throws EkidenError `bad_input` | `cycle` | `not_found`, as `editTask` */
export async function editPlanned(
  store: Store,
  by: Name,
  id: TaskId,
  texts: PlanTexts,
): Promise<Done<{ readonly id: TaskId }> & Partial<Pick<Undoable, "undo">>> {
  const known = await store.board.task(id);
  if (!known) throw notFound(`Task #${id} no longer exists.`);
  const edits: Readonly<Record<PlanField, (text: string) => TaskEdit | Promise<TaskEdit>>> = {
    subject: (text) => ({ subject: text.trim() }),
    after: (text) => ({ blockedBy: taskIds(text) }),
    check: (text) => ({ description: withCheck(known.description, text) }),
    who: (text) => whoIn(store, text),
    touches: (text) => ({ touches: text.split(/[,\s]+/).filter((one) => one !== "") }),
    estimate: (text) => ({ estimate: sizeIn(text) }),
  };
  let edit: TaskEdit = {};
  for (const field of PLAN_FIELDS) {
    const text = texts[field];
    if (text !== undefined) edit = { ...edit, ...(await edits[field](text)) };
  }
  const done = await editTask(store, by, id, edit);
  const { subject, blockedBy, description, role, touches, estimate, assignee = null } = known;
  const before = { subject, blockedBy, description, touches, estimate, role, assignee };
  const keys = Object.keys(edit) as (keyof typeof before)[];
  const undo = (): Promise<Done<unknown>> =>
    editTask(store, by, id, Object.fromEntries(keys.map((key) => [key, before[key]])));
  const isChanged = done.data.changed.length > 0;
  return { data: { id }, ...(isChanged && { undo }), text: done.text };
}

/** Lets a board begin that waits for the person. @throws EkidenError `not_found` | `answered` */
export async function beginBoard(store: Store): Promise<Done<unknown>> {
  const question = await boardQuestionOf(store);
  if (question === null)
    throw notFound("No board waits for your approval: ekiden ps shows what waits for you.");
  const { data } = await answer(store, question, BEGIN);
  const isRun = (await liveHosts(store)).length > 0;
  return {
    data,
    text: isRun
      ? "the team works on the board as it is now"
      : "the board is approved, but no process runs the team. Start it: ekiden resume",
  };
}
