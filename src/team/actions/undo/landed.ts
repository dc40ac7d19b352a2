/** Changes whose workspace is gone. A task that has landed is taken back by a task: a commit that reverts it goes through the gate. */
import { badInput } from "../../../core/errors.ts";
import { PERSON, type TaskId } from "../../../core/ids.ts";
import type { Change } from "../../../core/undo/change.ts";
import type { UndoneData } from "../../../core/undo/views.ts";
import type { Store } from "../../../ports/index.ts";
import { task } from "../../queries/board.ts";
import type { Done } from "../done.ts";
import { addTask } from "../tasks.ts";

const NONE: Omit<UndoneData, "whose" | "task" | "dryRun"> = {
  ...{ id: null, redo: false, files: [], conflicts: [], left: [], outside: [], conversations: [], diff: "" },
};

/** @throws EkidenError `bad_input` where it has not landed */
export async function takeBackLanded(
  store: Store,
  changes: readonly Change[],
  dryRun: boolean,
): Promise<Done<UndoneData>> {
  const [last] = changes;
  const id = last?.task ?? null;
  const found = id === null ? null : await task(store, id);
  const landed = found?.history.findLast((event) => event.type === "task.landed");
  if (!last || !found || landed?.type !== "task.landed")
    throw badInput(
      "The workspace of these changes is gone, and they have not landed: there is nothing to take back. ekiden undo --list shows others.",
    );
  const data = { ...NONE, dryRun, task: id, whose: [...new Set(changes.map(({ who }) => who))] };
  const where = `#${id} has landed on ${landed.target} as ${landed.commit.slice(0, 9)}`;
  if (dryRun) return { data, text: `${where}: a new task would revert it through the gate` };
  const { data: added } = await addTask(store, PERSON, {
    subject: `Revert #${id}: ${found.task.subject}`.slice(0, 200),
    description: `Take back what #${id} changed. It landed on ${landed.target} as ${landed.commit}. Use git revert --no-commit; git log shows whether it landed as one commit or as several. Keep what others have changed since. Change nothing else.`,
  });
  return {
    data,
    text: `${where}, so #${added.id as TaskId} reverts it: a member does that, and it lands through the gate`,
  };
}
