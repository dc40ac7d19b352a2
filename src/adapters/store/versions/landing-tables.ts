/** The tables of landings, and their changes. */
import type { Names } from "./columns.ts";

/**
 * Those that wait to land, and the gates that ran. `entry`: a `NewWaiting` as JSON. `ordered`: an `Order`, or "". `changed` grows with each
 * change of a row: on SQLite other processes see by it that something has changed.
 */
export const twentySecond = ({ int, serial, strict, xid }: Names): string[] => [
  `create table landings (
    id ${serial}, team text not null, repository text not null, branch text not null, task ${int} not null, host text not null,
    number ${int} not null, entry text not null, ordered text not null, changed ${int} not null default 0
  )${strict}`,
  "create index landings_waiting on landings (repository)",
  "create index landings_of_branch on landings (team, branch)",
  `create table gates (
    id ${serial}, team text not null, at ${int} not null, branch text not null, task ${int} not null, base text not null,
    commit_id text not null, tree text not null, command text not null, green ${int} not null, ms ${int} not null
  )${strict}`,
  "create index gates_on_commit on gates (commit_id)",
  ...(xid
    ? ["landings", "gates"].map((table) => `alter table ${table} alter column team set statistics 0`)
    : []),
];

/**
 * The gate on targets themselves: `gate` is a hash, `failing` a `Failing` as JSON, `repair` the task that repairs it. In `gates`, `failing`
 * holds the names of the tests that failed; of a green one, the number of its cases.
 */
export const twentyThird = ({ int, strict, xid }: Names): string[] => [
  `create table bases (
    team text not null, target text not null, commit_id text not null, gate text not null, verdict text not null, ms ${int} not null,
    failing text not null, author text not null, authored_at ${int} not null, repair ${int},
    primary key (commit_id, gate, team)
  )${strict}`,
  "create index bases_repaired on bases (team, repair) where repair is not null",
  "alter table gates add column failing text not null default '[]'",
  "create index gates_on_tree on gates (tree)",
  ...(xid ? ["alter table bases alter column team set statistics 0"] : []),
];
