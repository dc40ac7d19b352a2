/** `ekiden edit`: changes a task that is not completed. */

import { badInput } from "../../../core/errors.ts";
import { given } from "../../../core/given.ts";
import { quote, taskId, taskIds, teammateName } from "../../../core/ids.ts";
import { withMarks, withMarksOf } from "../../../core/project/mark.ts";
import { withTeam } from "../../../project/open.ts";
import { editTask, type TaskEdit } from "../../../team/actions/tasks.ts";
import { actorOf } from "../../../team/actor.ts";
import type { Run } from "../entry.ts";
import { type TaskOptions, taskFields } from "./add.ts";

type Options = TaskOptions & { subject?: string; after?: string[]; role?: string; review?: string };

export const run: Run<Options> = async (call, [text = ""], options) => {
  const id = taskId(text);
  const { subject, after, role, assign, check } = options;
  const marks = given({ review: yesOrNo(options.review), check });
  const isMarked = Object.keys(marks).length > 0;
  const edit: TaskEdit = {
    ...taskFields(options),
    ...(subject !== undefined && { subject: subject.trim() }),
    ...(after !== undefined && { blockedBy: taskIds(...after) }),
    ...(assign !== undefined && { assignee: assign === "any" ? null : teammateName(assign) }),
    ...(role !== undefined && { role: role === "any" ? null : role }),
  };
  if (Object.keys(edit).length === 0 && !isMarked)
    throw badInput(
      `nothing to change in #${id}. Give at least one change, such as --priority 5, or --subject "Another subject".`,
    );
  await withTeam(call, "use", async (store) => {
    const before = (await store.board.task(id))?.description ?? "";
    const described = withMarksOf(before, edit.description ?? before);
    const isDescribed = isMarked || edit.description !== undefined;
    const change = isDescribed ? { ...edit, description: withMarks(described, marks) } : edit;
    call.done(await editTask(store, await actorOf(call, store), id, change));
  });
};

function yesOrNo(text: string | undefined): boolean | undefined {
  if (text === undefined || text === "yes" || text === "no")
    return text === undefined ? undefined : text === "yes";
  throw badInput(`--review ${quote(text)}: write yes or no.`);
}
