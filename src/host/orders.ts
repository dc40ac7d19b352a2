/**
 * Obeys orders of the person that come through the journal, at once: between the calls of members, and an interrupt in the middle of one.
 * Each process of the team hears each order. One for a member is for the process that runs it; one for all is obeyed by each, and answered
 * by that of the lead, or by any where no process runs the lead.
 */
import { memberOf, type OrderGiven } from "../core/board/orders.ts";
import { isEkidenError, messageOf } from "../core/errors.ts";
import { type HostId, LEAD } from "../core/ids.ts";
import type { Cursor } from "../ports/index.ts";
import { liveHosts } from "../team/queries/hosts.ts";
import type { Obeying } from "./obey.ts";

/** Until the signal aborts. Never rejects. `since`: older orders are not for this process. */
export function takeOrders(own: Obeying, host: HostId, since: Cursor, signal: AbortSignal): void {
  const { store } = own;
  // An order waits for an earlier one of its kind to the same member.
  const last = new Map<string, Promise<void>>();
  let cursor = since;
  let looking = Promise.resolve();
  const look = async (): Promise<void> => {
    for await (const page of store.journal.pages(cursor, ["order.given"])) {
      cursor = page.cursor;
      for (const event of page.events) {
        if (event.type !== "order.given") continue;
        const key = `${event.what.kind} ${memberOf(event.what) ?? ""}`;
        const before = last.get(key) ?? Promise.resolve();
        last.set(
          key,
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
    const who = memberOf(what);
    if (signal.aborted || Date.now() > until || (who !== null && !team.names.includes(who))) return;
    const { obey } = await import("./obey.ts"); // most runs get no order
    const { fact, ...answer } = await obey(own, what, by).then(
      (done) => ({ isDone: true, ...done }),
      (error: unknown) => ({
        ...{ isDone: false, text: messageOf(error), fact: undefined },
        ...(isEkidenError(error) && { value: error.code }),
      }),
    );
    const lead = who === null ? await store.roster.member(LEAD) : null;
    const isLed =
      lead?.host && lead.host !== host && (await liveHosts(store)).some(({ id }) => id === lead.host);
    if (isLed) {
      if (!answer.isDone) await store.journal.warn(null, `An order was refused here: ${answer.text}`);
      return;
    }
    await store.journal.note([...(fact ? [fact] : []), { type: "order.done", order, host, ...answer }]);
  } catch {
    // The store is away. The person hears no answer, and is told so.
  }
}
