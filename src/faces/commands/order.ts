/** Commands that steer a team at work, from any machine that reaches its store: `mode`, `model`, `effort`, `interrupt`, `compact`. */
import type { Order } from "../../core/board/orders.ts";
import { recruit } from "../../core/board/recruit.ts";
import { LEAD, type Name, name } from "../../core/ids.ts";
import { readMode } from "../../core/permission/mode.ts";
import { readOrdered } from "../../core/settings/effort.ts";
import { withTeam } from "../../project/open.ts";
import { give } from "../../team/actions/order.ts";
import { actorOf } from "../../team/actor.ts";
import type { Run } from "./entry.ts";

/** `value`: the tokens of a conversation before and after, or the limit that is still used up; else null. */
export type Ordered = { readonly order: Order; readonly said: string; readonly value: unknown };
type Read<O> = (args: readonly string[], options: O) => Order;

const ordering =
  <O = object>(read: Read<O>): Run<O> =>
  async (call, args, options) => {
    const order = read(args, options);
    await withTeam(call, "use", async (store) => {
      const { data: value, text } = await give(store, await actorOf(call, store), order, call.say);
      const data: Ordered = { order, said: text, value };
      call.done({ data, text });
    });
    return undefined;
  };

const orAll = (who: string | undefined): Name | null => (who === undefined ? null : name(who));

export const mode = { run: ordering(([text = ""]) => ({ kind: "mode", mode: readMode(text) })) };
export const model = {
  run: ordering(([spec = "", who]) => ({ kind: "model", model: spec, who: orAll(who) })),
};
export const effort = {
  run: ordering(([level = "", who]) => ({
    kind: "effort",
    effort: readOrdered(level),
    who: orAll(who),
  })),
};
export const spawn = {
  run: ordering(([text = ""]) => {
    recruit(text); // a wrong name is refused here
    return { kind: "spawn", spawn: text, who: LEAD };
  }),
};
export const interrupt = { run: ordering(([who = ""]) => ({ kind: "interrupt", who: name(who) })) };
export const compact = {
  run: ordering<{ anew?: boolean }>(([who = ""], { anew = false }) => ({
    kind: "compact",
    who: name(who),
    anew,
  })),
};
