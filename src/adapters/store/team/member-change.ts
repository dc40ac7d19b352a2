/** Another role or another name for a teammate, by an order. What happened before keeps the old name in the journal. */

import { checkRole } from "../../../core/board/task.ts";
import { badInput, EkidenError, notFound } from "../../../core/errors.ts";
import { foldRole, type HostId, LEAD, type Name, teammateName } from "../../../core/ids.ts";
import type { MemberChange } from "../../../ports/store.ts";
import { appendFacts } from "../journal.ts";
import { exec, type Op, sql, type Tx } from "../sql.ts";
import { post } from "../talk/mail.ts";

/** @throws `not_found` | `bad_input` | `name_taken` */
export function* changeMember(tx: Tx, who: Name, change: MemberChange, by: Name): Op<void> {
  const [row] = yield* sql<{ role: string; phase: string; host: HostId | null }>`
    select role, phase, host from members where team = ${tx.team} and name = ${who} ${tx.dialect.forUpdate}`;
  if (!row) throw notFound(`There is no member "${who}" in team "${tx.team}".`);
  if (who === LEAD) throw badInput("The lead cannot be renamed and has no role.");
  const role = change.role === undefined ? row.role : foldRole(change.role);
  checkRole(role);
  const name = change.name ?? who;
  if (role === row.role && name === who) return;
  if (name !== who) yield* rename(tx, who, teammateName(name), row.host);
  yield* exec`update members set role = ${role} where team = ${tx.team} and name = ${name}`;
  yield* appendFacts(tx, [
    { type: "teammate.changed", who, by, ...(role !== row.role && { role }), ...(name !== who && { name }) },
  ]);
  tx.notify("board");
  if (row.phase === "shutdown") return;
  const words = [
    name === who ? "" : `You are called ${name} from now on.`,
    role === row.role ? "" : role === "" ? "You have no role any more." : `Your role is ${role} from now on.`,
  ];
  yield* post(tx, [{ from: by, to: name, body: { kind: "note", text: words.filter(Boolean).join(" ") } }]);
}

/** Only of a member that no process runs and that has nothing in hand: others know it by its name. */
function* rename(tx: Tx, who: Name, to: Name, host: HostId | null): Op<void> {
  const [held] = yield* sql<{ what: string }>`
    select '#' || id as what from tasks where team = ${tx.team} and owner = ${who} and status = 'in_progress'
    union all select 'job j' || id from jobs where team = ${tx.team} and owner = ${who} and state = 'running'
    union all select 'request ' || id from requests where team = ${tx.team} and (asker = ${who} or asked = ${who}) and state = 'open'
    limit 1`;
  if (host !== null || held)
    throw badInput(
      `${who} ${host !== null ? "is at work" : `holds ${held?.what}`}, so it cannot be renamed now. End the run or ask it to stop (ekiden stop ${who}), then rename it.`,
    );
  const [taken] = yield* sql`select name from members where team = ${tx.team} and name = ${to}`;
  if (taken)
    throw new EkidenError(
      "name_taken",
      `There is a member "${to}" in team "${tx.team}" already. Choose another name.`,
    );
  yield* renameRows(tx, who, to);
}

/** In all tables but the journal. */
export function* renameRows(tx: Tx, who: Name, to: Name): Op<void> {
  yield* exec`update members set name = ${to} where team = ${tx.team} and name = ${who}`;
  yield* exec`update tasks set owner = ${to}, version = version + 1 where team = ${tx.team} and owner = ${who}`;
  yield* exec`update tasks set role = ${`@${to}`}, version = version + 1 where team = ${tx.team} and role = ${`@${who}`}`;
  yield* exec`update mail set recipient = ${to} where team = ${tx.team} and recipient = ${who}`;
  yield* exec`update mail set sender = ${to} where team = ${tx.team} and sender = ${who}`;
  yield* exec`update transcript set name = ${to} || substr(name, ${who.length + 1}) where team = ${tx.team} and (name = ${who} or name like ${`${who}/%`})`;
  yield* exec`update requests set asker = ${to} where team = ${tx.team} and asker = ${who}`;
  yield* exec`update requests set asked = ${to} where team = ${tx.team} and asked = ${who}`;
  yield* exec`update jobs set owner = ${to} where team = ${tx.team} and owner = ${who}`;
  yield* exec`update crons set recipient = ${to} where team = ${tx.team} and recipient = ${who}`;
}
