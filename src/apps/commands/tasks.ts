/** `ekiden tasks`: the board, or one task with its history from the journal. */
import { systemClock } from "../../adapters/clock.ts";
import { type BoardData, boardData, boardViews, taskHistory, taskViews } from "../../core/board-view.ts";
import { EkidenError } from "../../core/errors.ts";
import type { Event, FactType } from "../../core/event.ts";
import { taskId } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import type { Call } from "../call.ts";
import { allEvents } from "../follow.ts";
import { withTeam } from "../open.ts";

export async function run(call: Call, [text]: readonly string[]): Promise<undefined> {
  const id = text === undefined ? null : taskId(text);
  await withTeam(call, "look", async (store) => {
    const board = await readBoard(store);
    if (id === null) return call.show(board, () => boardViews(board));
    const history = taskHistory(id, board, await taskEvents(store));
    if (!history) {
      const range =
        board.tasks.length === 0
          ? "The board is empty."
          : `The board has #${board.tasks[0]?.id} to #${board.tasks.at(-1)?.id}.`;
      throw new EkidenError("not_found", `there is no task #${id}. ${range}`);
    }
    await call.show(history, () => taskViews(history));
  });
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
  "plan.submitted",
  "plan.answered",
];

export async function taskEvents({ journal }: Store): Promise<Event[]> {
  const found: Event[] = [];
  for await (const events of allEvents(journal, journal.from(0), ABOUT_TASKS)) found.push(...events);
  return found;
}
