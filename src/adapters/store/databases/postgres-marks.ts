/**
 * Marks by which a lost commit is decided. Each connection has a row in `meta`, and each transaction writes its own number into it.
 * When the connection is lost during the commit, that row says whether the commit took effect. The status of a transaction id does
 * not: after a crash the server may give the same id to another transaction.
 */
import { randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import type { Query } from "../sql.ts";
import { ask } from "./postgres-batch.ts";

const PREFIX = "connection ";
const OLD_MS = 24 * 60 * 60_000;

/** The value of one transaction in the row of its connection. */
export type Mark = { readonly row: string; readonly value: string };

const rows = new WeakMap<PoolClient, string>();
let count = 0;

/** A mark for the next transaction of this connection. Its first mark makes the row, and removes those of old connections. */
export async function nextMark(client: PoolClient): Promise<Mark> {
  count += 1;
  const value = `${Date.now()} ${count}`;
  const known = rows.get(client);
  if (known) return { row: known, value };
  const row = `${PREFIX}${randomUUID()}`;
  await ask(client, [
    {
      text: `delete from meta where name in (select name from meta where name like '${PREFIX}%' and value < $1 for update skip locked)`,
      params: [String(Date.now() - OLD_MS)],
    },
    { text: "insert into meta (name, value) values ($1, $2)", params: [row, value] },
  ]);
  rows.set(client, row);
  return { row, value: `${value} ` };
}

export const setMark = ({ row, value }: Mark): Query => ({
  text: "update meta set value = $2 where name = $1",
  params: [row, value],
});

/** Waits for the row: the old connection may still be about to commit. */
export const readMark = ({ row }: Mark): Query => ({
  text: "select value from meta where name = $1 for update",
  params: [row],
});
