/** `ekiden edit`: changes a task that is not completed. */
import { EkidenError } from "../../core/errors.ts";
import { taskId } from "../../core/ids.ts";
import { editTask, type TaskEdit } from "../actions/tasks.ts";
import { actorOf } from "../actor.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";
import { idList, type TaskOptions, taskFields } from "./add.ts";

type Options = TaskOptions & { subject?: string; after?: string[]; role?: string };

export async function run(
  call: Invocation,
  [text = ""]: readonly string[],
  options: Options,
): Promise<undefined> {
  const id = taskId(text);
  const { subject, after, role } = options;
  const edit: TaskEdit = {
    ...taskFields(options),
    ...(subject !== undefined && { subject: subject.trim() }),
    ...(after !== undefined && { blockedBy: after.join() === "none" ? [] : idList(after) }),
    ...(role !== undefined && { role: role === "any" ? null : role }),
  };
  if (Object.keys(edit).length === 0)
    throw new EkidenError(
      "bad_input",
      `nothing to change in #${id}. Give what is to be different, such as: ekiden edit ${id} --priority 5`,
    );
  await withTeam(call, "look", async (store) =>
    call.done(await editTask(store, await actorOf(call, store), id, edit)),
  );
}
