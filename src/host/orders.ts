/**
 * Obeys orders of the person that come through the journal, at once: between the calls of members, and an interrupt in the middle of one.
 * Each process of the team hears each order. One for a member is for the process that runs it; one for all is obeyed by each, and answered
 * by that of the lead, or by any where no process runs the lead.
 */
import type { Order, OrderGiven } from "../core/board/orders.ts";
import { messageOf } from "../core/errors.ts";
import { type HostId, LEAD, type Name } from "../core/ids.ts";
import { MODE_WORDS, type Mode } from "../core/permission/mode.ts";
import { money } from "../core/views/view.ts";
import type { Cursor, Store } from "../ports/index.ts";
import type { Team } from "../runtime/team/team.ts";
import type { MemberModels } from "./member-models.ts";
import type { Parts } from "./parts.ts";
import type { Spending } from "./spending.ts";

/** What a process has that an order changes. */
export type Obeying = {
  readonly store: Store;
  readonly agents: Pick<Parts["agents"], "refuse">;
  readonly models: MemberModels;
  readonly spending: Pick<Spending, "allowMore">;
  readonly team: Pick<Team, "interrupt" | "compact" | "names">;
  readonly useMode: (mode: Mode) => void;
};

type Obeyed = { readonly text: string; readonly value?: unknown };
type Acts = {
  readonly [K in Order["kind"]]: (
    own: Obeying,
    order: Extract<Order, { kind: K }>,
    by: Name,
  ) => Obeyed | Promise<Obeyed>;
};

const ACTS: Acts = {
  mode: async ({ store, useMode }, { mode }, by) => {
    useMode(mode);
    await store.journal.note([{ type: "mode.changed", mode, by }]);
    return { text: `mode ${mode}: ${MODE_WORDS[mode]}` };
  },
  model: async ({ store, agents, models }, { model, who }, by) => {
    if (who !== null) agents.refuse(who, "chooses its model itself, by its own settings");
    await models.replace(model, who ?? undefined);
    await store.journal.note([{ type: "model.changed", who, model, by }]);
    return { text: `${who ?? "the team"} uses ${model} from the next call on` };
  },
  effort: async ({ store, models }, { effort, who }, by) => {
    models.think(effort ?? undefined, who ?? undefined);
    await store.journal.note([{ type: "effort.changed", who, effort, by }]);
    const how = effort ? `with effort ${effort}` : "as the settings say";
    return { text: `${who ?? "the team"} thinks ${how} from the next call on` };
  },
  budget: ({ spending }, { usd, tokens }) => {
    const over = spending.allowMore({
      ...(usd !== undefined && { usd: usd ?? Number.POSITIVE_INFINITY }),
      ...(tokens !== undefined && { tokens: tokens ?? Number.POSITIVE_INFINITY }),
    });
    if (over) return { text: `that is not enough: ${over.text}`, value: over };
    if (usd === null) return { text: "the team has no limit now" };
    return { text: usd === undefined ? "the team may go on" : `the team may spend ${money(usd)} more` };
  },
  interrupt: ({ team }, { who }) => {
    team.interrupt(who, "person");
    return { text: `${who} was interrupted: it keeps its task and waits for a word` };
  },
  compact: async ({ agents, team }, { who, anew }) => {
    agents.refuse(who, "keeps its conversation, and keeps it small, by itself");
    const value = await team.compact(who, anew);
    const text =
      value === null
        ? `the conversation of ${who} has nothing to sum up yet`
        : `the conversation of ${who} has ${value.after} tokens now; it had ${value.before}`;
    return { text, value };
  },
};

/** @throws EkidenError of the part that refuses it */
export const obey = async (own: Obeying, order: Order, by: Name): Promise<Obeyed> =>
  await (ACTS[order.kind] as Acts["mode"])(own, order as Extract<Order, { kind: "mode" }>, by);

/** Until the signal aborts. Never rejects. `since`: older orders are not for this process. */
export function takeOrders(own: Obeying, host: HostId, since: Cursor, signal: AbortSignal): void {
  const { store } = own;
  const heard = new Set<string>();
  // An order waits for an earlier one of its kind, and an interrupt for nothing.
  const last = new Map<string, Promise<void>>();
  let cursor = since;
  let looking = Promise.resolve();
  const look = async (): Promise<void> => {
    for await (const page of store.journal.pages(cursor, ["order.given"])) {
      cursor = page.cursor;
      for (const event of page.events) {
        if (event.type !== "order.given" || heard.has(event.order)) continue;
        heard.add(event.order);
        const { kind } = event.what;
        const before = last.get(kind) ?? Promise.resolve();
        last.set(
          kind,
          before.then(() => take(own, host, event, signal)),
        );
      }
    }
  };
  const lookSoon = (): void => {
    looking = looking.then(() => (signal.aborted ? undefined : look().catch(() => {})));
  };
  const unwatch = store.wake.watch("orders", lookSoon);
  signal.addEventListener("abort", unwatch, { once: true });
  lookSoon();
}

async function take(own: Obeying, host: HostId, given: OrderGiven, signal: AbortSignal): Promise<void> {
  const { store, team } = own;
  const { order, what, by, until } = given;
  try {
    const who = "who" in what ? what.who : null;
    if (signal.aborted || Date.now() > until || (who !== null && !team.names.includes(who))) return;
    const answer = await obey(own, what, by).then(
      (done) => ({ isDone: true, ...done }),
      (error: unknown) => ({ isDone: false, text: messageOf(error) }),
    );
    const lead = who === null ? await store.roster.member(LEAD) : null;
    if (lead?.host && lead.host !== host) {
      if (!answer.isDone) await store.journal.warn(null, `An order was refused here: ${answer.text}`);
      return;
    }
    await store.journal.note([{ type: "order.done", order, host, ...answer }]);
  } catch {
    // The store is away. Whoever gave it hears nothing, and is told so.
  }
}
