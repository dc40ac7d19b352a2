/** `ekiden retry`, `cancel`, `release`, `take`, `done` and `fail`: a person or the lead decides about a task of any owner. */
import { type Name, type TaskId, taskId } from "../../../core/ids.ts";
import type { Store } from "../../../ports/index.ts";
import { withTeam } from "../../../project/open.ts";
import type { Done } from "../../../team/actions/done.ts";
import {
  cancelTask,
  completeTask,
  failTask,
  releaseTask,
  reopenTask,
  retryTask,
  takeTask,
} from "../../../team/actions/tasks.ts";
import { actorOf } from "../../../team/actor.ts";
import type { Code } from "../entry.ts";

const override = (
  act: (store: Store, by: Name, id: TaskId, reason: string, cwd: string) => Promise<Done>,
): Code => ({
  run: async (call, [text = "", ...reason]) => {
    const id = taskId(text);
    await withTeam(call, "use", async (store) =>
      call.done(await act(store, await actorOf(call, store), id, reason.join(" "), call.cwd)),
    );
  },
});

/** Several at once: each has its own line, and the first that cannot ends it. */
export const retry: Code = {
  run: async (call, texts) => {
    const ids = texts.map(taskId);
    await withTeam(call, "use", async (store) => {
      const by = await actorOf(call, store);
      for (const id of ids) call.done(await retryTask(store, by, id));
    });
  },
};
export const reopen = override(reopenTask);
export const cancel = override(cancelTask);
export const release = override(releaseTask);
export const take = override(takeTask);
export const done = override(completeTask);
export const fail = override(failTask);
