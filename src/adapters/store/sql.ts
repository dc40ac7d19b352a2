/**
 * SQL, written once for both databases. An operation is a generator that yields queries and is handed rows: SQLite runs it
 * to its end without a pause, PostgreSQL query by query. A generator cannot `await`, so no transaction can be held open across
 * anything but SQL, and a driver may run an operation again after a lost race. So an operation changes nothing but the database.
 */
import type { Instant, Name } from "../../core/ids.ts";
import type { Topic } from "../../ports/store.ts";
import type { Hub } from "./hub.ts";

export type Value = string | number | null;
export type Row = Record<string, Value>;
export type Query = { readonly text: string; readonly params: readonly Value[] };
export type Op<T> = Generator<Query, T, Row[]>;

/** What differs between the databases, as pieces of SQL. */
export type Dialect = {
  readonly name: "sqlite" | "postgres";
  /** Ends a select whose rows are about to be changed. SQLite has one writer anyway. */
  readonly forUpdate: Raw;
  readonly skipLocked: Raw;
};

/** One run of an operation inside a transaction. */
export type Tx = {
  readonly team: Name;
  readonly now: Instant;
  readonly dialect: Dialect;
  /** Wakes whoever waits for the topic, once the transaction is committed. */
  touch(topic: Topic): void;
};

export interface Driver {
  readonly dialect: Dialect;
  readonly hub: Hub;
  /** Every query sees what is committed at its own start. The cheapest, for one query. */
  look<T>(op: () => Op<T>): Promise<T>;
  /** All queries see one snapshot; takes no lock that a writer would wait for. */
  read<T>(op: () => Op<T>): Promise<T>;
  /** All or nothing. May run `op` more than once. */
  write<T>(op: () => Op<T>): Promise<T>;
  close(): Promise<void>;
}

/** A piece of SQL that is pasted, not bound. Only ever text of ours. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Ids for `where id in …`, bound as one value, so that lists of different lengths are one prepared statement. */
class Ids {
  readonly before: string;
  readonly after: string;
  readonly value: string;
  constructor(dialect: Dialect, ids: readonly number[]) {
    const postgres = dialect.name === "postgres";
    this.before = postgres ? "(select unnest(" : "(select value from json_each(";
    this.after = postgres ? "::bigint[]))" : "))";
    this.value = postgres ? `{${ids.join(",")}}` : JSON.stringify(ids);
  }
}
export const among = (tx: Tx, ids: readonly number[]): Ids => new Ids(tx.dialect, ids);

/** The text of a statement is built once per place in the source, so that the drivers find its prepared form quickly. */
type Built = { readonly raws: readonly string[]; readonly text: string };
const built = new WeakMap<TemplateStringsArray, Built[]>();

function textOf(strings: TemplateStringsArray, values: readonly (Value | Raw | Ids)[]): string {
  const raws = values.flatMap((value) =>
    value instanceof Raw ? [value.text] : value instanceof Ids ? [value.before] : [],
  );
  const known = built.get(strings) ?? [];
  const hit = known.find((one) => one.raws.every((raw, i) => raw === raws[i]));
  if (hit) return hit.text;
  let text = strings[0] ?? "";
  let bound = 0;
  values.forEach((value, i) => {
    if (value instanceof Raw) text += value.text;
    else if (value instanceof Ids) text += `${value.before}$${++bound}${value.after}`;
    else text += `$${++bound}`;
    text += strings[i + 1] ?? "";
  });
  // A place whose pieces vary without end must not fill the memory.
  if (known.length < 16) built.set(strings, [...known, { raws, text }]);
  return text;
}

/** `const [task] = yield* sql<TaskRow>`select * from tasks where id = ${id}`` */
export function* sql<R = Row>(strings: TemplateStringsArray, ...values: (Value | Raw | Ids)[]): Op<R[]> {
  const params: Value[] = [];
  for (const value of values)
    if (!(value instanceof Raw)) params.push(value instanceof Ids ? value.value : value);
  return (yield { text: textOf(strings, values), params }) as R[];
}

const CHUNK = 50;

/**
 * Many rows, in statements of `CHUNK` rows and of one, so that there are two statements to prepare and not fifty. With
 * `returning` a column, its values in the order of the rows.
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
    const size = rows.length - at >= CHUNK ? CHUNK : 1;
    const params = size === 1 ? (rows[at] ?? []) : rows.slice(at, at + size).flat();
    const inserted = yield { text: insertText(table, columns, size, returning), params };
    if (returning) values.push(...inserted.map((row) => row[returning] ?? null));
    at += size;
  }
  return values;
}

const inserts = new Map<string, string>();
function insertText(table: string, columns: readonly string[], size: number, returning?: string): string {
  const key = `${table} ${columns.length} ${size} ${returning}`;
  const known = inserts.get(key);
  if (known !== undefined) return known;
  let bound = 0;
  const row = (): string => `(${columns.map(() => `$${++bound}`).join(", ")})`;
  const rows = Array.from({ length: size }, row).join(", ");
  const text = `insert into ${table} (${columns.join(", ")}) values ${rows}${returning ? ` returning ${returning}` : ""}`;
  inserts.set(key, text);
  return text;
}

/** JSON from a row. A damaged one must not take the others with it. */
export function parse<T>(text: string, otherwise: T): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    return otherwise;
  }
}

/** Serialises what no row lock can: two halves of a cycle, two overlapping `touches`. Ends with the transaction. */
export function* teamLock(tx: Tx, what: string): Op<void> {
  if (tx.dialect.name === "postgres")
    yield* sql`select pg_advisory_xact_lock(hashtextextended(${`ekiden ${tx.team} ${what}`}, 0))`;
}
