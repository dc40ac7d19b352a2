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
/** A forge may still be at work on what nobody waits for any more. GitHub ends that after 10 s. */
const UNDER_WAY_MS = 10_000;

/** @throws EkidenError `forge_away` */
export async function sendAll({ store, clock, forge, host, tell }: ForgeParts): Promise<void> {
  for (const row of await store.forge.unsent()) {
    const mark = marker({ team: store.team, task: row.task, row: row.key });
    const before = row.state === "sent" ? await wasSent(row, mark, forge) : null;
    const isText = row.kind === "reply" || row.kind === "comment";
    if (row.state === "sent" && isText && !before && clock.now() < row.at + UNDER_WAY_MS) continue;
    const now = clock.now();
    const leftMs = await store.forge.sending(host, row.id, LEASE_MS);
    if (leftMs === null) return;
    const until = later(now, leftMs);
    const outcome = before ?? (await trySend(row, () => forge.send(row, mark, until), store.forge.sent));
    await confirm({ store, host, tell }, row, outcome);
  }
}

/** What it is about may be gone: then it is refused when it is sent. */
const wasSent = (row: OutRow, mark: string, forge: ForgeParts["forge"]): Promise<Sent | null> =>
  forge.wasSent(row, mark).catch((error: unknown) => {
    if (isEkidenError(error, "forge_refused")) return null;
    throw error;
  });

async function trySend(
  row: OutRow,
  send: () => Promise<Sent>,
  note: ForgeParts["store"]["forge"]["sent"],
): Promise<Sent> {
  try {
    return await send();
  } catch (error) {
    // A limit, or a token that is not accepted, says that nothing was done. Anything else may have been.
    if (
      isEkidenError(error, "forge_refused") ||
      (isEkidenError(error, "forge_away") && error.details.isUndone)
    )
      await note(row.id, "queued", messageOf(error));
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
      const opened = `pull request #${outcome.id}, ${outcome.url}`;
      if (!(await store.forge.change(host, task, { number: outcome.id, state: "open", opened }))) return;
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
