/** Opens a store. The address selects the database; everything else is the same for both. */
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { notFound } from "../../core/errors.ts";
import type { Name } from "../../core/ids.ts";
import { redacted } from "../../core/text/redacted.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import { crons } from "./crons.ts";
import { Outage, type OutageWatch } from "./databases/outage.ts";
import { openPostgres } from "./databases/postgres.ts";
import { openSqlite } from "./databases/sqlite.ts";
import { jobs } from "./jobs.ts";
import { appendFacts, journal } from "./journal.ts";
import { late } from "./late.ts";
import { prune } from "./prune.ts";
import { type Limits, Session } from "./session.ts";
import { type Driver, type Opening, sql } from "./sql.ts";
import { mailboxes } from "./talk/mail.ts";
import { requests } from "./talk/requests.ts";
import { transcripts } from "./talk/transcript.ts";
import { board } from "./tasks/board.ts";
import { bases, gates } from "./team/gates.ts";
import { landings } from "./team/landings.ts";
import { logins } from "./team/logins.ts";
import { portBlocks } from "./team/port-blocks.ts";
import { roster } from "./team/roster.ts";
import { removeTeam, teamNames } from "./team/teams.ts";

export type StoreOptions = Partial<Limits> & {
  /** `sqlite:PATH`, a bare path, `postgres://…` or `postgresql://…` (there `?schema=` names the schema, default "ekiden"). */
  readonly url: string;
  readonly team: Name;
  readonly clock: Clock;
  /** The time between checks of SQLite for commits of other processes whose notice was lost; four times as long while nobody writes. Default 250 ms. */
  readonly pollMs?: number;
  /**
   * `look`: the caller only reads. A store of an older version stays as it is: a copy of it is read, and writes are refused. `use`: the
   * team must be there. `make`, the default: it is created if it is not. Both bring an older store up to date.
   */
  readonly access?: Access;
  /** Hears, for the person, that an older store was brought up to date or is read from a copy. */
  readonly tell?: (text: string) => void;
  /** Operations wait while the database is away, once the store is open. Without it they throw. */
  readonly outage?: OutageWatch;
};

export type Access = "look" | "use" | "make";

const DEFAULT_LIMITS: Limits = {
  leaseMs: 15_000,
  maxAttempts: 3,
  leadMayHoldSeveral: true,
  version: "",
  lands: null,
  redact: (text) => text,
};

/**
 * In one process, stores of one address share a connection and wake-ups.
 * @throws `store_unavailable` | `store_foreign` | `store_newer` | `store_older` (a process of that version lives) | `not_found` (`look`,
 * `use`). Nothing is changed then.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, team, clock, pollMs = 250, access = "make", tell = () => {}, outage, ...limits } = options;
  const share = await shared(url, { pollMs, reads: access === "look", tell });
  try {
    const session = new Session(
      team,
      share.driver,
      clock,
      { ...DEFAULT_LIMITS, ...limits },
      outage ? new Outage(outage) : null,
    );
    if (access !== "make") await find(session);
    return await view(share, session);
  } catch (error) {
    await share.release();
    throw error;
  }
}

/** The teams of a store; creates none. @throws as `openStore` does */
export async function teamsAt({ url, pollMs = 250 }: Pick<StoreOptions, "url" | "pollMs">): Promise<Name[]> {
  const share = await shared(url, { pollMs, reads: true, tell: () => {} });
  try {
    return await share.driver.look(teamNames);
  } finally {
    await share.release();
  }
}

async function view(share: Share, session: Session): Promise<Store> {
  const { team, driver, clock, limits, outage } = session;
  await begin(session);
  const { redact } = limits;
  let closed = false;
  return {
    team,
    board: clean(board(session), redact),
    mail: clean(mailboxes(session), redact),
    roster: clean(roster(session), redact),
    transcript: clean(transcripts(session), redact),
    requests: clean(requests(session), redact),
    jobs: clean(jobs(session), redact),
    crons: clean(crons(session), redact),
    landings: {
      ...clean(landings(session), redact),
      gates: clean(gates(session), redact),
      bases: clean(bases(session), redact),
    },
    logins: clean(logins(session), redact),
    forks: late(async () => clean((await import("./fork/fork.ts")).forks(session), redact)),
    portBlocks: portBlocks(session),
    forge: late(async () => clean((await import("./forge.ts")).forgeRecords(session), redact)),
    journal: clean(journal(session), redact),
    wake: {
      mark: () => driver.hub.mark(),
      changed: (since, topics, ms, signal) => driver.hub.changed(team, since, topics, ms, clock, signal),
      watch: (topic, on) => driver.hub.watch(team, topic, on),
    },
    sendAcross: async (other, from, mail) => {
      const known = await session.look(teamNames);
      if (!known.includes(other))
        throw notFound(`There is no team "${other}". The teams: ${known.join(", ")}.`);
      return mailboxes(new Session(other, driver, clock, limits, outage)).send(from, redacted(mail, redact));
    },
    forTeam: (name) => view(share.again(), new Session(name, driver, clock, limits, outage)),
    teams: () => session.look(teamNames),
    removeTeam: (name, by, force = false) => session.write((tx) => removeTeam(tx, name, by, force)),
    prune: (before, by) => prune(session, before, by),
    close: async () => {
      if (closed) return;
      closed = true;
      await share.release();
    },
  };
}

/** The only way into the tables: known secrets are taken out of all that comes in. */
function clean<T extends object>(part: T, redact: Limits["redact"]): T {
  if (redact === DEFAULT_LIMITS.redact) return part;
  const cleaned = Object.entries(part).map(([name, method]) => [
    name,
    (...args: unknown[]) => method.apply(part, redacted(args, redact)),
  ]);
  return Object.fromEntries(cleaned) as T;
}

async function find(session: Session): Promise<void> {
  const teams = await session.look(() => sql<{ name: Name }>`select name from teams order by name`);
  if (teams.some(({ name }) => name === session.team)) return;
  const known = teams.map(({ name }) => `"${name}"`).join(", ") || "none";
  throw notFound(`no team "${session.team}" here yet; the store has ${known}.`);
}

/** Creates the team's row, once. */
async function begin(session: Session): Promise<void> {
  const known = await session.look((tx) => sql`select name from teams where name = ${tx.team}`);
  if (known.length > 0) return;
  await session.write(function* (tx) {
    const made =
      yield* sql`insert into teams (name, created_at) values (${tx.team}, ${tx.now}) on conflict (name) do nothing returning name`;
    if (made.length > 0) yield* appendFacts(tx, [{ type: "team.created" }]);
  });
}

const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url);
const addressKey = (url: string): string =>
  isPostgres(url) ? url : canonical(url.replace(/^sqlite:(\/\/(?=\/))?/, ""));

/** A driver and the number of views that use it. */
type Share = { readonly driver: Driver; release(): Promise<void>; again(): Share };
const open = new Map<string, { readonly driver: Promise<Driver>; users: number }>();

async function shared(url: string, opening: Opening): Promise<Share> {
  const key = addressKey(url);
  const entry = open.get(key) ?? {
    driver: isPostgres(url) ? openPostgres(url, opening) : openSqlite(key, opening),
    users: 0,
  };
  open.set(key, entry);
  entry.users += 1;
  const release = async (): Promise<void> => {
    entry.users -= 1;
    if (entry.users > 0) return;
    if (open.get(key) === entry) open.delete(key);
    await (await entry.driver.catch(() => null))?.close();
  };
  const driver = await entry.driver.catch(async (error: unknown) => {
    await release();
    throw error;
  });
  // The next one opens the store again: it may be of this version by then.
  if (driver.isCopy && open.get(key) === entry) open.delete(key);
  if (driver.isCopy && !opening.reads) {
    await release();
    return await shared(url, opening);
  }
  const share: Share = {
    driver,
    release,
    again: () => {
      entry.users += 1;
      return share;
    },
  };
  return share;
}

/** Names a team on this machine: the same for all processes that work on it. */
export const scopeOf = (url: string, team: Name): string =>
  createHash("sha256")
    .update(`${addressKey(url)}\n${team}`)
    .digest("hex")
    .slice(0, 8);

/** One spelling for every path to a file: two connections of one process would not wake each other. */
function canonical(path: string): string {
  const full = resolve(path);
  if (existsSync(full)) return realpathSync(full);
  const folder = dirname(full);
  return existsSync(folder) ? join(realpathSync(folder), basename(full)) : full;
}
