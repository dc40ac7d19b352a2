/**
 * The mailboxes. One transaction marks mail as read and writes it into the conversation: after a crash it is either delivered again
 * or in the conversation already, never both.
 */

import {
  type Backlog,
  type Body,
  checkText,
  isKind,
  KINDS,
  type Kind,
  MAILBOX_MAX,
  type Mail,
  wakes,
} from "../../../core/board/mail.ts";
import { badInput, EkidenError, notFound } from "../../../core/errors.ts";
import type { Fact } from "../../../core/event.ts";
import { type Instant, LEAD, type MailId, type Name, PERSON } from "../../../core/ids.ts";
import type { Mailboxes } from "../../../ports/store.ts";
import { appendFacts } from "../journal.ts";
import type { Session } from "../session.ts";
import { anyOf, atMost, exec, insert, type Op, parse, sql, type Tx } from "../sql.ts";
import { seated } from "../team/seat.ts";
import { append } from "./entries.ts";

type MailRow = {
  readonly id: MailId;
  readonly sender: Name;
  readonly recipient: Name;
  readonly at: Instant;
  readonly urgent: number;
  readonly kind: Kind;
  readonly body: string;
  readonly delivered_at: Instant | null;
};

const toMail = (row: MailRow): Mail => ({
  id: row.id,
  from: row.sender,
  to: row.recipient,
  at: row.at,
  urgent: row.urgent === 1,
  body: parse<Body>(row.body, {
    kind: "note",
    text: `[Mail ${row.id}, a ${row.kind}, is damaged and cannot be shown.]`,
  }),
  deliveredAt: row.delivered_at,
});

export type Post = {
  readonly from: Name;
  readonly to: Name;
  readonly body: Body;
  readonly urgent?: boolean | undefined;
};

const COLUMNS = ["team", "sender", "recipient", "at", "urgent", "kind", "wakes", "turn", "body"];

/** Sends without checks: mail from the harness is never refused. */
export function* post(tx: Tx, mails: readonly Post[]): Op<MailId[]> {
  const rows = mails.map(({ from, to, body, urgent = false }) => {
    const turn = body.kind === "shutdown_request" ? 0 : urgent ? 1 : 2;
    return [
      tx.team,
      from,
      to,
      tx.now,
      Number(urgent),
      body.kind,
      Number(wakes(body)),
      turn,
      JSON.stringify(body),
    ];
  });
  const ids = (yield* insert("mail", COLUMNS, rows, "id")) as MailId[];
  yield* appendFacts(
    tx,
    mails.map(
      ({ from, to, body }, i): Fact => ({
        type: "mail.sent",
        mail: ids[i] as MailId,
        from,
        to,
        kind: body.kind,
      }),
    ),
  );
  for (const { to } of mails) tx.notify(`mail:${to}`);
  return ids;
}

/** @throws `not_found` if the member does not exist or has stopped */
export function* reachable(tx: Tx, to: Name): Op<void> {
  if (to === LEAD || to === PERSON) return;
  const [member] = yield* sql<{
    phase: string;
  }>`select phase from members where team = ${tx.team} and name = ${to}`;
  if (member && member.phase !== "shutdown") return;
  const living = yield* sql<{
    name: Name;
  }>`select name from members where team = ${tx.team} and phase <> 'shutdown' order by name`;
  const names = [...new Set([LEAD, PERSON, ...living.map((row) => row.name)])].join(", ");
  throw notFound(
    member
      ? `${to} has stopped and reads no more mail. Mail can be sent to: ${names}.`
      : `There is no member "${to}". Mail can be sent to: ${names}.`,
  );
}

function* hasRoom(tx: Tx, to: Name): Op<boolean> {
  const [full] =
    yield* sql`select id from mail where team = ${tx.team} and recipient = ${to} and state = 0 limit 1 offset ${MAILBOX_MAX - 1}`;
  return !full;
}

const fullBox = (names: readonly Name[]): EkidenError =>
  new EkidenError(
    "mailbox_full",
    `The mailbox of ${names.join(", ")} holds ${MAILBOX_MAX} unread mails. Nothing was sent. Wait until they are read.`,
  );

function checkBody(body: Body): void {
  if (!isKind(body.kind))
    throw badInput(`"${body.kind}" is not a kind of mail. Use one of: ${KINDS.join(", ")}.`);
  if (body.kind === "note" || body.kind === "broadcast") checkText(body.text);
}

const READ_LIMIT = 100;
const ANYBODY = "" as Name;

function* unread(tx: Tx, to: Name, limit: number, lock = false): Op<Mail[]> {
  const rows = lock
    ? yield* sql<MailRow>`select * from mail where team = ${tx.team} and recipient = ${to} and state = 0 order by turn, id limit ${atMost(limit)} ${tx.dialect.forUpdate}`
    : yield* sql<MailRow>`select * from mail where team = ${tx.team} and recipient = ${to} and state = 0 order by turn, id limit ${atMost(limit)}`;
  return rows.map(toMail);
}

export const delivered = ({ id, from, to, body }: Pick<Mail, "id" | "from" | "to" | "body">): Fact => ({
  ...{ type: "mail.delivered", mail: id, from, to, kind: body.kind },
});

function* consume(tx: Tx, to: Name, limit: number): Op<Mail[]> {
  const found = yield* unread(tx, to, limit, true);
  if (found.length === 0) return [];
  yield* exec`update mail set state = 1, delivered_at = ${tx.now} where id ${anyOf(
    tx,
    found.map((mail) => mail.id),
  )}`;
  yield* appendFacts(tx, found.map(delivered));
  return found.map((mail) => ({ ...mail, deliveredAt: tx.now }));
}

type Count = { readonly to: Name; readonly count: number; readonly newest: MailId | null };

function* backlog(tx: Tx, { to, count, newest }: Count): Op<Backlog[]> {
  const [row] = yield* sql<MailRow>`select * from mail where team = ${tx.team} and id = ${newest ?? 0}`;
  return row ? [{ to, count: Number(count), newest: toMail(row) }] : [];
}

function* leftOf(tx: Tx, to: Name): Op<Backlog | null> {
  const [row] = yield* sql<Omit<Count, "to">>`
    select count(*) as count, max(id) as newest from mail where team = ${tx.team} and recipient = ${to} and state = 0`;
  return (row && (yield* backlog(tx, { ...row, to }))[0]) ?? null;
}

function* unreadNotes(tx: Tx): Op<Backlog[]> {
  const rows = yield* sql<Count>`
    select recipient as "to", count(*) as count, max(id) as newest from mail
    where team = ${tx.team} and state = 0 and kind in ('note', 'broadcast') and recipient <> ${PERSON} group by recipient order by recipient`;
  const found: Backlog[] = [];
  for (const row of rows) found.push(...(yield* backlog(tx, row)));
  return found;
}

export function mailboxes(session: Session): Mailboxes {
  const anything = (to: Name): Promise<boolean> =>
    session.look(function* (tx) {
      const rows =
        yield* sql`select id from mail where team = ${tx.team} and recipient = ${to} and state = 0 limit 1`;
      return rows.length > 0;
    });
  return {
    send: async (from, { to, body, urgent }, entry, begins = []) => {
      checkBody(body);
      return session.write(function* (tx) {
        const writer = entry && (yield* seated(tx, entry.seat));
        yield* reachable(tx, to);
        if (!(yield* hasRoom(tx, to))) throw fullBox([to]);
        yield* appendFacts(tx, begins);
        const ids = yield* post(tx, [{ from, to, body, urgent }]);
        if (entry && writer) yield* append(tx, entry.seat.name, writer.life, [entry.make(ids)]);
        return ids[0] as MailId;
      });
    },
    broadcast: async (from, body) => {
      checkBody(body);
      return session.write(function* (tx) {
        const living = yield* sql<{
          name: Name;
        }>`select name from members where team = ${tx.team} and phase <> 'shutdown' and name <> ${from} order by name`;
        const names = living.map((row) => row.name);
        const full: Name[] = [];
        for (const to of names) if (!(yield* hasRoom(tx, to))) full.push(to);
        if (full.length > 0) throw fullBox(full);
        yield* post(
          tx,
          names.map((to) => ({ from, to, body })),
        );
        return names;
      });
    },
    unread: (to, limit = READ_LIMIT) => session.look((tx) => unread(tx, to, limit)),
    waking: (to, limit = READ_LIMIT) =>
      session.look(function* (tx) {
        const rows =
          yield* sql<MailRow>`select * from mail where team = ${tx.team} and recipient = ${to} and state = 0 and wakes = 1 order by turn, id limit ${atMost(limit)}`;
        return rows.map(toMail);
      }),
    box: (to, limit = READ_LIMIT, from = ANYBODY) =>
      session.look(function* (tx) {
        const rows =
          yield* sql<MailRow>`select * from mail where team = ${tx.team} and recipient = ${to} and (sender = ${from} or ${from} = '') order by id desc limit ${atMost(limit)}`;
        return rows.reverse().map(toMail);
      }),
    deliver: async (seat, make, limit = READ_LIMIT) => {
      if (!(await anything(seat.name))) return [];
      return session.write(function* (tx) {
        const { life } = yield* seated(tx, seat);
        const found = yield* consume(tx, seat.name, limit);
        const left = found.length < limit ? null : yield* leftOf(tx, seat.name);
        if (found.length > 0) yield* append(tx, seat.name, life, make(found, left));
        return found;
      });
    },
    unreadNotes: () => session.look(unreadNotes),
    take: async (to, limit = READ_LIMIT) =>
      (await anything(to)) ? session.write((tx) => consume(tx, to, limit)) : [],
    mail: (id) =>
      session.look(function* (tx) {
        const [row] = yield* sql<MailRow>`select * from mail where team = ${tx.team} and id = ${id}`;
        return row ? toMail(row) : null;
      }),
    // A reader locks the row: one of the two finds that the other was there.
    withdraw: (from, id) =>
      session.write(function* (tx) {
        const [row] = yield* sql<MailRow>`
          delete from mail where team = ${tx.team} and id = ${id} and sender = ${from} and state = 0
            and kind in ('note', 'broadcast') returning *`;
        if (!row) return null;
        const mail = toMail(row);
        const { to, body } = mail;
        yield* appendFacts(tx, [{ type: "mail.withdrawn", mail: id, from, to, kind: body.kind }]);
        return mail;
      }),
  };
}
