/**
 * The record of what happened. Operations append facts in the transaction that makes them true; readers follow by cursor.
 *
 * SQLite has one writer at a time, so there the numbers (`seq`) are in commit order and a cursor is a number.
 *
 * PostgreSQL gives out a number when a fact is inserted, and transactions commit in another order: "everything above number N"
 * would miss the facts of a slow transaction. So there a cursor is a snapshot: the next events are those that are committed now and
 * were not committed in that snapshot, by number. An operation inserts a fact after it has seen its cause committed, so a fact
 * never comes before its cause, and no reader waits for a transaction that is still open.
 */
import type { Event, Fact, FactType } from "../../core/event.ts";
import type { Cursor, Journal, JournalPage } from "../../ports/store.ts";
import type { Session } from "./session.ts";
import { atMost, insert, type Op, parse, Raw, type Row, sql, type Tx, type Value } from "./sql.ts";
import { IS_BY_TASK, TASK } from "./task-of-fact.ts";
import { type StoredFact, withTexts } from "./tasks/texts.ts";

const COLUMNS = ["team", "at", "type", "data"];

export function* appendFacts(tx: Tx, facts: readonly StoredFact[]): Op<void> {
  if (facts.length === 0) return;
  const rows = facts.map(({ type, ...data }) => [tx.team, tx.now, type, JSON.stringify(data)]);
  yield* insert("events", COLUMNS, rows);
  tx.notify("journal");
  if (rows.some(([, , type]) => isOrder(String(type)))) tx.notify("orders");
  // Members that rest wait for the board.
  if (rows.some(([, , type]) => type === "board.released")) tx.notify("board");
}

/** An order, or its end: somebody waits for either. */
export const isOrder = (type: string): boolean => type.startsWith("order.");

type EventRow = {
  readonly seq: number;
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

/** A place in PostgreSQL's journal, written `since|until|seq|floor`. */
type Place = {
  /** The snapshot whose events were all read; "" for none. */
  readonly since: string;
  /** The snapshot whose events are being read page by page; "" between two of them. */
  readonly until: string;
  /** The last number read of `until`. */
  readonly seq: number;
  /** Events up to this number (typed by a person) are skipped. */
  readonly floor: number;
};
const place = (cursor: Cursor): Place => {
  const [since = "", until = "", seq, floor] = cursor.split("|");
  return { since, until, seq: Number(seq) || 0, floor: Number(floor) || 0 };
};
const cursorOf = ({ since, until, seq, floor }: Place): Cursor =>
  [since, until, seq, floor].join("|") as Cursor;
const behind = (since: string, floor = 0): Place => ({ since, until: "", seq: 0, floor });

/** Pasted into the statement, so all but the characters of our own types are removed. */
const typeList = (types: readonly FactType[] | undefined): Raw =>
  new Raw(
    types
      ? `and type in (${types.map((type) => `'${type.replace(/[^a-z.]/g, "")}'`).join(", ") || "''"})`
      : "",
  );

const LIMIT = 1_000;

export function journal(session: Session): Journal {
  const sqlite = session.driver.dialect.name === "sqlite";
  const note = async (facts: readonly Fact[]): Promise<void> => {
    if (facts.length > 0) await session.write((tx) => appendFacts(tx, facts));
  };
  const read: Journal["read"] = (cursor, { limit = LIMIT, types } = {}) =>
    session.read(function* (tx) {
      const page = yield* sqlite
        ? readBySeq(tx, cursor, limit, types)
        : readBySnapshot(tx, cursor, limit, types);
      yield* withTexts(tx, page.events);
      return page;
    });
  return {
    note,
    warn: (who, text) => note([{ type: "warning.raised", who, text }]),
    read,
    async *pages(cursor, types) {
      for (let at = cursor, isFull = true; isFull; ) {
        const page = await read(at, types && { types });
        isFull = page.events.length === LIMIT;
        at = page.cursor;
        yield page;
      }
    },
    // An assertion: SQL has chosen the types.
    ofTask: (task, types) =>
      session.look((tx) =>
        eventsOf(tx, {}, types, `and ${IS_BY_TASK} and ${TASK[tx.dialect.name]} = $4`, [task]),
      ) as ReturnType<Journal["ofTask"]> as never,
    end: () => session.look((tx) => (sqlite ? lastSeq(tx) : lastSnapshot())),
    from: (seq) =>
      (sqlite ? String(Math.max(0, Math.trunc(seq))) : cursorOf(behind("", Math.trunc(seq)))) as Cursor,
  };
}

/** Whole, in the order of their numbers, without the texts of tasks. `where`: SQL on a fact `x`, whose parameters begin with $4. */
export function* eventsOf(
  { team }: Tx,
  { after = 0, upTo = Number.MAX_SAFE_INTEGER }: { readonly after?: number; readonly upTo?: number },
  types: readonly FactType[],
  where = "",
  params: readonly Value[] = [],
): Op<Event[]> {
  const text = `select seq, at, type, data from events x where team = $1 and seq > $2 and seq <= $3 ${typeList(types).text} ${where} order by seq`;
  const rows = (yield { text, params: [team, after, upTo, ...params] }) as Row[];
  return rows.map((row) => toEvent(row as unknown as EventRow));
}

function* readBySeq(
  tx: Tx,
  cursor: Cursor,
  limit: number,
  types: readonly FactType[] | undefined,
): Op<JournalPage> {
  const after = Number(cursor) || 0;
  const rows =
    yield* sql<EventRow>`select seq, at, type, data from events where team = ${tx.team} and seq > ${after} ${typeList(types)} order by seq limit ${atMost(limit)}`;
  const last = rows.at(-1);
  // A reader of few types must not read the events of other types again.
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

function* snapshot(): Op<string> {
  const [row] = yield* sql<{ now: string }>`select pg_current_snapshot()::text as now`;
  return row?.now ?? "";
}

function* lastSnapshot(): Op<Cursor> {
  return cursorOf(behind(yield* snapshot()));
}

/** Reads to the end of the snapshot that `cursor` is in, then, if there is room on the page, the facts that were committed after it. */
function* readBySnapshot(
  tx: Tx,
  cursor: Cursor,
  limit: number,
  types: readonly FactType[] | undefined,
): Op<JournalPage> {
  const now = yield* snapshot();
  const events: Event[] = [];
  for (let at = place(cursor); ; ) {
    const rows = yield* committed(tx, at, limit - events.length, types);
    events.push(...rows.map(toEvent));
    const last = rows.at(-1);
    if (last && events.length === limit)
      return { events, cursor: cursorOf({ ...at, until: at.until || now, seq: last.seq }) };
    const isUpToDate = at.until === "";
    at = behind(at.until || now, at.floor);
    if (isUpToDate) return { events, cursor: cursorOf(at) };
  }
}

function* committed(
  tx: Tx,
  { since, until, seq, floor }: Place,
  limit: number,
  types: readonly FactType[] | undefined,
): Op<EventRow[]> {
  const above = Math.max(seq, floor);
  if (since === "")
    return yield* sql<EventRow>`
      select seq, at, type, data from events where team = ${tx.team} and seq > ${above}
        and (${until} = '' or pg_visible_in_snapshot(xid, nullif(${until}, '')::pg_snapshot)) ${typeList(types)}
      order by seq limit ${atMost(limit)}`;
  // `seq + 0` keeps the planner from the index on (team, seq): it would read the whole journal of the team for its newest events.
  return yield* sql<EventRow>`
    select seq, at, type, data from events where team = ${tx.team} and xid >= pg_snapshot_xmin(${since}::pg_snapshot) and seq + 0 > ${above}
      and not pg_visible_in_snapshot(xid, ${since}::pg_snapshot)
      and (${until} = '' or pg_visible_in_snapshot(xid, nullif(${until}, '')::pg_snapshot)) ${typeList(types)}
    order by seq + 0 limit ${atMost(limit)}`;
}
