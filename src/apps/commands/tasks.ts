/** `ekiden tasks`: the board, or one task with its history from the journal. */
import { systemClock } from "../../adapters/clock.ts";
import { EkidenError } from "../../core/errors.ts";
import type { Event, FactType } from "../../core/event.ts";
import { type TaskId, taskId } from "../../core/ids.ts";
import {
  type BoardData,
  boardData,
  boardViews,
  type TaskHistory,
  taskHistory,
  taskViews,
} from "../../core/views/board.ts";
import type { Store } from "../../ports/index.ts";
import { allEvents } from "../follow.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";

export async function run(call: Invocation, [text]: readonly string[]): Promise<undefined> {
  const id = text === undefined ? null : taskId(text);
  await withTeam(call, "look", async (store) => {
    if (id === null) {
      const board = await readBoard(store);
      return call.show(board, () => boardViews(board));
    }
    const history = await readTask(store, id);
    await call.show(history, () => taskViews(history));
  });
}

/** @throws EkidenError `not_found` */
export async function readTask(store: Store, id: TaskId): Promise<TaskHistory> {
  const task = await store.board.task(id);
  if (task === null) {
    const last = (await store.board.tasks()).at(-1);
    const range = last ? `The board has #1 to #${last.id}.` : "The board is empty.";
    throw new EkidenError("not_found", `there is no task #${id}. ${range}`);
  }
  const blockers = await Promise.all(task.blockedBy.map((blocker) => store.board.task(blocker)));
  const around = [task, ...blockers.filter((blocker) => blocker !== null)];
  return taskHistory(
    id,
    boardData(store.team, around, systemClock.now()),
    await taskEvents(store),
  ) as TaskHistory;
}

export const readBoard = async (store: Store): Promise<BoardData> =>
  boardData(store.team, await store.board.tasks(), systemClock.now());

const ABOUT_TASKS: readonly FactType[] = [
  "task.added",
  "task.changed",
  "task.claimed",
  "task.completed",
  "task.failed",
  "task.released",
  "task.cancelled",
  "task.unblocked",
  "task.queued",
  "gate.started",
  "task.landed",
  "task.reopened",
  "plan.submitted",
  "plan.answered",
];

async function taskEvents({ journal }: Store): Promise<Event[]> {
  const found: Event[] = [];
  for await (const events of allEvents(journal, journal.from(0), ABOUT_TASKS)) found.push(...events);
  return found;
}
