/** `ekiden add`: a task for the board. */
import { systemClock } from "../../adapters/clock.ts";
import { EkidenError } from "../../core/errors.ts";
import { quote, type TaskId, taskId } from "../../core/ids.ts";
import { checkTask, type NewTask } from "../../core/task.ts";
import { boardData } from "../../core/views/board.ts";
import { actorOf } from "../actor.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";

type Options = {
  description?: string;
  after?: string[];
  priority?: string;
  estimate?: string;
  role?: string;
  plan?: boolean;
  touches?: string[];
};

export async function run(call: Invocation, args: readonly string[], options: Options): Promise<undefined> {
  const task: NewTask = {
    subject: args.join(" ").trim(),
    blockedBy: idList(options.after ?? []),
    ...(options.description !== undefined && { description: options.description }),
    ...(options.priority !== undefined && { priority: number("--priority", options.priority) }),
    ...(options.estimate !== undefined && { estimate: number("--estimate", options.estimate) }),
    ...(options.plan && { needsPlan: true }),
    ...(options.role !== undefined && { role: options.role }),
    ...(options.touches !== undefined && { touches: words(options.touches) }),
  };
  // Before the store is opened: a task that is refused must not leave an empty team behind.
  checkTask(task);
  await withTeam(call, "make", async (store) => {
    const { board, team } = store;
    const added = await board.add(task, await actorOf(call, store));
    if (!call.json) return call.out.write(`${added.id}\n`);
    const [data] = boardData(team, [added], systemClock.now()).tasks;
    call.out.write(`${JSON.stringify(data)}\n`);
  });
}

const words = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(/[,\s]+/)).filter((part) => part !== "");
const idList = (texts: readonly string[]): TaskId[] => [...new Set(words(texts).map(taskId))];

function number(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value))
    throw new EkidenError("bad_input", `${option} ${quote(text)} is not a number.`);
  return value;
}
