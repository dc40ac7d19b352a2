/**
 * A team as it was at a point of its journal, as a new team of the store, in one transaction. First the database copies the present rows;
 * then those are set back of which the journal says that they have changed since. So the work grows with what came after the point, and what
 * changes in between is set back, too: its fact is read after the copy. The rows of the original are only read.
 */

import { EkidenError } from "../../../core/errors.ts";
import type { Event, FactType } from "../../../core/event.ts";
import { HARNESS, type Name, type RequestId } from "../../../core/ids.ts";
import type { Forked, ForkPoint, Forks, PointThen } from "../../../ports/fork.ts";
import { appendFacts, eventsOf } from "../journal.ts";
import type { Session } from "../session.ts";
import { anyOf, exec, type Op, sql, type Tx } from "../sql.ts";
import { post } from "../talk/mail.ts";
import { counts } from "../tasks/counts.ts";
import { copied, copyMail, copyTalk, queueMail } from "./copies.ts";
import { membersThen } from "./members.ts";
import { pointOf } from "./point.ts";
import { tasksThen } from "./tasks.ts";
import { OF_TASKS } from "./then.ts";

/** Facts after the point that say what has to be set back. */
const LATER = [
  ...OF_TASKS,
  ...(["teammate.spawned", "teammate.changed", "teammate.phase", "warning.raised"] as const),
  ...(["plan.submitted", "question.asked", "permission.asked", "shutdown.asked"] as const),
  ...(["plan.answered", "question.answered", "permission.answered", "shutdown.answered"] as const),
  "request.withdrawn",
] as const satisfies readonly FactType[];

export const forks = (session: Session): Forks => ({
  point: (wanted) => session.read((tx) => pointOf(tx, wanted)),
  make: (to, wanted, by, letter) => session.write((tx) => make(tx, to, wanted, by, letter)),
});

/** `tx`: of the original. */
function* make(tx: Tx, to: Name, wanted: ForkPoint, by: Name, letter: string): Op<Forked> {
  const fork: Tx = { ...tx, team: to, notify: () => {} };
  const point = yield* pointOf(tx, wanted);
  const begun = yield* sql`
    insert into teams (name, next_task, next_job, next_cron, created_at)
      select ${to}, next_task, next_job, next_cron, ${tx.now} from teams where name = ${tx.team}
    on conflict (name) do nothing returning name`;
  if (begun.length === 0)
    throw new EkidenError("name_taken", `There is a team "${to}" already. Choose another name for the fork.`);
  yield* copied(tx, to, "tasks");
  yield* copied(tx, to, "edges");
  // Also later ones: a number names the same text for ever.
  yield* copied(tx, to, "texts");
  yield* copied(tx, to, "members");
  yield* copied(tx, to, "requests");
  yield* copyMail(tx, fork, point);
  const later = yield* eventsOf(tx, { after: point.seq }, LATER);
  const then = yield* tasksThen(tx, fork, point, later);
  yield* membersThen(fork, then, later);
  yield* requestsThen(fork, point, later);
  yield* copyTalk(tx, fork, point, later);
  yield* appendFacts(fork, [{ type: "team.forked", from: tx.team, line: point.seq, time: point.at, by }]);
  const unread = yield* queueMail(fork);
  const living = yield* sql<{ name: Name; phase: string }>`
    select name, phase from members where team = ${to} and phase <> 'shutdown' order by name`;
  const atWork = living.filter(({ phase }) => phase === "work");
  yield* post(
    fork,
    atWork.map(({ name }) => ({ from: HARNESS, to: name, body: { kind: "note", text: letter } })),
  );
  const all = yield* counts(fork);
  return { ...point, team: to, from: tx.team, counts: all, members: living.length, unread };
}

/** An open question has at least this time in the fork. */
const PATIENCE_MS = 60_000;

function* requestsThen(fork: Tx, point: PointThen, later: readonly Event[]): Op<void> {
  const asked: RequestId[] = [];
  const answered: RequestId[] = [];
  for (const event of later) {
    if (!("request" in event) || event.request === undefined) continue;
    const isAsked = /\.(?:asked|submitted)$/.test(event.type);
    (isAsked ? asked : answered).push(event.request as RequestId);
  }
  if (asked.length > 0)
    yield* exec`delete from requests where team = ${fork.team} and id ${anyOf(fork, asked)}`;
  if (answered.length > 0)
    yield* exec`update requests set state = 'open', answer = null where team = ${fork.team} and id ${anyOf(fork, answered)}`;
  const clock = fork.leaseClock;
  yield* exec`
    update requests set deadline = cast(${clock} as bigint) + case when deadline - ${point.at} > ${PATIENCE_MS} then deadline - ${point.at} else ${PATIENCE_MS} end
    where team = ${fork.team} and state = 'open'`;
}
