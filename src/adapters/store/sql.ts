/**
 * SQL, written once for both databases. An operation is a generator that yields queries and is handed rows: SQLite runs it
 * to its end without a pause, PostgreSQL query by query. A generator cannot `await`, so no transaction can be held open across
 * anything but SQL, and a driver may run an operation again after a lost race. So an operation changes nothing but the database.
 */
import type { Instant, Name } from "../../core/ids.ts";
import type { WakeTopic } from "../../ports/store.ts";
import type { WakeHub } from "./wake-hub.ts";

export type Value = string | number | null;
export type Row = Record<string, Value>;
export type Query = {
  readonly text: string;
  readonly params: readonly Value[];
  /** Nobody looks at its rows: a driver may go on before it has run. When it fails, so does the transaction. */
  readonly blind?: boolean;
};
/** Several queries at once are run in their order, whatever their results. */
export type Op<T> = Generator<Query | readonly Query[], T, Row[] | Row[][]>;

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
  notify(topic: WakeTopic): void;
};

export interface Driver {
  readonly dialect: Dialect;
  readonly hub: WakeHub;
  /** Every query sees what is committed at its own start. The cheapest, for one query. */
  look<T>(op: () => Op<T>): Promise<T>;
  /** All queries see one snapshot; takes no lock that a writer would wait for. */
  read<T>(op: () => Op<T>): Promise<T>;
  /** All or nothing. May run `op` more than once. */
  write<T>(op: () => Op<T>): Promise<T>;
  /** A look, and the write it calls for, if any. The embedded database lets nobody of this process in between. */
  lookAndWrite<L, T>(look: () => Op<L>, next: (seen: L) => (() => Op<T>) | null): Promise<T | null>;
  close(): Promise<void>;
}

/** A piece of SQL that is pasted, not bound. Only ever text of ours. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** For `where id …`: one of these, bound as one value, so that lists of different lengths are one prepared statement. */
class Ids {
  readonly before: string;
  readonly after: string;
  readonly value: string;
  constructor(dialect: Dialect, ids: readonly number[]) {
    const postgres = dialect.name === "postgres";
    this.before = postgres ? "= any(" : "in (select value from json_each(";
    this.after = postgres ? "::bigint[])" : "))";
    this.value = postgres ? `{${ids.join(",")}}` : JSON.stringify(ids);
  }
}
export const anyOf = (tx: Tx, ids: readonly number[]): Ids => new Ids(tx.dialect, ids);

/** The text of a statement is built once per place in the source, so that the drivers find its prepared form quickly. */
type Built = { readonly raws: readonly string[]; readonly text: string };
type Part = Value | Raw | Ids;
const built = new WeakMap<TemplateStringsArray, Built[]>();

/** What `part` is in the text, if it varies from use to use. */
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
  // A place whose pieces vary without end must not fill the memory.
  if (known.length < 16) built.set(strings, [...known, { raws, text }]);
  return text;
}

/** A query whose rows are of type R, to be yielded or handed to `together`. */
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

/** The same, and nobody looks at what it returns. */
export function* exec(strings: TemplateStringsArray, ...parts: Part[]): Op<void> {
  yield { ...query(strings, ...parts), blind: true };
}

/** One way to the database and back for all of them. All are run: what is wrong with the first rows must still undo the rest. */
export function* batch<A, B, C = never>(
  a: Asking<A>,
  b: Asking<B>,
  ...more: readonly Asking<C>[]
): Op<[A[], B[], ...C[][]]> {
  return (yield [a, b, ...more]) as unknown as [A[], B[], ...C[][]];
}

/** For `limit …`: SQLite plans a statement anew for each value that is bound there, which takes longer than most statements. */
export const atMost = (rows: number): Raw | number =>
  Number.isInteger(rows) && rows >= 0 && rows <= 100 ? new Raw(String(rows)) : rows;

const CHUNK = 50;

/**
 * Many rows, in statements of `CHUNK` rows and of one, so that there are two statements to prepare and not fifty. With
 * `returning` a column, its values in the order of the rows; without, nobody waits for it.
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
    const text = insertText(table, columns, size, returning);
    if (returning) values.push(...((yield { text, params }) as Row[]).map((row) => row[returning] ?? null));
    else yield { text, params, blind: true };
    at += size;
  }
  return values;
}

/** By the list of columns itself: one that is made anew for each call is written out anew. */
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
    yield* exec`select pg_advisory_xact_lock(hashtextextended(${`ekiden ${tx.team} ${what}`}, 0))`;
}
