/** A member's own list of steps: it is reminded of an old list, and a summary keeps it. */
import { TodoWatch } from "../../../core/conversation/todo.ts";
import type { Feature } from "../../../runtime/agent/feature.ts";
import { todoWrite } from "../../../tools/todo.ts";
import type { Setup } from "../setup.ts";

export const todos = ({ entries }: Pick<Setup, "entries">): Feature => {
  const watch = new TodoWatch(entries);
  return {
    tools: () => [todoWrite],
    afterRound: (round) => watch.afterRound(round),
    pinned: () => watch.carried,
  };
};
