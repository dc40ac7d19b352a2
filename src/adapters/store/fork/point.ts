/** The point of the journal at which a team is forked: between two transactions. */

import { badInput, notFound } from "../../../core/errors.ts";
import type { FactOf } from "../../../core/event.ts";
import { type Instant, instant } from "../../../core/ids.ts";
import type { ForkPoint, PointThen } from "../../../ports/fork.ts";
import { type Op, parse, Raw, sql, type Tx } from "../sql.ts";

/** Facts among which those of one transaction are looked for. */
const NEAR = 1_000;
type Place = { readonly seq: number; readonly at: Instant };

/** @throws `bad_input` | `not_found` */
export function* pointOf(tx: Tx, wanted: ForkPoint): Op<PointThen> {
  const place = yield* placeOf(tx, wanted);
  const found = yield* wholeOf(tx, place);
  const ends = yield* sql<{ seq: number; type: string; data: string }>`
    select seq, type, data from events where team = ${tx.team} and seq > ${place.seq} and type in ('team.forked', 'journal.pruned') order by seq`;
  const forked = Number(ends.findLast(({ type }) => type === "team.forked")?.seq ?? 0);
  const pruned = ends.findLast(({ type }) => type === "journal.pruned")?.data ?? "{}";
  const before = parse<Partial<FactOf<"journal.pruned">>>(pruned, {}).before ?? 0;
  if (found.at < before)
    throw badInput(
      `The journal from before ${new Date(before).toISOString()} was deleted, so nothing can be forked at ${new Date(found.at).toISOString()}.`,
    );
  if (place.seq < forked)
    throw badInput(`Team "${tx.team}" is a fork, and that was before it began. Fork its original.`);
  return found;
}

function* placeOf(tx: Tx, { seq, at, task }: ForkPoint): Op<Place> {
  if (task !== undefined) return yield* beforeTask(tx, task);
  if (at !== undefined)
    return yield* last(tx, ALL, at, `${new Date(at).toISOString()} is before the team began`);
  if (seq === undefined) return yield* last(tx, ALL, ALL, "The journal is empty");
  const [row] = yield* sql<Place>`select seq, at from events where team = ${tx.team} and seq = ${seq}`;
  if (!row)
    throw notFound(
      `${seq} is not the number of a journal line of team "${tx.team}". ekiden log --json shows them.`,
    );
  return row;
}

function* beforeTask(tx: Tx, task: number): Op<Place> {
  const rows = yield* sql<Place & { data: string }>`
    select seq, at, data from events where team = ${tx.team} and type = 'task.claimed' order by seq`;
  const begun = rows.findLast(({ data }) => parse<{ task?: number }>(data, {}).task === task);
  if (!begun) throw notFound(`No attempt of task #${task} is in the journal. Give a journal line or a time.`);
  // Within a millisecond it is not known what came first in conversations.
  return yield* last(tx, begun.seq - 1, begun.at - 1, `Nothing was before the attempt of #${task}`);
}

const ALL = Number.MAX_SAFE_INTEGER;

function* last(tx: Tx, seq: number, at: number, otherwise: string): Op<Place> {
  const [row] = yield* sql<Place>`
    select seq, at from events where team = ${tx.team} and seq <= ${seq} and at <= ${at} order by seq desc limit 1`;
  if (!row) throw badInput(`${otherwise}. ekiden log shows the journal.`);
  return row;
}

/** PostgreSQL knows the transaction of a fact. On SQLite they are written one after the other, at one time. */
const TOGETHER = { sqlite: new Raw("at"), postgres: new Raw("xid::text") };

/** With all facts of the transactions that have begun by then. */
function* wholeOf(tx: Tx, { seq }: Place): Op<PointThen> {
  const near = yield* sql<Place & { whose: string | number }>`
    select seq, at, ${TOGETHER[tx.dialect.name]} as whose from events
    where team = ${tx.team} and seq > ${seq - NEAR} and seq <= ${seq + NEAR} order by seq`;
  const last = new Map(near.map(({ whose }, nth) => [whose, nth]));
  let end = near.findLastIndex((one) => one.seq <= seq);
  for (let nth = 0; nth <= end; nth += 1) end = Math.max(end, last.get(near[nth]?.whose ?? "") ?? 0);
  const found = near[end] as Place;
  return { seq: Number(found.seq), at: instant(found.at) };
}
