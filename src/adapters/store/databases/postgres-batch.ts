/**
 * Several statements in one round trip to PostgreSQL. `pg` itself waits for the answer of each statement before it sends the next.
 * But it accepts any object with its `submit` and `handle…` methods (`pg-cursor` is one), and `Batch` has them.
 *
 * The messages are those of the extended query protocol. A statement that is new to the connection is parsed under a name; later
 * only its values are bound:
 *
 *   we send           (close, parse)? bind (describe)? execute   for each statement, and one sync after all
 *   the server sends  (row description)? row* complete           for each, and one ready after all
 *
 * The columns are described once per statement and connection and kept as the `Field`s of later rows. If a statement fails, the
 * server skips the rest, up to the sync.
 */
import type { Connection, PoolClient } from "pg";
import type { Query, Row } from "../sql.ts";

/** The parts of the protocol's answers that are used. */
type RowDescription = { readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[] };
type DataRow = { readonly fields: readonly (string | null)[] };
/** The types still ask for this argument of an older protocol layer; `pg` ignores it. */
const MORE = true;

/** A network that was cut says nothing for a quarter of an hour. Longer than any statement takes, or waits for a lock. */
const SILENCE_MS = 30_000;

/** Resolves with the rows of each query, in order. A connection that stays silent is ended. */
export function ask(client: PoolClient, queries: readonly Query[]): Promise<Row[][]> {
  return new Promise<Row[][]>((resolve, reject) => {
    const silence = setTimeout(() => {
      const why = new Error(`Connection terminated: no answer for ${SILENCE_MS / 1000} s`);
      connectionOf(client).stream.destroy(why);
    }, SILENCE_MS);
    const over =
      <T>(settle: (value: T) => void) =>
      (value: T): void => {
        clearTimeout(silence);
        settle(value);
      };
    client.query(new Batch(queries, over(resolve), over(reject)));
  });
}

/** Part of `pg`, but not of its types. */
const connectionOf = (client: PoolClient): { readonly stream: { destroy(error: Error): void } } =>
  (client as unknown as { readonly connection: { readonly stream: { destroy(error: Error): void } } })
    .connection;

type Field = { readonly name: string; readonly isNumber: boolean };

/** Ids and milliseconds fit into 2^53: int8, int2, int4, oid, float4, float8. */
const NUMBERS = new Set([20, 21, 23, 26, 700, 701]);

/** A statement has one name on all connections. The texts are few, because values are always bound. */
const names = new Map<string, string>();
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `ekiden ${names.size}`;
  names.set(text, name);
  return name;
}

/** The prepared statements of each connection, with their columns. */
const prepared = new WeakMap<Connection, Map<string, readonly Field[]>>();

class Batch {
  private readonly queries: readonly Query[];
  private readonly resolve: (rows: Row[][]) => void;
  private readonly reject: (error: Error) => void;
  private readonly rows: Row[][] = [];
  private current: Row[] = [];
  private fields: readonly Field[] | null = null;
  private known = new Map<string, readonly Field[]>();

  constructor(queries: readonly Query[], resolve: (rows: Row[][]) => void, reject: (error: Error) => void) {
    this.queries = queries;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** `pg` calls this when the connection is free, and the `handle…` methods below as answers arrive. */
  submit(connection: Connection): void {
    this.known = prepared.get(connection) ?? this.known;
    prepared.set(connection, this.known);
    // One write for all messages: a write for each took 1 to 15 % more CPU in the process.
    const messages: Buffer[] = [];
    const { writable } = connection.stream;
    const stream = { value: { writable, write: (message: Buffer) => messages.push(message) } };
    const collecting: Connection = Object.create(connection, { stream });
    for (const { text, params } of this.queries) {
      const name = nameOf(text);
      const isNew = !this.known.has(name);
      if (isNew) {
        collecting.close({ type: "S", name }, MORE); // a batch that failed may have left it behind
        collecting.parse({ text, name, types: [] }, MORE);
      }
      collecting.bind({ statement: name, values: params.map(shown) }, MORE);
      if (isNew) collecting.describe({ type: "P", name: "" }, MORE);
      collecting.execute({}, MORE);
    }
    collecting.sync();
    if (messages.length > 0) connection.stream.write(Buffer.concat(messages));
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.fields = fields.map(({ name, dataTypeID }) => ({ name, isNumber: NUMBERS.has(dataTypeID) }));
  }

  handleDataRow({ fields: values }: DataRow): void {
    const fields = this.fields ?? this.known.get(this.name) ?? [];
    const row: Row = {};
    for (let i = 0; i < fields.length; i += 1) {
      const { name, isNumber } = fields[i] as Field;
      const value = values[i] ?? null;
      row[name] = isNumber && value !== null ? Number(value) : value;
    }
    this.current.push(row);
  }

  handleCommandComplete(): void {
    const name = this.name;
    if (!this.known.has(name)) this.known.set(name, this.fields ?? []);
    this.fields = null;
    this.rows.push(this.current);
    this.current = [];
  }

  handleReadyForQuery(): void {
    this.resolve(this.rows);
  }

  handleError(error: Error): void {
    this.reject(error);
  }

  /** The name of the statement whose answer is arriving. */
  private get name(): string {
    return nameOf(this.queries[this.rows.length]?.text ?? "");
  }
}

/** As text, without NUL, which PostgreSQL's text type cannot hold. */
const shown = (value: string | number | null): string | null =>
  typeof value === "number"
    ? String(value)
    : value?.includes("\0")
      ? value.replaceAll("\0", "\uFFFD")
      : value;
