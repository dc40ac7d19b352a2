/**
 * The record of what happened. Facts are written by the operations that make them true, in the same transaction; followers read
 * by cursor.
 *
 * PostgreSQL gives out numbers before it commits, so "everything above seq N" would miss an event whose transaction was slow.
 * There the order is (writer's transaction, seq), read only below the oldest transaction that still runs: nothing can appear
 * behind a reader any more. SQLite has one writer at a time: there seq is the order.
 */
import type { Event, Fact, FactType } from "../../core/event.ts";
import type { Cursor, Journal } from "../../ports/store.ts";
import type { Session } from "./session.ts";
import { atMost, insert, type Op, parse, Raw, sql, type Tx } from "./sql.ts";

const COLUMNS = ["team", "at", "type", "data"];

export function* appendFacts(tx: Tx, facts: readonly Fact[]): Op<void> {
  if (facts.length === 0) return;
  const rows = facts.map(({ type, ...data }) => [tx.team, tx.now, type, JSON.stringify(data)]);
  yield* insert("events", COLUMNS, rows);
  tx.notify("journal");
}

type EventRow = {
  readonly seq: number;
  readonly xid: number;
  readonly at: number;
  readonly type: string;
  readonly data: string;
};

function toEvent({ seq, at, type, data }: EventRow): Event {
  const fact = parse<object | null>(data, null);
  if (fact === null)
    return {
      seq,
      at,
      type: "warning.raised",
      who: null,
      text: `Event ${seq} (${type}) is damaged and was skipped.`,
    } as Event;
  return { seq, at, type, ...fact } as Event;
}

/** `xid.seq.floor`: behind this event of this transaction, and above `floor` (a number that a person typed). */
type Place = { readonly xid: number; readonly seq: number; readonly floor: number };
const place = (cursor: Cursor): Place => {
  const [xid = 0, seq = 0, floor = 0] = cursor.split(".").map((part) => Number(part) || 0);
  return { xid, seq, floor };
};
const cursorOf = ({ xid, seq, floor }: Place): Cursor => `${xid}.${seq}.${floor}` as Cursor;

/** Only our own words get here, but the list is pasted into the statement. */
const typeList = (types: readonly FactType[] | undefined): Raw =>
  new Raw(
    types
      ? `and type in (${types.map((type) => `'${type.replace(/[^a-z.]/g, "")}'`).join(", ") || "''"})`
      : "",
  );

const LIMIT = 1_000;

export function journal(session: Session): Journal {
  const sqlite = session.driver.dialect.name === "sqlite";
  return {
    note: async (facts) => {
      if (facts.length > 0) await session.write((tx) => appendFacts(tx, facts));
    },
    read: (cursor, { limit = LIMIT, types } = {}) =>
      session.read((tx) =>
        sqlite ? readBySeq(tx, cursor, limit, types) : readByTransaction(tx, cursor, limit, types),
      ),
    end: () => session.look((tx) => (sqlite ? lastSeq(tx) : horizon())),
    from: (seq) =>
      (sqlite
        ? String(Math.max(0, Math.trunc(seq)))
        : cursorOf({ xid: 0, seq: 0, floor: Math.trunc(seq) })) as Cursor,
  };
}

type Page = { events: Event[]; cursor: Cursor };

function* readBySeq(tx: Tx, cursor: Cursor, limit: number, types: readonly FactType[] | undefined): Op<Page> {
  const after = Number(cursor) || 0;
  const rows =
    yield* sql<EventRow>`select seq, at, type, data from events where team = ${tx.team} and seq > ${after} ${typeList(types)} order by seq limit ${atMost(limit)}`;
  const last = rows.at(-1);
  // A reader of few types must not look again at all the others it has passed.
  if (types && rows.length < limit) return { events: rows.map(toEvent), cursor: yield* atLeast(tx, after) };
  return { events: rows.map(toEvent), cursor: (last ? String(last.seq) : cursor) as Cursor };
}

function* lastSeq(tx: Tx): Op<Cursor> {
  const [row] = yield* sql<{
    seq: number;
  }>`select seq from events where team = ${tx.team} order by seq desc limit 1`;
  return String(row?.seq ?? 0) as Cursor;
}

function* atLeast(tx: Tx, after: number): Op<Cursor> {
  return String(Math.max(after, Number(yield* lastSeq(tx)))) as Cursor;
}

function* horizon(): Op<Cursor> {
  const [row] = yield* sql<{
    xid: number;
  }>`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xid`;
  return cursorOf({ xid: row?.xid ?? 0, seq: 0, floor: 0 });
}

function* readByTransaction(
  tx: Tx,
  cursor: Cursor,
  limit: number,
  types: readonly FactType[] | undefined,
): Op<Page> {
  const { xid, seq, floor } = place(cursor);
  const rows = yield* sql<EventRow>`
    select seq, xid, at, type, data from events
    where team = ${tx.team} and (xid, seq) > (${xid}, ${seq}) and seq > ${floor}
      and xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint ${typeList(types)}
    order by xid, seq limit ${atMost(limit)}`;
  const last = rows.at(-1);
  const events = rows.map(toEvent);
  if (rows.length === limit && last)
    return { events, cursor: cursorOf({ xid: last.xid, seq: last.seq, floor }) };
  const end = place(yield* horizon());
  return { events, cursor: cursorOf(end.xid > xid ? { ...end, floor } : { xid, seq, floor }) };
}
