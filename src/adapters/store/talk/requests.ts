/** Questions that one member may answer, once, before a deadline. The row holds the state; mail carries question and answer. */

import { randomBytes } from "node:crypto";
import { EkidenError, notFound } from "../../../core/errors.ts";
import {
  HARNESS,
  type Instant,
  later,
  type Name,
  PERSON,
  type RequestId,
  type TaskId,
} from "../../../core/ids.ts";
import type { Answer, Ask, Request, Requests } from "../../../ports/store.ts";
import { appendFacts } from "../journal.ts";
import type { Session } from "../session.ts";
import { exec, type Op, parse, sql, type Tx } from "../sql.ts";
import { seated } from "../team/seat.ts";
import { append } from "./entries.ts";
import { delivered, post, reachable } from "./mail.ts";
import { answered, asked, question, reply, subjectOf } from "./request-forms.ts";

type RequestRow = {
  readonly id: RequestId;
  readonly kind: Ask["kind"];
  readonly ask: string;
  readonly asker: Name;
  readonly asked: Name;
  readonly at: Instant;
  /** Until its deadline; 0 or less if it is over. Clocks of machines differ, so the store's clock judges it. */
  readonly left_ms: number;
  readonly state: Request["state"];
  readonly answer: string | null;
};

const toRequest = (tx: Tx, row: RequestRow): Request => ({
  id: row.id,
  ask: parse<Ask>(row.ask, { kind: "permission", tool: "", subject: "[damaged]" }),
  by: row.asker,
  of: row.asked,
  at: row.at,
  deadline: later(tx.now, row.left_ms),
  state: row.state,
  answer: row.answer === null ? null : parse<Request["answer"]>(row.answer, null),
});

const isApproved = ({ state, answer }: Request): boolean => state === "answered" && answer?.yes === true;

/** A random id, short because models copy it. It is made outside the operation, which may run twice. */
const newId = (): RequestId => randomBytes(5).toString("hex") as RequestId;

export function requests(session: Session): Requests {
  return {
    ask: (by, of, ask, deadline) => {
      const id = newId();
      return session.write((tx) => put(tx, id, by, of, ask, deadline));
    },
    answer: async (from, id, kind, answer, entry) => {
      // A refusal is journalled. Thrown inside the transaction, it would roll its own record back.
      const outcome = await session.write(function* (tx) {
        const writer = entry && (yield* seated(tx, entry.seat));
        const result = yield* settle(tx, from, id, kind, answer);
        if (result instanceof EkidenError)
          yield* appendFacts(tx, [{ type: "answer.ignored", from, request: id, why: result.message }]);
        else if (entry && writer) yield* append(tx, entry.seat.name, writer.life, [entry.entry]);
        return result;
      });
      if (outcome instanceof EkidenError) throw outcome;
      return outcome;
    },
    request: (id) =>
      session.look(function* (tx) {
        const [row] =
          yield* sql<RequestRow>`select *, deadline - ${tx.leaseClock} as left_ms from requests where team = ${tx.team} and id = ${id}`;
        return row ? toRequest(tx, row) : null;
      }),
    planFor: (task, attempt) =>
      session.look(function* (tx) {
        const rows = yield* sql<RequestRow>`
          select *, deadline - ${tx.leaseClock} as left_ms from requests where team = ${tx.team} and kind = 'plan' and subject = ${`${task} ${attempt}`} order by at, id`;
        const plans = rows.map((row) => toRequest(tx, row));
        return plans.find(isApproved) ?? plans.find(({ state }) => state === "open") ?? plans.at(-1) ?? null;
      }),
    open: ({ of, by, kind } = {}) =>
      session.look(function* (tx) {
        const rows =
          yield* sql<RequestRow>`select *, deadline - ${tx.leaseClock} as left_ms from requests where team = ${tx.team} and state = 'open' order by at, id`;
        return rows
          .map((row) => toRequest(tx, row))
          .filter(
            (one) => (!of || one.of === of) && (!by || one.by === by) && (!kind || one.ask.kind === kind),
          );
      }),
    expire: async (text) => {
      const due = await session.look((tx) => overdue(tx));
      return due.length === 0 ? [] : session.write((tx) => expire(tx, text));
    },
    withdraw: (id) => session.write((tx) => withdraw(tx, id)),
    postpone: (of, ms) =>
      session.write(function* (tx) {
        yield* exec`
          update requests set deadline = cast(${tx.leaseClock} as bigint) + ${ms}
          where team = ${tx.team} and asked = ${of} and state = 'open' and deadline - ${tx.leaseClock} < ${ms}`;
      }),
  };
}

function* put(tx: Tx, id: RequestId, by: Name, of: Name, ask: Ask, deadline: Instant): Op<Request> {
  yield* reachable(tx, of);
  const subject = subjectOf(ask);
  const [fresh] = yield* sql<RequestRow>`
    insert into requests (team, id, kind, subject, ask, asker, asked, at, deadline, state)
    values (${tx.team}, ${id}, ${ask.kind}, ${subject}, ${JSON.stringify(ask)}, ${by}, ${of}, ${tx.now},
      cast(${tx.leaseClock} as bigint) + ${deadline - tx.now}, 'open')
    on conflict (team, kind, asker, asked, subject) where state = 'open' do nothing returning *, deadline - ${tx.leaseClock} as left_ms`;
  if (!fresh) {
    const [open] = yield* sql<RequestRow>`
      select *, deadline - ${tx.leaseClock} as left_ms from requests where team = ${tx.team} and kind = ${ask.kind} and asker = ${by} and asked = ${of} and subject = ${subject} and state = 'open'`;
    if (open) return toRequest(tx, open);
    throw new EkidenError(
      "answered",
      `The same question to ${of} was answered just now. Read the answer, or ask again.`,
    );
  }
  yield* appendFacts(tx, [asked(id, ask, by, of)]);
  yield* post(tx, [
    { from: by, to: of, body: question(id, ask, deadline), urgent: ask.kind === "shutdown" && ask.urgent },
  ]);
  return toRequest(tx, fresh);
}

function* settle(
  tx: Tx,
  from: Name,
  id: RequestId,
  kind: Ask["kind"],
  answer: Answer,
): Op<Request | EkidenError> {
  const [row] =
    yield* sql<RequestRow>`select *, deadline - ${tx.leaseClock} as left_ms from requests where team = ${tx.team} and id = ${id} ${tx.dialect.forUpdate}`;
  if (!row) return notFound(`There is no request "${id}". Use the id that came with the question.`);
  const refuse = (why: string): EkidenError =>
    new EkidenError("answered", `Request ${id} ${why}. Your answer was ignored.`);
  // The person may answer for the lead, but may not agree to a stop for a member.
  const instead = from === PERSON && row.kind !== "shutdown";
  if (row.asked !== from && !instead) return refuse(`was put to ${row.asked}, not to ${from}`);
  if (row.kind !== kind) return refuse(`is about a ${row.kind}, not about a ${kind}`);
  const request = toRequest(tx, row);
  if (row.state === "withdrawn") return refuse(whyWithdrawn(request));
  if (row.state !== "open")
    return refuse(row.state === "answered" ? "was answered before" : `is ${row.state}`);
  if (row.left_ms <= 0) return refuse("had to be answered earlier: its deadline is over");
  if (request.ask.kind === "plan") {
    const { task, attempt } = request.ask;
    const [now] = yield* sql<{
      attempt: number;
      status: string;
    }>`select attempt, status from tasks where team = ${tx.team} and id = ${task}`;
    if (now?.attempt !== attempt || now.status !== "in_progress") {
      yield* withdraw(tx, id);
      return refuse(whyWithdrawn(request));
    }
  }
  return yield* close(tx, request, "answered", answer, from);
}

function whyWithdrawn({ ask, by }: Request): string {
  if (ask.kind === "plan")
    return `is about attempt ${ask.attempt} of task #${ask.task}, which is over or was changed`;
  if (ask.kind === "question" && ask.task !== null)
    return `is about task #${ask.task}, which ${by} does not do any more`;
  return "is withdrawn";
}

function* close(
  tx: Tx,
  request: Request,
  state: "answered" | "expired",
  answer: Answer,
  from: Name,
): Op<Request> {
  const given = { ...answer, by: from };
  yield* exec`update requests set state = ${state}, answer = ${JSON.stringify(given)} where team = ${tx.team} and id = ${request.id}`;
  yield* appendFacts(tx, [answered(request, answer, from)]);
  const letter = {
    from: state === "answered" ? from : HARNESS,
    to: request.by,
    body: reply(request, answer),
  };
  const [mail] = yield* post(tx, [letter]);
  // The waiting call has the answer as its result, so it counts as read.
  if (request.ask.kind === "permission" && mail !== undefined) {
    yield* sql`update mail set state = 1, delivered_at = ${tx.now} where id = ${mail}`;
    yield* appendFacts(tx, [delivered({ ...letter, id: mail })]);
  }
  return { ...request, state, answer: given };
}

function* withdraw(tx: Tx, id: RequestId): Op<void> {
  const [row] = yield* sql<{
    asker: Name;
  }>`update requests set state = 'withdrawn' where team = ${tx.team} and id = ${id} and state = 'open' returning asker`;
  if (row) yield* appendFacts(tx, [{ type: "request.withdrawn", who: row.asker, request: id }]);
}

/** Nobody waits any more for an answer about a task that was taken from its owner, nor for a plan for words that were replaced. */
export function* withdrawAbout(tx: Tx, task: TaskId, only?: "plan"): Op<void> {
  const rows = yield* sql<Pick<RequestRow, "id" | "kind" | "ask">>`
    select id, kind, ask from requests where team = ${tx.team} and state = 'open' and kind in ('plan', 'question') order by id`;
  for (const { id, kind, ask } of rows)
    if ((only ?? kind) === kind && parse<{ task?: TaskId | null }>(ask, {}).task === task)
      yield* withdraw(tx, id);
}

function* overdue(tx: Tx): Op<RequestRow[]> {
  return yield* sql<RequestRow>`select *, deadline - ${tx.leaseClock} as left_ms from requests where team = ${tx.team} and state = 'open' and deadline <= ${tx.leaseClock} order by at, id`;
}

function* expire(tx: Tx, text: string): Op<Request[]> {
  const closed: Request[] = [];
  for (const { id } of yield* overdue(tx)) {
    const [row] = yield* sql<RequestRow>`
      select *, deadline - ${tx.leaseClock} as left_ms from requests where team = ${tx.team} and id = ${id} and state = 'open' ${tx.dialect.forUpdate}`;
    if (row) closed.push(yield* close(tx, toRequest(tx, row), "expired", { yes: false, text }, HARNESS));
  }
  return closed;
}

/** Closes the open questions to and from a member that has stopped. */
export function* closeFor(tx: Tx, name: Name): Op<void> {
  const rows = yield* sql<RequestRow>`
    select *, deadline - ${tx.leaseClock} as left_ms from requests where team = ${tx.team} and state = 'open' and (asker = ${name} or asked = ${name}) order by id ${tx.dialect.forUpdate}`;
  for (const row of rows) {
    // The mail that it has stopped answers a request to stop.
    if (row.asker === name || row.kind === "shutdown") yield* withdraw(tx, row.id);
    else
      yield* close(tx, toRequest(tx, row), "expired", { yes: false, text: `${name} has stopped.` }, HARNESS);
  }
}
