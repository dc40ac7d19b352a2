/**
 * Sends what waits to be sent, one after the other. A row is noted as sent before it is, so that after a kill the forge is asked for its
 * mark before it is sent again.
 */
import { isEkidenError, messageOf, orElse } from "../../core/errors.ts";
import { marker } from "../../core/forge/clean.ts";
import { later } from "../../core/ids.ts";
import type { OutRow, Sent } from "../../ports/forge.ts";
import type { ForgeParts } from "./parts.ts";

export const LEASE_MS = 40_000;
/** A forge may still be at work on what nobody waits for any more. GitHub ends that after 10 s. */
const UNDER_WAY_MS = 10_000;

/** @throws EkidenError `forge_away` */
export async function sendAll(parts: ForgeParts): Promise<void> {
  const { store, clock, forge, host } = parts;
  for (const row of await store.forge.unsent()) {
    const mark = marker({ team: store.team, task: row.task, row: row.key });
    // What it is about may be gone: then it is refused when it is sent.
    const before =
      row.state === "sent" ? await orElse(forge.wasSent(row, mark), "forge_refused", null) : null;
    const isText = row.kind === "reply" || row.kind === "comment";
    if (row.state === "sent" && isText && !before && clock.now() < row.at + UNDER_WAY_MS) continue;
    const now = clock.now();
    const leftMs = await store.forge.sending(host, row.id, LEASE_MS);
    if (leftMs === null) return;
    const until = later(now, leftMs);
    const sending = before ?? forge.send(row, mark, until);
    const outcome = await Promise.resolve(sending).catch(async (error: unknown) => {
      if (isUndone(error)) await store.forge.sent(row.id, "queued", messageOf(error));
      throw error;
    });
    await confirm(parts, row, outcome);
  }
}

/** A limit, or a token that is not accepted, says that nothing was done. Anything else may have been. */
const isUndone = (error: unknown): boolean =>
  isEkidenError(error, "forge_refused") ||
  (isEkidenError(error, "forge_away") && error.details.isUndone === true);

async function confirm(parts: ForgeParts, { kind, task, id }: OutRow, outcome: Sent): Promise<void> {
  const { store, host, tell } = parts;
  if (outcome.kind === "done") {
    if (kind === "open" && outcome.id !== null) {
      const opened = `pull request #${outcome.id}, ${outcome.url}`;
      if (!(await store.forge.change(host, task, { number: outcome.id, state: "open", opened }))) return;
    }
    const isComment = kind === "reply" || kind === "comment";
    return await store.forge.sent(id, "confirmed", isComment ? String(outcome.id) : outcome.url);
  }
  // First, so that the row is there after a kill: nothing else looks at a request without a number.
  const failed = `Its pull request cannot be opened: ${outcome.why}`;
  if (kind === "open") await store.forge.change(host, task, { failed, state: "closed" });
  await store.forge.sent(id, "refused", outcome.why);
  await tell(`The forge refuses something for #${task} (${kind}): ${outcome.why}`);
}
