/** The board, and one task with its history. Views: core/views/board.ts. */
import { systemClock } from "../../adapters/clock.ts";
import type { Status } from "../../core/board/task.ts";
import { notFound } from "../../core/errors.ts";
import type { Name, TaskId } from "../../core/ids.ts";
import { planWords } from "../../core/plan/makespan.ts";
import {
  type BoardData,
  boardData,
  type TaskData,
  type TaskHistory,
  taskHistory,
} from "../../core/views/board.ts";
import type { Store } from "../../ports/index.ts";
import { redNow } from "./red-target.ts";
import { TaskLife } from "./task-life.ts";

export type BoardFilter = { readonly status?: Status | "ready"; readonly owner?: Name };

/** The tasks that the filter selects; `counts` are always those of the whole board. */
export async function board(store: Store, filter: BoardFilter = {}): Promise<BoardData> {
  const data = boardData(store.team, await store.board.tasks(), systemClock.now());
  const { status, owner } = filter;
  const plan = await planOf(store, data.tasks);
  return {
    ...data,
    ...(plan !== "" && { plan }),
    ...(await redNow(store)),
    tasks: data.tasks.filter(
      (task) =>
        (status === undefined || (status === "ready" ? task.ready : task.status === status)) &&
        (owner === undefined || task.owner === owner),
    ),
  };
}

/** `life`: read on, and kept by the caller for the next look. @throws EkidenError `not_found`, with the ids that exist */
export async function task(
  store: Store,
  id: TaskId,
  life = new TaskLife(store.journal, id),
): Promise<TaskHistory> {
  const { board, team } = store;
  const found = await board.task(id);
  if (found === null) {
    const last = (await board.tasks()).at(-1);
    const range = last ? `The board has #1 to #${last.id}.` : "The board is empty.";
    throw notFound(`there is no task #${id}. ${range}`);
  }
  const blockers = await Promise.all(found.blockedBy.map((blocker) => board.task(blocker)));
  // A task in progress elsewhere on the board may hold back a task that names files.
  const others = found.touches.length > 0 ? await board.tasks() : [];
  const around = [
    found,
    ...blockers.filter((blocker) => blocker !== null),
    ...others.filter((other) => other.status === "in_progress" && other.id !== id),
  ];
  await life.readOn();
  return taskHistory(id, boardData(team, around, systemClock.now()), life.history) as TaskHistory;
}

/** How long the open tasks take, by the teammates that there are, and about what they cost. */
export async function planOf({ roster }: Store, tasks: readonly TaskData[]): Promise<string> {
  const members = await roster.members();
  const crew = members.filter(({ kind, activity }) => kind === "teammate" && activity.phase !== "shutdown");
  return planWords(
    tasks,
    crew.length,
    members.reduce((sum, { usd }) => sum + usd, 0),
  );
}
