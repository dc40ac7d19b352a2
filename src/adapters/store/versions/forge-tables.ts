/** The tables of issues and requests on a forge, of what is to be sent there, and of the host that does it. */
import type { Names } from "./columns.ts";

const withoutStatistics = (table: string): string =>
  `alter table ${table} alter column team set statistics 0`;

/**
 * `memory`: a `Memory` as JSON. In `forge_outbox`, `key` names what is sent once for a task, `state` is queued, sent (it may have been
 * done), confirmed or refused.
 */
export const twentyFifth = ({ int, serial, strict, xid }: Names): string[] => [
  `create table forge_requests (
    team text not null, task ${int} not null, repo text not null, issue ${int}, number ${int}, branch text not null, target text not null,
    head text not null, state text not null, owner text not null, memory text not null, updated_at ${int} not null,
    primary key (team, task)
  )${strict}`,
  "create unique index forge_issues on forge_requests (team, repo, issue) where issue is not null",
  `create table forge_outbox (
    id ${serial}, team text not null, task ${int} not null, key text not null, kind text not null, target text not null, body text not null,
    state text not null, said text not null, at ${int} not null
  )${strict}`,
  "create unique index forge_once on forge_outbox (team, task, key)",
  "create index forge_unsent on forge_outbox (team, id) where state in ('queued', 'sent')",
  `create table forge_leads (team text not null, host text not null, until ${int} not null, primary key (team))${strict}`,
  ...(xid ? ["forge_requests", "forge_outbox", "forge_leads"].map(withoutStatistics) : []),
];

/**
 * `forge_pages`: answers of the forge with their tags; one that is current costs nothing. `forge_inbox`: deliveries of webhooks by their ids.
 * `about`: the number or the commit that one is about; "" where that is unknown.
 */
export const twentySixth = ({ int, strict, xid }: Names): string[] => [
  `create table forge_pages (
    team text not null, path text not null, etag text not null, data text not null, at ${int} not null, primary key (team, path)
  )${strict}`,
  `create table forge_inbox (
    team text not null, delivery text not null, about text not null, is_read ${int} not null default 0, at ${int} not null,
    primary key (team, delivery)
  )${strict}`,
  ...(xid ? ["forge_pages", "forge_inbox"].map(withoutStatistics) : []),
];
