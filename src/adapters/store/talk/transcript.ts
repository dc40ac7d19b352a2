/** The conversations: one row per entry, never changed. A new member with the name of a stopped one starts a new conversation. */

import type { Spent } from "../../../core/board/member.ts";
import type { Entry } from "../../../core/conversation/chat.ts";
import type { Instant, Name } from "../../../core/ids.ts";
import type { Recorded, Transcripts } from "../../../ports/store.ts";
import { appendFacts } from "../journal.ts";
import type { Session } from "../session.ts";
import { atMost, exec, type Op, parse, sql, type Tx } from "../sql.ts";
import { seated } from "../team/seat.ts";
import { append } from "./entries.ts";
import { post } from "./mail.ts";

type EntryRow = { readonly seq: number; readonly at: Instant; readonly entry: string };
const toEntry = ({ seq, entry }: EntryRow): Entry =>
  parse<Entry>(entry, {
    kind: "heard",
    text: `[Entry ${seq} of this conversation is damaged and cannot be shown.]`,
  });

const toRecorded = (row: EntryRow): Recorded => ({ seq: row.seq, at: row.at, entry: toEntry(row) });

const LIMIT = 1_000;

export function transcripts(session: Session): Transcripts {
  const all: Transcripts["all"] = (name, after = 0, limit = LIMIT) =>
    session.look(function* (tx) {
      const rows = yield* sql<EntryRow>`
        select seq, at, entry from transcript where team = ${tx.team} and name = ${name} and seq > ${after} order by seq limit ${atMost(limit)}`;
      return rows.map(toRecorded);
    });
  return {
    current: (name) => session.look((tx) => current(tx, name)),
    all,
    async *pages(name, after = 0) {
      for (let at = after, isFull = true; isFull; ) {
        const page = await all(name, at);
        isFull = page.length === LIMIT;
        at = page.at(-1)?.seq ?? at;
        yield page;
      }
    },
    last: (name, limit, before = Number.MAX_SAFE_INTEGER) =>
      session.look(function* (tx) {
        const rows = yield* sql<EntryRow>`
          select seq, at, entry from transcript where team = ${tx.team} and name = ${name} and seq < ${before} order by seq desc limit ${atMost(limit)}`;
        return rows.map(toRecorded).reverse();
      }),
    record: (seat, entries, { facts = [], spent, mail = [], subagent } = {}) =>
      session.write(function* (tx) {
        const { life } = yield* seated(tx, seat);
        yield* append(tx, subagent ?? seat.name, life, entries);
        if (spent) yield* spend(tx, seat.name, spent);
        yield* appendFacts(tx, facts);
        yield* post(
          tx,
          mail.map((one) => ({ from: seat.name, ...one })),
        );
      }),
  };
}

function* spend(tx: Tx, name: Name, spent: Spent): Op<void> {
  yield* exec`
    update members set turns = turns + ${spent.turns}, input_tokens = input_tokens + ${spent.inputTokens},
      cached_tokens = cached_tokens + ${spent.cachedTokens}, output_tokens = output_tokens + ${spent.outputTokens},
      usd = usd + ${spent.usd}
    where team = ${tx.team} and name = ${name}`;
}

/** @param name a member, or a subagent of one ("alice/1"), which lives as long as its member. */
function* current(tx: Tx, name: Name): Op<Entry[]> {
  const member = name.split("/")[0] ?? name;
  const rows = yield* sql<EntryRow>`
    select t.seq, t.at, t.entry from members m join transcript t on t.team = m.team and t.name = ${name} and t.life = m.life
    where m.team = ${tx.team} and m.name = ${member} and t.seq >= coalesce(
      (select max(s.seq) from transcript s where s.team = m.team and s.name = t.name and s.life = m.life and s.kind = 'summary'), 0)
    order by t.seq`;
  return rows.map(toEntry);
}
