/**
 * Reads the version of a database and brings it to the version of this program. Commands that only read never change it: they read a
 * copy (`older.ts`). Nothing is changed while a process of the older version may work on it: that process would continue with tables it
 * does not know.
 */
import { EkidenError } from "../../../core/errors.ts";
import { livesAs } from "../../process-identity.ts";
import { type Dialect, type Op, Raw, sql } from "../sql.ts";
import { APPLICATION_ID, SCHEMA, type Step, stepsFrom } from "./schema.ts";

/**
 * Brings a database of any older version to this one; the driver holds its lock. Nothing is changed while a host of the older
 * version may still work on it. @throws `store_newer` | `store_older` | `store_foreign`
 */
export function* migrate(dialect: Dialect, where: string): Op<void> {
  yield* sql`create table if not exists meta (name text primary key, value text not null)`;
  const version = yield* schemaOf(where);
  if (version === SCHEMA) return;
  if (version > 0) yield* refuseLiving(dialect, where, version);
  yield* upgrade(dialect, version);
}

/** From the tables of `version` to those of this program. */
export function* upgrade(dialect: Dialect, version: number): Op<void> {
  yield* run(stepsFrom(version, dialect));
  yield* sql`delete from meta where name in ('application', 'version')`;
  yield* sql`insert into meta (name, value) values ('application', ${String(APPLICATION_ID)}), ('version', ${String(SCHEMA)})`;
}

export function* run(steps: readonly Step[]): Op<void> {
  for (const step of steps)
    if (typeof step === "string") yield* sql`${new Raw(step)}`;
    else yield* step();
}

/** The version of the tables that are there, 0 before the first; takes no lock. @throws `store_newer` | `store_foreign` */
export function* schemaOf(where: string): Op<number> {
  const rows = yield* sql<{ name: string; value: string }>`select name, value from meta`;
  const meta = new Map(rows.map((row) => [row.name, row.value]));
  const id = meta.get("application");
  if (id !== undefined && id !== String(APPLICATION_ID)) throw foreign(where);
  const version = Number(meta.get("version") ?? 0);
  if (version > SCHEMA) throw newer(where, version);
  return version;
}

/** Hosts of every version keep their lease in the same columns. `identity` came later, so a column may be missing in the row. */
type LivingHost = {
  readonly machine: string;
  readonly pid: number;
  readonly left_ms: number;
  readonly identity?: string;
};

/** @throws `store_older` while the process of a host of that version may live */
export function* refuseLiving(dialect: Dialect, where: string, version: number): Op<void> {
  const now = dialect.clock ?? Date.now();
  const hosts = yield* sql<LivingHost>`
    select hosts.*, lease_until - ${now} as left_ms from hosts where lease_until > ${now} order by team, id`;
  const living = hosts.find((host) => livesAs(host.identity ?? "") !== false);
  if (living)
    throw older(
      where,
      version,
      `A process that uses it (pid ${living.pid} on ${living.machine}) knows only that schema. End that process first, with \`kill ${living.pid}\` on that machine or \`ekiden stop\` of its version; if it has ended already, its lease runs out in ${Math.ceil(Number(living.left_ms) / 1000)} s`,
    );
}

/** For those that opened the store to read it, and want to write. */
export const unmigrated = (where: string, version: number): EkidenError =>
  older(
    where,
    version,
    "It was opened to be read only. Bring it up to date with `ekiden resume` or `ekiden run`",
  );

/** For the person, at a command that reads a copy. */
export const readFromCopy = (where: string, version: number): string =>
  `The store ${where} has schema ${version}, and this Ekiden writes schema ${SCHEMA}. It is shown as it was a moment ago and stays unchanged. \`ekiden resume\` brings it up to date.`;

/** For the person, once. `copy`: the file that holds the store as it was, where there is one. */
export const broughtUp = (where: string, version: number, copy: string | null): string =>
  `The store ${where} was brought from schema ${version} to schema ${SCHEMA}. ${copy === null ? "Older versions of Ekiden cannot use it any more." : `A copy of it as it was is in ${copy}.`}`;

const older = (where: string, version: number, how: string): EkidenError =>
  new EkidenError(
    "store_older",
    `The store ${where} has schema ${version}; this Ekiden writes schema ${SCHEMA}. Nothing was changed. ${how}, or use the Ekiden that wrote it.`,
  );

const newer = (where: string, version: number): EkidenError =>
  new EkidenError(
    "store_newer",
    `The store ${where} has schema ${version}; this Ekiden supports schemas up to ${SCHEMA}. Nothing was changed. Use the newer Ekiden that wrote it, or another store.`,
  );

export const foreign = (where: string): EkidenError =>
  new EkidenError(
    "store_foreign",
    `${where} belongs to another program. Nothing was changed. Name another store for Ekiden.`,
  );
