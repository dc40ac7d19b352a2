/**
 * The records of issues and requests on a forge. What is to be sent is a row that is written together with the fact that caused it. A
 * row has a key that is unique for its task, so that two processes that see the same fact send it once.
 */
import type { Entry } from "../../core/conversation/chat.ts";
import { notFound } from "../../core/errors.ts";
import type { Answer, Change, Memory, RequestState, Sending, Tracked } from "../../core/forge/memory.ts";
import { NEW_MEMORY, refusedAgain, unread } from "../../core/forge/memory.ts";
import { HARNESS, type HostId, type Instant, type Name, PERSON, type TaskId } from "../../core/ids.ts";
import type { ForgeRecords, OutRow, Page, Proposing } from "../../ports/forge.ts";
import type { Held } from "../../ports/held.ts";
import { appendFacts } from "./journal.ts";
import type { Session } from "./session.ts";
import { exec, leaseEnd, type Op, parse, sql, type Tx, teamLock } from "./sql.ts";
import { post } from "./talk/mail.ts";
import { addAll, prepareBatch } from "./tasks/add.ts";
import { failed, heldRow, putBack, release } from "./tasks/finish.ts";
import { assign, cancel, claimFor, completeFor, retry } from "./tasks/override.ts";
import { landed } from "./tasks/refuse.ts";
import { type TaskRow, taskForUpdate } from "./tasks/task-row.ts";

type Found = Tracked & { readonly owner: Name | "" };
type Row = Omit<Found, "memory"> & { readonly memory: string };
type SendingRow = Omit<OutRow, "target"> & { readonly target: string };

export function forgeRecords(session: Session): ForgeRecords {
  return {
    lead: (...args) => session.write((tx) => lead(tx, ...args)),
    take: async (repo, issue, task) => {
      const batch = prepareBatch([task]);
      return session.write(function* (tx) {
        yield* teamLock(tx, "forge");
        const [known] = yield* sql`
          select task from forge_requests where team = ${tx.team} and repo = ${repo} and issue = ${issue}`;
        const [added] = known ? [] : yield* addAll(tx, batch, HARNESS);
        if (added) yield* begin(tx, added.id, repo, issue, "taken");
        return added?.id ?? null;
      });
    },
    all: () => session.look((tx) => foundOf(tx)),
    find: (task) => session.look((tx) => oneOf(tx, task)),
    propose: (...args) => session.write((tx) => propose(tx, session.limits.maxAttempts, ...args)),
    answer: (...args) => session.write((tx) => noteAnswer(tx, ...args)),
    change: (...args) => session.write((tx) => changed(tx, ...args)),
    posted: (task) =>
      session.look(function* (tx) {
        const rows = yield* sql<{ id: string }>`
          select case kind when 'reply' then 'l' else 'c' end || said as id from forge_outbox
          where team = ${tx.team} and task = ${task} and kind in ('reply', 'comment') and state = 'confirmed'`;
        return new Set(rows.map(({ id }) => id));
      }),
    unsent: () =>
      session.look(function* (tx) {
        const rows = yield* sql<SendingRow>`
          select id, task, key, kind, target, body, state, at from forge_outbox
          where team = ${tx.team} and state in ('queued', 'sent') order by id`;
        return rows.map((row) => {
          const [id, at, task] = [Number(row.id), Number(row.at) as Instant, Number(row.task) as TaskId];
          return { ...row, id, at, task, target: parse<OutRow["target"]>(row.target, {}) };
        });
      }),
    sending: (host, row, ms) =>
      session.write(function* (tx) {
        if (!(yield* lead(tx, host, ms))) return null;
        yield* exec`update forge_outbox set state = 'sent', at = ${tx.now} where team = ${tx.team} and id = ${row}`;
        // Another host leads as soon as this one is not heard of.
        const [left] = yield* sql<{ left: number }>`
          select lease_until - ${tx.leaseClock} as left from hosts where team = ${tx.team} and id = ${host}`;
        return Math.min(ms, left ? Number(left.left) : ms);
      }),
    sent: (...args) => session.write((tx) => noteSent(tx, ...args)),
    ...readings(session),
  };
}

const KEPT_MS = 3 * 24 * 3_600_000;

function* keep(tx: Tx, pages: readonly Page[]): Op<void> {
  for (const { path, etag, data } of pages)
    yield* exec`
      insert into forge_pages (team, path, etag, data, at) values (${tx.team}, ${path}, ${etag}, ${data}, ${tx.now})
      on conflict (team, path) do update set etag = excluded.etag, data = excluded.data, at = excluded.at`;
}

/** What was read, and what was heard. */
const readings = (session: Session): Pick<ForgeRecords, "pages" | "keep" | "heard" | "woken"> => ({
  pages: () =>
    session.write(function* (tx) {
      yield* exec`delete from forge_pages where team = ${tx.team} and at < ${tx.now - KEPT_MS}`;
      return yield* sql<Page>`select path, etag, data from forge_pages where team = ${tx.team} order by at`;
    }),
  keep: (pages) => session.write((tx) => keep(tx, pages)),
  heard: (delivery, about) =>
    session.write(function* (tx) {
      yield* exec`delete from forge_inbox where team = ${tx.team} and at < ${tx.now - KEPT_MS}`;
      const rows = yield* sql`
        insert into forge_inbox (team, delivery, about, at) values (${tx.team}, ${delivery}, ${about}, ${tx.now})
        on conflict (team, delivery) do nothing returning delivery`;
      if (rows.length > 0) tx.notify("forge");
      return rows.length > 0;
    }),
  woken: () =>
    session.write(function* (tx) {
      const rows = yield* sql<{ about: string }>`
        update forge_inbox set is_read = 1 where team = ${tx.team} and is_read = 0 returning about`;
      return new Set(rows.flatMap(({ about }) => about.split(" ")));
    }),
});

/** What was refused may be sent again, which the memory of its request decides: its row goes. */
function* noteSent(tx: Tx, id: number, state: OutRow["state"], said: string): Op<void> {
  yield* exec`update forge_outbox set state = ${state}, said = ${said}, at = ${tx.now} where team = ${tx.team} and id = ${id}`;
  if (state !== "refused") return;
  const [gone] = yield* sql<Pick<OutRow, "task" | "key" | "kind">>`
    delete from forge_outbox where team = ${tx.team} and id = ${id} and kind in ('open', 'merge', 'queue', 'update')
    returning task, key, kind`;
  const found = gone && gone.kind !== "open" ? yield* oneOf(tx, gone.task) : null;
  if (!gone || !found) return;
  const waits = "its merge, which the forge refused";
  yield* remember(tx, gone.task, { ...refusedAgain(found.memory, gone.key, said, tx.now), waits });
}

function* propose(tx: Tx, maxAttempts: number, claim: Held, what: Proposing, entry: Entry): Op<void> {
  const { id } = yield* heldRow(tx, claim);
  const { repo, branch, target, commit } = what;
  if (!(yield* oneOf(tx, id))) yield* begin(tx, id, repo, null, "work");
  const tracked = { ...((yield* oneOf(tx, id)) as Tracked), branch, target };
  for (const one of what.sends(tracked)) yield* enqueue(tx, id, one);
  const number = tracked.state === "closed" ? null : tracked.number;
  const state: RequestState = number === null ? "opening" : "open";
  const by = claim.seat.name;
  yield* exec`
    update forge_requests set branch = ${branch}, target = ${target}, head = ${commit}, state = ${state}, number = ${number}, owner = ${by}
    where team = ${tx.team} and task = ${id}`;
  yield* remember(tx, id, { ...unread(tracked.memory), asks: [], answers: {} });
  yield* release(tx, claim, "proposed", undefined, maxAttempts, entry);
  yield* claimFor(tx, id, HARNESS);
  const fact = { type: "task.proposed", task: id, by, branch, target, commit } as const;
  if (number !== null) yield* appendFacts(tx, [{ ...fact, said: `pull request #${number}` }]);
  tx.notify("forge");
}

function* lead(tx: Tx, host: HostId, ms: number): Op<boolean> {
  const rows = yield* sql`
    insert into forge_leads (team, host, until) values (${tx.team}, ${host}, ${leaseEnd(tx, ms)})
    on conflict (team) do update set host = excluded.host, until = excluded.until
      where forge_leads.host = excluded.host or forge_leads.until < ${tx.leaseClock} or not exists
        (select 1 from hosts h where h.team = forge_leads.team and h.id = forge_leads.host and h.lease_until > ${tx.leaseClock})
    returning host`;
  return rows.length > 0;
}

function* begin(tx: Tx, task: TaskId, repo: string, issue: number | null, state: RequestState): Op<void> {
  yield* exec`
    insert into forge_requests (team, task, repo, issue, number, branch, target, head, state, owner, memory, updated_at)
    values (${tx.team}, ${task}, ${repo}, ${issue}, ${null}, '', '', '', ${state}, '', ${JSON.stringify(NEW_MEMORY)}, ${tx.now})`;
}

/** `task`: only its own. */
function* foundOf(tx: Tx, task = -1): Op<Found[]> {
  const rows = yield* sql<Row>`
    select r.task, t.subject, t.status, r.repo, r.issue, r.number, r.branch, r.target, r.head, r.state, r.owner, r.memory
    from forge_requests r join tasks t on t.team = r.team and t.id = r.task
    where r.team = ${tx.team} and (${task} = -1 or r.task = ${task}) order by r.task`;
  return rows.map(({ memory, ...row }) => ({
    ...{ ...row, task: Number(row.task) as TaskId, issue: numeric(row.issue), number: numeric(row.number) },
    memory: { ...NEW_MEMORY, ...parse<Partial<Memory>>(memory, {}) },
  }));
}
const numeric = (value: number | null): number | null => (value === null ? null : Number(value));
function* oneOf(tx: Tx, task: TaskId): Op<Found | null> {
  return (yield* foundOf(tx, task))[0] ?? null;
}
const remember = (tx: Tx, task: TaskId, memory: Memory): Op<void> =>
  exec`update forge_requests set memory = ${JSON.stringify(memory)}, updated_at = ${tx.now} where team = ${tx.team} and task = ${task}`;

function* enqueue(tx: Tx, task: TaskId, { key, kind, target, body }: Sending): Op<void> {
  yield* exec`
    insert into forge_outbox (team, task, key, kind, target, body, state, said, at)
    values (${tx.team}, ${task}, ${key}, ${kind}, ${JSON.stringify(target)}, ${body}, 'queued', '', ${tx.now})
    on conflict (team, task, key) do update set state = 'queued' where forge_outbox.kind = 'queue' and forge_outbox.state = 'confirmed'`;
  tx.notify("forge");
}

function* noteAnswer(tx: Tx, claim: Held, label: string, answer: Answer): Op<readonly string[]> {
  yield* heldRow(tx, claim);
  const memory = (yield* oneOf(tx, claim.task))?.memory ?? NEW_MEMORY;
  const labels = memory.asks.map((ask) => ask.label);
  const known = labels.length > 0 ? `; it has ${labels.join(", ")}` : ": nobody has reviewed it";
  if (!labels.includes(label))
    throw notFound(`${label} is not a review comment that #${claim.task} must answer${known}.`);
  const answers = { ...memory.answers, [label]: answer };
  yield* remember(tx, claim.task, { ...memory, answers });
  return labels.filter((one) => !answers[one]);
}

type Changed = readonly [host: HostId, task: TaskId, change: Change, pages?: readonly Page[]];
function* changed(tx: Tx, ...[host, id, change, pages = []]: Changed): Op<boolean> {
  const [leader] = yield* sql`
    select host from forge_leads where team = ${tx.team} and host = ${host} and until >= ${tx.leaseClock} ${tx.dialect.forUpdate}`;
  if (!leader) return false;
  const row = yield* taskForUpdate(tx, id);
  const found = yield* oneOf(tx, id);
  if (!found || !mayChange(row, found, change)) return false;
  const { memory = found.memory, state = found.state, number = found.number, send = [], person } = change;
  // Answers that its owner gives meanwhile stay.
  const answers = found.state === "work" && found.memory.answers;
  yield* exec`
    update forge_requests set state = ${state}, number = ${number} where team = ${tx.team} and task = ${id}`;
  yield* remember(tx, id, { ...memory, ...(answers && { answers }) });
  for (const one of send) yield* enqueue(tx, id, one);
  yield* keep(tx, pages);
  yield* followed(tx, row, found, change);
  if (person !== undefined)
    yield* post(tx, [{ from: HARNESS, to: PERSON, body: { kind: "note", text: person } }]);
  return true;
}

function mayChange(
  { status, owner }: TaskRow,
  found: Found,
  { back, failed: why, number, state }: Change,
): boolean {
  if (back !== undefined || why !== undefined) return status === "in_progress" && owner === HARNESS;
  if (state === "dropped") return status === "pending";
  if (found.state === "dropped" || state === "taken")
    return found.state === "dropped" && status === "cancelled";
  // Reopened at the forge: its person or a member may have gone on with it meanwhile.
  const isReopened = state === "open" && number === undefined;
  return isReopened
    ? found.state === "closed" && status === "failed"
    : found.state !== "closed" || state !== "open";
}

/** What becomes of its task. */
function* followed(tx: Tx, row: TaskRow, found: Found, change: Change): Op<void> {
  const { back, completed, failed: why, cancelled, opened, state } = change;
  const [{ id }, { branch, target }] = [row, found];
  if (back !== undefined) {
    yield* putBack(tx, row, "request", back, Number.POSITIVE_INFINITY);
    const [mate] = yield* sql<{ name: Name }>`
      select name from members where team = ${tx.team} and name = ${found.owner} and kind = 'teammate' and phase <> 'shutdown'`;
    if (mate) yield* assign(tx, id, mate.name, HARNESS);
  }
  if (completed && (row.status === "pending" || row.status === "in_progress")) {
    yield* completeFor(tx, id, HARNESS, completed.result);
    yield* landed(tx, id, HARNESS, { branch, target, commit: completed.commit });
  }
  if (why !== undefined) yield* failed(tx, row, why, HARNESS);
  if (cancelled !== undefined) yield* cancel(tx, id, HARNESS, cancelled);
  if (opened !== undefined) {
    const fact = { task: id, by: found.owner || HARNESS, branch, target, commit: found.head, said: opened };
    yield* appendFacts(tx, [{ type: "task.proposed", ...fact }]);
  }
  const isReopened = found.state === "closed" && state === "open";
  if (isReopened || found.state === "dropped") yield* retry(tx, id, HARNESS);
  if (isReopened) yield* claimFor(tx, id, HARNESS);
}
