/**
 * Sends what waits to be sent, one after the other. A row is noted as sent before it is, so that after a kill the forge is asked for its
 * mark before it is sent again.
 */
import { isEkidenError, messageOf } from "../../core/errors.ts";
import { marker } from "../../core/forge/marker.ts";
import { later } from "../../core/ids.ts";
import type { OutRow, Sent } from "../../ports/forge.ts";
import type { ForgeParts } from "./parts.ts";

export const LEASE_MS = 40_000;

/** @throws EkidenError `forge_away` */
export async function sendAll({ store, clock, forge, host, tell }: ForgeParts): Promise<void> {
  for (const row of await store.forge.unsent()) {
    const mark = marker({ team: store.team, task: row.task, row: row.key });
    const before = row.state === "sent" ? await forge.wasSent(row, mark) : null;
    const until = later(clock.now(), LEASE_MS);
    if (!(await store.forge.sending(host, row.id, LEASE_MS))) return;
    const outcome = before ?? (await trySend(row, () => forge.send(row, mark, until), store.forge.sent));
    await confirm({ store, host, tell }, row, outcome);
  }
}

async function trySend(
  row: OutRow,
  send: () => Promise<Sent>,
  note: ForgeParts["store"]["forge"]["sent"],
): Promise<Sent> {
  try {
    return await send();
  } catch (error) {
    if (isEkidenError(error, "forge_refused")) return { kind: "refused", why: messageOf(error) };
    // A limit says that nothing was done. Anything else may have been.
    if (isEkidenError(error, "forge_away") && error.details.retryAfterMs !== undefined)
      await note(row.id, "queued", "limit");
    throw error;
  }
}

async function confirm(
  { store, host, tell }: Pick<ForgeParts, "store" | "host" | "tell">,
  row: OutRow,
  outcome: Sent,
): Promise<void> {
  const { kind, task, id } = row;
  if (outcome.kind === "done") {
    if (kind === "open" && outcome.id !== null) {
      if (!(await store.forge.change(host, task, { number: outcome.id, state: "open" }))) return;
      const { branch, base } = row.target;
      await tell(`#${task} is pull request #${outcome.id} now, of ${branch} for ${base}: ${outcome.url}`);
    }
    const isComment = kind === "reply" || kind === "comment";
    return await store.forge.sent(id, "confirmed", isComment ? String(outcome.id) : outcome.url);
  }
  await store.forge.sent(id, "refused", outcome.why);
  if (kind === "open")
    await store.forge.change(host, task, {
      failed: `Its pull request cannot be opened: ${outcome.why}`,
      state: "closed",
    });
  await tell(`The forge refuses something for #${task} (${kind}): ${outcome.why}`);
}
