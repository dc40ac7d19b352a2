/** `ekiden retry`, `cancel` and `release`: what a person decides over the heads of the team. Journalled as theirs. */
import { PERSON, type TaskId, taskId } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import type { Call } from "../call.ts";
import { withTeam } from "../open.ts";

const override = (act: (store: Store, id: TaskId, reason: string) => Promise<unknown>, done: string) => ({
  async run(call: Call, [text = "", ...reason]: readonly string[]): Promise<undefined> {
    const id = taskId(text);
    await withTeam(call, "look", async (store) => {
      await act(store, id, reason.join(" "));
      if (call.json)
        call.out.write(`${JSON.stringify({ id, status: (await store.board.task(id))?.status })}\n`);
      else call.say(`#${id} ${done}`);
    });
  },
});

export const retry = override(({ board }, id) => board.retry(id, PERSON), "is back on the board");
export const cancel = override(
  ({ board }, id, reason) => board.cancel(id, PERSON, reason || "cancelled by a person"),
  "is cancelled",
);
export const release = override(({ board }, id) => board.takeBack(id, PERSON), "is back on the board");
