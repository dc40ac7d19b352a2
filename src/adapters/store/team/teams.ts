/** Listing and removing teams. */
import { badInput, notFound } from "../../../core/errors.ts";
import { LEAD, type Name } from "../../../core/ids.ts";
import { appendFacts } from "../journal.ts";
import { type Op, Raw, sql, type Tx } from "../sql.ts";

export function* teamNames(): Op<Name[]> {
  return (yield* sql<{ name: Name }>`select name from teams order by created_at, name`).map(
    (row) => row.name,
  );
}

/** Every table with a column `team`; a test compares this list with the database. */
export const TEAM_TABLES = [
  "hosts",
  "members",
  "tasks",
  "edges",
  "mail",
  "transcript",
  "requests",
  "events",
  "jobs",
  "crons",
  "reservations",
  "landings",
  "gates",
  "bases",
  "logins",
  "texts",
  "port_blocks",
  "forge_requests",
  "forge_outbox",
  "forge_leads",
  "forge_pages",
  "forge_inbox",
] as const;

/** @throws `not_found` | `bad_input` */
export function* removeTeam(tx: Tx, name: Name, by: Name, force: boolean): Op<void> {
  const [team] = yield* sql`select name from teams where name = ${name} ${tx.dialect.forUpdate}`;
  if (!team) throw notFound(`There is no team "${name}". The teams: ${(yield* teamNames()).join(", ")}.`);
  const [host] = yield* sql<{ machine: string; pid: number }>`
    select machine, pid from hosts where team = ${name} and lease_until > ${tx.leaseClock} order by id limit 1`;
  if (host)
    throw badInput(
      `Team "${name}" is being run by process ${host.pid} on ${host.machine}. Nothing was deleted. ${by === LEAD ? "Tell the person that it must be stopped first" : `End it first: ekiden --team ${name} stop`}.`,
    );
  const inTheWay = force ? [] : yield* unfinished(name);
  if (inTheWay.length > 0)
    throw badInput(
      `Team "${name}" still has ${inTheWay.join(" and ")}. Nothing was deleted. Finish it, or force the deletion: ${by === LEAD ? "delete_team with force" : `ekiden teams delete ${name} --force`}.`,
    );
  // Before its events are deleted: SQLite reuses the highest numbers, and followers of other teams would miss the events that get them.
  if (name !== tx.team) yield* appendFacts(tx, [{ type: "team.deleted", team: name, by }]);
  for (const table of TEAM_TABLES) yield* sql`delete from ${new Raw(table)} where team = ${name}`;
  yield* sql`delete from teams where name = ${name}`;
}

function* unfinished(name: Name): Op<string[]> {
  const members = yield* sql<{
    name: Name;
  }>`select name from members where team = ${name} and phase <> 'shutdown' order by name limit 20`;
  const [tasks] = yield* sql<{
    number: number;
  }>`select count(*) as number from tasks where team = ${name} and status in ('pending', 'in_progress')`;
  const count = Number(tasks?.number ?? 0);
  return [
    ...(members.length > 0
      ? [`members that have not stopped (${members.map((one) => one.name).join(", ")})`]
      : []),
    ...(count > 0 ? [count === 1 ? "an unfinished task" : `${count} unfinished tasks`] : []),
  ];
}
