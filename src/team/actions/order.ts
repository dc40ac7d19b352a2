/** Gives an order of the person to the processes of a team, wherever they run, and waits until it is obeyed. */
import { randomUUID } from "node:crypto";
import { systemClock } from "../../adapters/clock.ts";
import type { Host } from "../../core/board/host.ts";
import { memberOf, type Order } from "../../core/board/orders.ts";
import { EkidenError, type ErrorCode, notFound, toolFailed } from "../../core/errors.ts";
import { LEAD, later, type Name, PERSON } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { liveHosts } from "../queries/hosts.ts";
import { mustExist } from "../queries/team.ts";
import type { Done } from "./done.ts";
import { notDecidedBy } from "./tasks.ts";

/** A process at work answers within milliseconds. */
const ANSWER_MS = 5_000;
/** A model may take its time to sum up a conversation, and a turn until it ends. */
const COMPACT_MS = 120_000;
/** It looks at least so often, in case a wake-up is lost. */
const LOOK_MS = 500;

/** @throws EkidenError `not_permitted` | `not_found` | the error of the process, with its code | `tool_failed` (no answer) */
export async function give(
  store: Store,
  by: Name,
  what: Order,
  tell: (text: string) => void = () => {},
): Promise<Done<unknown>> {
  if (by !== PERSON) throw notDecidedBy(by, "Ask the person with ask_person.");
  const where = await processFor(store, memberOf(what));
  const [order, { journal, wake }] = [randomUUID(), store];
  let cursor = await journal.end();
  const until = later(
    systemClock.now(),
    what.kind === "compact" || what.kind === "cut" ? COMPACT_MS : ANSWER_MS,
  );
  await journal.note([{ type: "order.given", order, what, by, until }]);
  let toldAt: number | null = later(systemClock.now(), ANSWER_MS);
  for (;;) {
    const mark = wake.mark();
    for await (const page of journal.pages(cursor, ["order.done"])) {
      cursor = page.cursor;
      for (const event of page.events) {
        if (event.type !== "order.done" || event.order !== order) continue;
        if (!event.isDone) throw new EkidenError((event.value as ErrorCode) ?? "bad_input", event.text);
        return { data: event.value ?? null, text: event.text };
      }
    }
    const left = until - systemClock.now();
    if (left <= 0)
      throw toolFailed(
        `${where.name} does not answer, and will ignore the order if it reads it too late. To end it: kill -9 ${where.pid}`,
      );
    if (toldAt !== null && systemClock.now() >= toldAt && left > LOOK_MS) {
      tell(`${where.name} has not answered yet; Ekiden waits for up to two minutes`);
      toldAt = null;
    }
    await wake.changed(mark, ["orders"], Math.min(left, LOOK_MS));
  }
}

/** The process that must obey. */
async function processFor(
  store: Store,
  who: Name | null,
): Promise<{ readonly name: string; readonly pid: number }> {
  const hosts = await liveHosts(store);
  if (hosts.length === 0)
    throw new EkidenError("not_found", `No process runs team "${store.team}". Start it: ekiden resume`);
  if (who !== null) await mustExist(store, who);
  const member = await store.roster.member(who ?? LEAD);
  const own = hosts.find(({ id }) => id === member?.host);
  if (who !== null && !own)
    throw notFound(`${who} does not run in any process, so it cannot take the order. See ekiden team.`);
  const { pid, machine } = (own ?? hosts[0]) as Host;
  return { name: `Process ${pid} on ${machine}`, pid };
}
