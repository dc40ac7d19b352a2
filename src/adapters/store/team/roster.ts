/** The members of a team: joining, being taken over by another process, leaving. */

import type { HostProcess } from "../../../core/board/host.ts";
import type { IdleReason, ShutdownReason } from "../../../core/board/lifecycle.ts";
import type { Activity, Member, MemberKind, Profile, Seat } from "../../../core/board/member.ts";
import { checkRole } from "../../../core/board/task.ts";
import { badInput, EkidenError } from "../../../core/errors.ts";
import {
  foldRole,
  type HostId,
  type Instant,
  LEAD,
  type Name,
  type TaskId,
  teammateName,
} from "../../../core/ids.ts";
import type { Adoption, Roster, Teammates } from "../../../ports/store.ts";
import { appendFacts } from "../journal.ts";
import type { Session } from "../session.ts";
import { atMost, exec, leaseEnd, type Op, sql, type Tx } from "../sql.ts";
import { post } from "../talk/mail.ts";
import { closeFor } from "../talk/requests.ts";
import { releaseAssigned } from "../tasks/assign.ts";
import { HOSTS_NOBODY, hosting, putAllBack, removeDeadHosts } from "./hosts.ts";
import { changeMember } from "./member-change.ts";
import { place } from "./place.ts";
import { seated } from "./seat.ts";

type MemberRow = {
  readonly name: Name;
  readonly kind: MemberKind;
  readonly role: string;
  readonly model: string;
  readonly prompt: string;
  readonly needs_plan: number;
  readonly phase: Activity["phase"];
  readonly reason: string | null;
  readonly note: string | null;
  readonly since: Instant;
  readonly host: HostId | null;
  readonly heartbeat: Instant | null;
  readonly heard_at: Instant | null;
  readonly joined_at: Instant;
  readonly turns: number;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly usd: number;
  readonly task: TaskId | null;
  readonly unread: number;
};

const toMember = (row: MemberRow): Member => ({
  name: row.name,
  kind: row.kind,
  role: row.role,
  model: row.model,
  prompt: row.prompt,
  needsPlan: row.needs_plan === 1,
  activity: activityOf(row),
  since: row.since,
  host: row.host,
  heartbeat: row.heard_at ?? row.heartbeat,
  task: row.task,
  unread: Number(row.unread),
  joinedAt: row.joined_at,
  turns: row.turns,
  inputTokens: row.input_tokens,
  cachedTokens: row.cached_tokens,
  outputTokens: row.output_tokens,
  usd: row.usd,
});

function activityOf({ phase, reason, note }: MemberRow): Activity {
  if (phase === "idle") return { phase, reason: reason as IdleReason, ...(note !== null && { note }) };
  if (phase === "shutdown") return { phase, reason: reason as ShutdownReason };
  return { phase: "work" };
}

/** All members if `name` is "". */
function* members(tx: Tx, name: Name | ""): Op<Member[]> {
  const rows = yield* sql<MemberRow>`
    select m.*, h.heard_at,
      (select min(t.id) from tasks t where t.team = m.team and t.owner = m.name and t.status = 'in_progress') as task,
      (select count(*) from mail x where x.team = m.team and x.recipient = m.name and x.state = 0) as unread
    from members m left join hosts h on h.team = m.team and h.id = m.host
    where m.team = ${tx.team} and (m.name = ${name} or ${name} = '') order by m.joined_at, m.name`;
  return rows.map(toMember);
}

function* teammates(tx: Tx, limit: number): Op<Teammates> {
  const rows = yield* sql<{ name: Name; role: string; total: number }>`
    select name, role, count(*) over () as total from members
    where team = ${tx.team} and kind = 'teammate' and phase <> 'shutdown' order by joined_at, name limit ${atMost(limit)}`;
  return {
    first: rows.map(({ name, role }) => ({ name, role })),
    total: Number(rows[0]?.total ?? 0),
  };
}

function check(profile: Profile): void {
  if (profile.kind === "lead") {
    if (profile.name !== LEAD)
      throw badInput(`The lead of a team is called "${LEAD}", not "${profile.name}".`);
  } else {
    const folded = teammateName(profile.name);
    if (folded !== profile.name)
      throw badInput(`"${profile.name}" is not a name as it is stored: "${folded}".`);
  }
  checkRole(profile.role);
}

function* join(tx: Tx, profile: Profile, host: HostId, by: Name): Op<Seat> {
  yield* registered(tx, host);
  const { name, kind, model, prompt } = profile;
  const role = foldRole(profile.role);
  const needsPlan = Number(profile.needsPlan);
  const [fresh] = yield* sql`
    insert into members (team, name, kind, role, model, prompt, needs_plan, phase, since, host, last_host, joined_at)
    values (${tx.team}, ${name}, ${kind}, ${role}, ${model}, ${prompt}, ${needsPlan}, 'work', ${tx.now}, ${host}, ${host}, ${tx.now})
    on conflict (team, name) do nothing returning name`;
  if (!fresh) {
    // The costs of the former member stay, so that a new one of the same name does not get a new budget.
    const [again] = yield* sql`
      update members set kind = ${kind}, role = ${role}, model = ${model}, prompt = ${prompt}, needs_plan = ${needsPlan}, phase = 'work',
        reason = null, since = ${tx.now}, host = ${host}, last_host = ${host}, heartbeat = null, kept_until = 0, blocks_of = null, joined_at = ${tx.now}, life = life + 1
      where team = ${tx.team} and name = ${name} and phase = 'shutdown' returning name`;
    if (!again)
      throw new EkidenError(
        "name_taken",
        `There is a member "${name}" in team "${tx.team}" already. Choose another name, or ask ${name} to stop first.`,
      );
    // Unread mail of the former member is not for this one. Mail to the lead is: it is for the role.
    if (kind === "teammate")
      yield* exec`update mail set state = 2 where team = ${tx.team} and recipient = ${name} and state = 0`;
  }
  yield* appendFacts(tx, [{ type: "teammate.spawned", who: name, kind, role, model }]);
  if (prompt.trim() !== "") yield* post(tx, [{ from: by, to: name, body: { kind: "note", text: prompt } }]);
  return { name, host };
}

/** @throws `bad_input`: without a lease, another host would take the member over at once */
function* registered(tx: Tx, host: HostId): Op<void> {
  const [known] = yield* sql`select id from hosts where team = ${tx.team} and id = ${host}`;
  if (known) return;
  throw badInput(
    `This process is not registered as a host of team "${tx.team}", or was declared dead. It must register (\`roster.open\`) before it runs members.`,
    { details: { unregistered: true } },
  );
}

type Adoptable = {
  readonly kind: MemberKind;
  readonly phase: Activity["phase"];
  readonly host: HostId | null;
};

function* adopt(
  tx: Tx,
  name: Name,
  host: HostId,
  { isAlive = () => null, revive = false, ended }: Adoption,
): Op<Seat | null> {
  const [member] =
    yield* sql<Adoptable>`select kind, phase, host from members where team = ${tx.team} and name = ${name} ${tx.dialect.forUpdate}`;
  if (!member) return null;
  yield* registered(tx, host);
  if (member.phase === "shutdown" && member.kind === "teammate" && !revive) return null;
  if (member.host !== null && member.host !== host) {
    const [other] = yield* sql<HostProcess & { readonly holds: number }>`
      select machine, pid, identity, case when lease_until > ${tx.leaseClock} then 1 else 0 end as holds
      from hosts where team = ${tx.team} and id = ${member.host}`;
    if (other && Number(other.holds) === 1 && isAlive(other) !== false) return null;
    if (other && ended && !ended.has(member.host)) return null;
  }
  yield* exec`update members set host = ${host}, last_host = ${host}, kept_until = 0, blocks_of = null where team = ${tx.team} and name = ${name}`;
  if (member.host !== null && member.host !== host)
    yield* exec`delete from hosts where team = ${tx.team} and id = ${member.host} and ${HOSTS_NOBODY}`;
  if (member.phase === "shutdown") yield* setActivity(tx, name, { phase: "work" });
  return { name, host };
}

function* setActivity(tx: Tx, name: Name, activity: Activity): Op<void> {
  const reason = activity.phase === "work" ? null : activity.reason;
  const note = activity.phase === "idle" ? activity.note : undefined;
  const changed = yield* sql`
    update members set phase = ${activity.phase}, reason = ${reason}, note = ${note ?? null}, since = ${tx.now}
    where team = ${tx.team} and name = ${name} and (phase <> ${activity.phase} or coalesce(reason, '') <> ${reason ?? ""}) returning name`;
  if (changed.length > 0)
    yield* appendFacts(tx, [
      {
        type: "teammate.phase",
        who: name,
        phase: activity.phase,
        ...(activity.phase !== "work" && { reason: activity.reason }),
        ...(note !== undefined && { note }),
      },
    ]);
}

function* leave(tx: Tx, seat: Seat, reason: ShutdownReason, lastWords: string): Op<void> {
  const { kind } = yield* seated(tx, seat);
  const released = yield* putAllBack(tx, seat.name, "owner_stopped", Number.POSITIVE_INFINITY);
  yield* setActivity(tx, seat.name, { phase: "shutdown", reason });
  yield* exec`update members set host = null, heartbeat = ${tx.now} where team = ${tx.team} and name = ${seat.name}`;
  yield* closeFor(tx, seat.name);
  yield* releaseAssigned(tx, seat.name);
  if (kind === "teammate")
    yield* post(tx, [
      {
        from: seat.name,
        to: LEAD,
        body: { kind: "stopped", reason, text: lastWords, released },
      },
    ]);
}

export function roster(session: Session): Roster {
  return {
    ...hosting(session),
    join: async (profile, host, by) => {
      check(profile);
      return session.write((tx) => join(tx, profile, host, by));
    },
    change: (who, change, by) => session.write((tx) => changeMember(tx, who, change, by)),
    place: async (profile, by) => {
      check(profile);
      return session.write((tx) => place(tx, profile, by, join));
    },
    adopt: (name, host, how = {}) => session.write((tx) => adopt(tx, name, host, how)),
    member: async (name) => (await session.look((tx) => members(tx, name)))[0] ?? null,
    members: () => session.look((tx) => members(tx, "")),
    teammates: (limit) => session.look((tx) => teammates(tx, limit)),
    setActivity: (seat, activity, mail = []) =>
      session.write(function* (tx) {
        yield* seated(tx, seat);
        yield* setActivity(tx, seat.name, activity);
        yield* post(
          tx,
          mail.map((one) => ({ from: seat.name, ...one })),
        );
      }),
    runsBlocksOf: (seat, runbook) =>
      session.write(function* (tx) {
        yield* seated(tx, seat);
        yield* exec`update members set blocks_of = ${runbook} where team = ${tx.team} and name = ${seat.name}`;
      }),
    leave: (seat, reason, lastWords) => session.write((tx) => leave(tx, seat, reason, lastWords)),
    suspend: (host) =>
      session.write(function* (tx) {
        yield* exec`
          update members set host = null, heartbeat = ${tx.now}, kept_until = ${leaseEnd(tx, session.limits.leaseMs)}
          where team = ${tx.team} and host = ${host}`;
        yield* exec`delete from hosts where team = ${tx.team} and id = ${host}`;
        yield* removeDeadHosts(tx);
      }),
    finish: (host, end) =>
      session.write(function* (tx) {
        const [lead] = yield* sql<{ last_host: HostId | null }>`
          select last_host from members where team = ${tx.team} and name = ${LEAD}`;
        if (lead && lead.last_host !== host) return false;
        yield* appendFacts(tx, [{ type: "team.finished", ...end }]);
        return true;
      }),
  };
}
