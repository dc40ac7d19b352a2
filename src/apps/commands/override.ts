/** `ekiden retry`, `cancel` and `release`: what a person, or the lead, decides over the heads of the team. Journalled as theirs. */
import { type Name, PERSON, type TaskId, taskId } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { leadOrPerson } from "../actor.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";

const INSTEAD =
  "Give back your own task with release_task or fail_task; about others ask the lead with send_message.";

const override = (
  act: (store: Store, id: TaskId, by: Name, reason: string) => Promise<unknown>,
  done: string,
) => ({
  async run(call: Invocation, [text = "", ...reason]: readonly string[]): Promise<undefined> {
    const id = taskId(text);
    await withTeam(call, "look", async (store) => {
      await act(store, id, await leadOrPerson(call, store, INSTEAD), reason.join(" "));
      if (call.json)
        call.out.write(`${JSON.stringify({ id, status: (await store.board.task(id))?.status })}\n`);
      else call.say(`#${id} ${done}`);
    });
  },
});

export const retry = override(({ board }, id, by) => board.retry(id, by), "is back on the board");
export const cancel = override(
  ({ board }, id, by, reason) =>
    board.cancel(id, by, reason || `cancelled by ${by === PERSON ? "a person" : by}`),
  "is cancelled",
);
export const release = override(({ board }, id, by) => board.takeBack(id, by), "is back on the board");
