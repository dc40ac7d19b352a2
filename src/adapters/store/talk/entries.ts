/** Appends entries to a conversation, for every operation that answers a tool call or delivers mail. */
import type { Entry } from "../../../core/conversation/chat.ts";
import { validEntry } from "../../../core/conversation/valid-entry.ts";
import type { Name } from "../../../core/ids.ts";
import { insert, type Op, type Tx } from "../sql.ts";

const COLUMNS = ["team", "name", "life", "at", "kind", "entry"];

/** `life` tells successive members of one name apart: see `members.life`. */
export type Appended = { readonly name: Name; readonly life: number; readonly entry: Entry };

export const append = (tx: Tx, name: Name, life: number, entries: readonly Entry[]): Op<void> =>
  appendAll(
    tx,
    entries.map((entry) => ({ name, life, entry })),
  );

export function* appendAll(tx: Tx, said: readonly Appended[]): Op<void> {
  const rows = said.map(({ name, life, entry }) => [
    tx.team,
    name,
    life,
    tx.now,
    entry.kind,
    JSON.stringify(validEntry(entry)),
  ]);
  yield* insert("transcript", COLUMNS, rows);
}
