/** The board port: its operations, and its reading methods. */

import { checkTask, type Task } from "../../../core/board/task.ts";
import { LEAD, type Name, type TaskId } from "../../../core/ids.ts";
import type { Board } from "../../../ports/store.ts";
import { appendFacts } from "../journal.ts";
import type { Session } from "../session.ts";
import { exec, type Op, sql, type Tx } from "../sql.ts";
import { post } from "../talk/mail.ts";
import { addAll, type Batch, change, prepareBatch } from "./add.ts";
import { claim } from "./claim.ts";
import { claimNext, forOthers, takeAlone } from "./claim-next.ts";
import { counts } from "./counts.ts";
import { complete, fail, heldRow, release } from "./finish.ts";
import { hasOtherHands } from "./hands.ts";
import { outlines } from "./outline.ts";
import { assign, cancel, claimFor, completeFor, failFor, retry, takeBack } from "./override.ts";
import { partsOf } from "./parts.ts";
import { hasProspect } from "./prospect.ts";
import { announceQuiet } from "./quiet.ts";
import { landed, refuse } from "./refuse.ts";
import { addReplacing } from "./replace.ts";
import { replan } from "./replan.ts";
import { split } from "./split.ts";
import { claimedOf, type TaskRow, toTask } from "./task-row.ts";
import { Together } from "./together.ts";

export function board(session: Session): Board {
  const { maxAttempts } = session.limits;
  const together = session.driver.dialect.name === "postgres" ? new Together(session) : null;
  const take = together?.take ?? takeAlone(session);
  return {
    add: async (task, by) => {
      const batch = prepareBatch([task]);
      return (await session.write((tx) => addReplacing(tx, batch, by)))[0] as Task;
    },
    addAll: async (tasks, by) => {
      const batch = prepareBatch(tasks);
      return session.write((tx) => addReplacing(tx, batch, by));
    },
    addUnlessNewer: async (tasks, by, last, begins) => {
      const batch = prepareBatch(tasks);
      return session.write((tx) => addUnlessNewer(tx, batch, by, last, begins));
    },
    change: async (id, changes, by) => {
      checkTask(changes);
      return session.write((tx) => change(tx, id, changes, by));
    },
    replan: (make, by) => session.write((tx) => replan(tx, make, by)),
    task: (id) =>
      session.look(function* (tx) {
        const [row] = yield* sql<TaskRow>`select * from tasks where team = ${tx.team} and id = ${id}`;
        return row ? toTask(row) : null;
      }),
    tasks: () =>
      session.look(function* (tx) {
        return (yield* sql<TaskRow>`select * from tasks where team = ${tx.team} order by id`).map(toTask);
      }),
    outlines: () => session.look(outlines),
    counts: () => session.look(counts),
    claim: (seat, id, entry) =>
      session.write((tx) => claim(tx, session.limits.leadMayHoldSeveral, seat, id, entry)),
    claimNext: (seat, entry, besides) => claimNext(session, take, seat, entry, besides),
    assign: (id, to, by) => session.write((tx) => assign(tx, id, to, by)),
    hasProspect: (name) => session.look((tx) => hasProspect(tx, name)),
    hasOtherHands: (id, by) => session.look((tx) => hasOtherHands(tx, id, by)),
    isForOthers: async (name, id) => (await session.look((tx) => forOthers(tx, name, [id]))).length > 0,
    mine: (name) => session.look((tx) => mine(tx, name)),
    complete: (held, result, entry) =>
      together?.complete(held, result, entry) ?? session.write((tx) => complete(tx, held, result, entry)),
    fail: (held, reason, entry) => session.write((tx) => fail(tx, held, reason, entry)),
    refuse: (held, refusal) => session.write((tx) => refuse(tx, held, refusal)),
    noteStep: (held, step) =>
      session.write(function* (tx) {
        yield* heldRow(tx, held);
        yield* appendFacts(tx, [step]);
      }),
    landed: (id, by, landing) => session.write((tx) => landed(tx, id, by, landing)),
    release: (held, why, note, entry) =>
      session.write((tx) => release(tx, held, why, note, maxAttempts, entry)),
    split: async (held, parts, note, entry) => {
      const batch = prepareBatch(parts);
      return session.write((tx) => split(tx, held, batch, note, entry));
    },
    parts: (id) => session.look((tx) => partsOf(tx, id)),
    retry: (id, by) => session.write((tx) => retry(tx, id, by)),
    cancel: (id, by, reason) => session.write((tx) => cancel(tx, id, by, reason)),
    takeBack: (id, by) => session.write((tx) => takeBack(tx, id, by)),
    completeFor: (id, by, result) => session.write((tx) => completeFor(tx, id, by, result)),
    failFor: (id, by, reason) => session.write((tx) => failFor(tx, id, by, reason)),
    claimFor: (id, by) => session.write((tx) => claimFor(tx, id, by)),
    announceQuiet: () => announceQuiet(session),
  };
}

function* mine(tx: Tx, name: Name): Op<ReturnType<typeof claimedOf> | null> {
  const [row] = yield* sql<TaskRow>`
    select * from tasks where team = ${tx.team} and owner = ${name} and status = 'in_progress' order by started_at, id limit 1`;
  return row ? claimedOf(row) : null;
}

/** Null if `by` has added tasks after `last`. @throws `not_found` (a blocker) */
function* addUnlessNewer(
  tx: Tx,
  batch: Batch,
  by: Name,
  last: TaskId | 0,
  begins?: Parameters<Board["addUnlessNewer"]>[3],
): Op<Task[] | null> {
  // On PostgreSQL it lets one process after the other add tasks.
  yield* exec`update teams set next_task = next_task where name = ${tx.team}`;
  const [newer] = yield* sql`
    select id from tasks where team = ${tx.team} and id > ${last} and created_by = ${by} limit 1`;
  if (newer) return null;
  yield* appendFacts(tx, begins?.facts ?? []);
  const added = yield* addAll(tx, batch, by);
  if (begins) yield* post(tx, [{ from: by, to: LEAD, body: { kind: "note", text: begins.words } }]);
  return added;
}
