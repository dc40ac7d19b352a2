/** `ekiden plan`: the board that is planned; its order, and its beginning. */
import { badInput } from "../../../core/errors.ts";
import { PERSON, quote, taskId } from "../../../core/ids.ts";
import { planViews } from "../../../core/plan/plan-views.ts";
import { withTeam } from "../../../project/open.ts";
import { notDecidedBy } from "../../../team/actions/tasks.ts";
import { actorOf } from "../../../team/actor.ts";
import { beginBoard, moveTask } from "../../../team/plan/edit.ts";
import { planned } from "../../../team/plan/planned.ts";
import type { Invocation } from "../../kit/invocation.ts";
import type { Run } from "../entry.ts";

const PLACES = { up: -1, down: 1 } as const;

export const run: Run = async (call, words) => {
  await act(call, words);
};

async function act(call: Invocation, [action = "list", id]: readonly string[]): Promise<void> {
  if (action === "list" && id === undefined)
    return await withTeam(call, "look", async (store) => call.show(await planned(store), planViews));
  if (action === "begin" && id === undefined)
    return await withTeam(call, "use", async (store) => {
      const actor = await actorOf(call, store);
      if (actor !== PERSON) throw notDecidedBy(actor, "The person lets the board begin.");
      call.done(await beginBoard(store));
    });
  if ((action === "up" || action === "down") && id !== undefined)
    return await withTeam(call, "use", async (store) =>
      call.done(await moveTask(store, await actorOf(call, store), taskId(id), PLACES[action])),
    );
  throw badInput(
    `ekiden plan ${quote([action, id ?? ""].join(" ").trim())} is not a command. Use ekiden plan, ekiden plan up 3, ekiden plan down 3, or ekiden plan begin.`,
  );
}
