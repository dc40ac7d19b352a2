/**
 * SQL, written once for both databases. An operation is a generator that yields queries and receives rows: SQLite runs it without a
 * pause, PostgreSQL query by query. A generator cannot `await`, so a transaction contains nothing but SQL. A driver may run an
 * operation again after a conflict, so an operation changes nothing but the database.
 */

import { type Instant, later, type Name } from "../../core/ids.ts";
import { tried } from "../../core/tried.ts";
import type { WakeTopic } from "../../ports/store.ts";
import type { WakeHub } from "./wake-hub.ts";

export type Value = string | number | null;
export type Row = Record<string, Value>;
export type Query = {
  readonly text: string;
  readonly params: readonly Value[];
  /** Its rows are not needed, so a driver may continue before it has run. If it fails, the transaction fails. */
  readonly blind?: boolean;
};
/** Yields one query, or several that are run in order in one round trip. */
export type Op<T> = Generator<Query | readonly Query[], T, Row[] | Row[][]>;

/** The pieces of SQL that differ between the databases. */
export type Dialect = {
  readonly name: "sqlite" | "postgres";
  /** Ends a select whose rows will be changed. Empty for SQLite, which has one writer. */
  readonly forUpdate: Raw;
  readonly skipLocked: Raw;
  /** The database's time in milliseconds; null where all its processes have the same clock. */
  readonly clock: Raw | null;
};

/** One run of an operation inside a transaction. */
export type Tx = {
  readonly team: Name;
  readonly now: Instant;
  /** The time for leases, in SQL. On PostgreSQL it is the database's, because the clocks of machines differ. */
  readonly leaseClock: Raw | Instant;
  readonly dialect: Dialect;
  /** Wakes waiters of the topic after the commit. */
  notify(topic: WakeTopic): void;
};

/** `reads`: a store of an older version is read from a copy, and stays as it is. `tell` hears of that, and of an upgrade. */
export type Opening = {
  readonly pollMs: number;
  readonly reads: boolean;
  readonly tell: (text: string) => void;
};

export interface Driver {
  readonly dialect: Dialect;
  /** Of a store of an older version: see `older.ts`. */
  readonly isCopy?: true;
  readonly hub: WakeHub;
  /** Every query sees the commits before its own start. The cheapest way to run one query. */
  look<T>(op: () => Op<T>): Promise<T>;
  /** All queries see one snapshot. Writers do not wait for it. */
  read<T>(op: () => Op<T>): Promise<T>;
  /** All or nothing. May run `op` more than once. */
  write<T>(op: () => Op<T>): Promise<T>;
  close(): Promise<void>;
}

/** A piece of SQL that is pasted, not bound. It never holds foreign text. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** For `where id …`: a list of ids, bound as one value, so that lists of all lengths share one prepared statement. */
class Ids {
  readonly before: string;
  readonly after: string;
  readonly value: string;
  constructor(dialect: Dialect, ids: readonly number[] | readonly string[]) {
    const postgres = dialect.name === "postgres";
    const isText = typeof ids[0] === "string";
    this.before = postgres ? "= any(" : "in (select value from json_each(";
    this.after = postgres ? `::${isText ? "text" : "bigint"}[])` : "))";
    this.value = postgres ? listed(ids.map(String)) : JSON.stringify(ids);
  }
}
export const anyOf = (tx: Tx, ids: readonly number[] | readonly string[]): Ids => new Ids(tx.dialect, ids);

/** An array of text for PostgreSQL, bound as one value. */
export const listed = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;

/** The text of a statement is built once per place in the source, so that drivers find its prepared form quickly. */
type Built = { readonly raws: readonly string[]; readonly text: string };
type Part = Value | Raw | Ids;
const built = new WeakMap<TemplateStringsArray, Built[]>();

/** The text of a part that may differ between uses; null for a bound value. */
const rawOf = (part: Part | undefined): string | null =>
  part instanceof Raw ? part.text : part instanceof Ids ? part.before : null;

function fits({ raws }: Built, parts: readonly Part[]): boolean {
  let nth = 0;
  for (const part of parts) {
    const raw = typeof part === "object" ? rawOf(part) : null;
    if (raw !== null && raw !== raws[nth++]) return false;
  }
  return nth === raws.length;
}

function textOf(strings: TemplateStringsArray, parts: readonly Part[]): string {
  const known = built.get(strings) ?? [];
  for (const one of known) if (fits(one, parts)) return one.text;
  let text = strings[0] ?? "";
  let bound = 0;
  parts.forEach((part, i) => {
    if (part instanceof Raw) text += part.text;
    else if (part instanceof Ids) text += `${part.before}$${++bound}${part.after}`;
    else text += `$${++bound}`;
    text += strings[i + 1] ?? "";
  });
  const raws = parts.flatMap((part) => rawOf(part) ?? []);
  // Bounded, in case the pieces of a place vary without end.
  if (known.length < 16) built.set(strings, [...known, { raws, text }]);
  return text;
}

/** A query whose rows are of type R, to be yielded alone or with others. */
export type Asking<R> = Query & { readonly rows?: R };
export function query<R = Row>(strings: TemplateStringsArray, ...parts: Part[]): Asking<R> {
  const params: Value[] = [];
  for (const part of parts) if (!(part instanceof Raw)) params.push(part instanceof Ids ? part.value : part);
  return { text: textOf(strings, parts), params };
}

/** `const [task] = yield* sql<TaskRow>`select * from tasks where id = ${id}`` */
export function* sql<R = Row>(strings: TemplateStringsArray, ...parts: Part[]): Op<R[]> {
  return (yield query(strings, ...parts)) as R[];
}

/** The same without rows. */
export function* exec(strings: TemplateStringsArray, ...parts: Part[]): Op<void> {
  yield { ...query(strings, ...parts), blind: true };
}

/** For `limit …`: SQLite plans a statement again for each value bound there, which takes longer than most statements. */
export const atMost = (rows: number): Raw | number =>
  Number.isInteger(rows) && rows >= 0 && rows <= 100 ? new Raw(String(rows)) : rows;

const SIZES = [64, 32, 16, 8, 4, 2, 1];

/**
 * Inserts many rows, in statements of so many rows: seven statements are prepared, and up to 64 rows take at most six of them. With
 * `returning`, it returns that column's values in the order of the rows; without, the statements are blind.
 */
export function* insert(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  returning?: string,
): Op<Value[]> {
  const values: Value[] = [];
  let at = 0;
  while (at < rows.length) {
    const left = rows.length - at;
    const size = SIZES.find((one) => one <= left) ?? 1;
    const params = size === 1 ? (rows[at] ?? []) : rows.slice(at, at + size).flat();
    const text = insertText(table, columns, size, returning);
    if (returning) values.push(...((yield { text, params }) as Row[]).map((row) => row[returning] ?? null));
    else yield { text, params, blind: true };
    at += size;
  }
  return values;
}

/** Keyed by the array of columns: an array literal inside a function would be built, and missed, at each call. */
const inserts = new WeakMap<readonly string[], Map<string, string>>();
function insertText(table: string, columns: readonly string[], size: number, returning = ""): string {
  const known = inserts.get(columns) ?? new Map<string, string>();
  inserts.set(columns, known);
  const key = size === 1 ? returning : `${returning} ${size}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  let bound = 0;
  const row = (): string => `(${columns.map(() => `$${++bound}`).join(", ")})`;
  const rows = Array.from({ length: size }, row).join(", ");
  const text = `insert into ${table} (${columns.join(", ")}) values ${rows}${returning && ` returning ${returning}`}`;
  known.set(key, text);
  return text;
}

/** JSON from a row. A damaged row must not make the others unreadable. */
export const parse = <T>(text: string, otherwise: T): T => tried(() => JSON.parse(text) as T, otherwise);

/** The end of a lease that begins now. */
export const leaseEnd = ({ leaseClock: clock }: Tx, ms: number): Raw | Instant =>
  clock instanceof Raw ? new Raw(`${clock.text} + ${Math.round(ms)}`) : later(clock, ms);

/** Serialises what row locks cannot: two halves of a cycle, two overlapping `touches`. Released with the transaction. */
export function* teamLock(tx: Tx, what: string): Op<void> {
  if (tx.dialect.name === "postgres")
    yield* exec`select pg_advisory_xact_lock(hashtextextended(${`ekiden ${tx.team} ${what}`}, 0))`;
}
