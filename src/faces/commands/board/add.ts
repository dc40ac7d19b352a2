/** `ekiden add`: a task for the board. */

import { checkTask, type NewTask } from "../../../core/board/task.ts";
import { badInput } from "../../../core/errors.ts";
import { given } from "../../../core/given.ts";
import { quote, taskId, taskIds, teammateName } from "../../../core/ids.ts";
import { withMarks } from "../../../core/project/mark.ts";
import { withTeam } from "../../../project/open.ts";
import { addTask } from "../../../team/actions/tasks.ts";
import { actorOf } from "../../../team/actor.ts";
import type { Run } from "../entry.ts";

type Options = TaskOptions & {
  after?: string[];
  role?: string;
  plan?: boolean;
  review?: boolean;
  judges?: boolean;
  replaces?: string;
};

export const run: Run<Options> = async (call, args, options) => {
  const { after = [], role, plan, review, judges, check, assign, replaces, description = "" } = options;
  const marked = withMarks(description, given({ review, judges, check }));
  const task: NewTask = {
    subject: args.join(" ").trim(),
    blockedBy: taskIds(...after),
    ...taskFields(options),
    ...(plan && { needsPlan: true }),
    ...(marked !== "" && { description: marked }),
    ...(replaces !== undefined && { replaces: taskId(replaces) }),
    ...given({ role, assignee: assign === undefined ? undefined : teammateName(assign) }),
  };
  // Before the store is opened: a task that is refused must not leave an empty team behind.
  checkTask(task);
  await withTeam(call, "make", async (store) => {
    const added = await addTask(store, await actorOf(call, store), task);
    // The id alone is for scripts; a conversation has a sentence.
    if (call.store || call.json) call.done(added);
    else call.out.write(`${added.data.id}\n`);
  });
};

/** The options that `add` and `edit` share. */
export type TaskOptions = {
  description?: string;
  priority?: string;
  estimate?: string;
  touches?: string[];
  assign?: string;
  check?: string;
};

/** @throws EkidenError `bad_input` */
export const taskFields = ({ description, priority, estimate, touches }: TaskOptions) =>
  given({
    description,
    priority: number("--priority", priority),
    estimate: number("--estimate", estimate),
    touches: touches && patterns(touches),
  });

const split = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(/[,\s]+/)).filter((part) => part !== "");

function patterns(texts: readonly string[]): string[] {
  const found = split(texts);
  if (found.length === 0)
    throw badInput('--touches "" names no file. Give path patterns, such as src/api/**.');
  return found;
}

function number(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value))
    throw badInput(`${option} ${quote(text)} is not a number.`);
  return value;
}
