/** A member's own list of steps: it is reminded of an old list, and a summary keeps it. */
import { TodoWatch } from "../../core/conversation/todo.ts";
import type { Feature } from "../../runtime/agent/feature.ts";
import { todoWrite } from "../../tools/todo.ts";
import type { Setup } from "../setup.ts";

type Needs = Pick<Setup, "entries"> & {
  readonly parts: { readonly settings: { readonly todoReminderRounds: number } };
};

export const todos = ({ entries, parts }: Needs): Feature => {
  const watch = new TodoWatch(entries, parts.settings.todoReminderRounds);
  return {
    tools: () => [todoWrite],
    afterRound: (round) => watch.afterRound(round),
    pinned: () => watch.carried,
  };
};
