/** The gates that ran, on candidates and on targets themselves. */

import type { Failing } from "../../../core/gate/failing.ts";
import { type BaseVerdict, redWords } from "../../../core/gate/red-target.ts";
import { HARNESS, type Instant, LEAD, type Name, PERSON, type TaskId } from "../../../core/ids.ts";
import type { BaseRecord, Bases, GateRecord, Gates } from "../../../ports/landings.ts";
import { appendFacts } from "../journal.ts";
import type { Session } from "../session.ts";
import { anyOf, exec, type Op, parse, sql, type Tx, teamLock } from "../sql.ts";
import { post } from "../talk/mail.ts";
import { addAll, type Batch, prepareBatch } from "../tasks/add.ts";
import { release } from "../tasks/finish.ts";

type GateRow = Omit<GateRecord, "commit" | "green" | "cases"> & {
  readonly commit_id: string;
  readonly green: number;
  readonly failing: string;
};

type BaseRow = {
  readonly team: Name;
  readonly target: string;
  readonly commit_id: string;
  readonly gate: string;
  readonly verdict: BaseVerdict;
  readonly ms: number;
  readonly failing: string;
  readonly author: string;
  readonly authored_at: number;
  readonly repair: TaskId | null;
};

export function gates(session: Session): Gates {
  return {
    record: ({ branch, task, base, commit, tree, command, green, ms, cases }, by, names) =>
      session.write(function* (tx) {
        const [before] = green
          ? yield* sql<{ failing: string; green: number }>`
              select failing, green from gates where tree = ${tree} and command = ${command} order by id desc limit 1`
          : [];
        yield* exec`
          insert into gates (team, at, branch, task, base, commit_id, tree, command, green, ms, failing)
          values (${tx.team}, ${tx.now}, ${branch}, ${task}, ${base}, ${commit}, ${tree}, ${command}, ${green ? 1 : 0}, ${ms},
            ${JSON.stringify(green ? (cases ?? []) : names)})`;
        if (Number(before?.green ?? 1) === 0)
          yield* appendFacts(tx, [
            {
              type: "gate.flaky",
              task,
              by,
              commit,
              command,
              names: parse<string[]>(before?.failing ?? "", []),
            },
          ]);
      }),
    green: (commits) =>
      session.look(function* (tx) {
        if (commits.length === 0) return [];
        const rows = yield* sql<GateRow>`
          select * from gates where commit_id ${anyOf(tx, commits)} and green = 1 order by id`;
        return rows.map(({ commit_id, green, failing, ...gate }) => ({
          ...gate,
          at: Number(gate.at) as Instant,
          ms: Number(gate.ms),
          commit: commit_id,
          green: Number(green) === 1,
          cases: casesIn(failing),
        }));
      }),
    cases: (commit, command) =>
      session.look(function* (tx) {
        const rows = yield* sql<GateRow>`
          select * from gates where team = ${tx.team} and command = ${command} and green = 1 and failing <> '[]'
          order by case when commit_id = ${commit} then 0 else 1 end, id desc limit 1`;
        return rows.map((row) => ({ commit: row.commit_id, cases: casesIn(row.failing) }))[0] ?? null;
      }),
    prune: (before, remove) =>
      session.write(function* (tx) {
        const [row] = yield* sql<{ number: number }>`
          select count(*) as number from gates where team = ${tx.team} and at < ${before}`;
        if (remove) yield* exec`delete from gates where team = ${tx.team} and at < ${before}`;
        return Number(row?.number ?? 0);
      }),
  };
}

/** Of a green one: the number of cases that ran, in the column that holds the names of the tests that failed of a red one. */
const casesIn = (failing: string): number | null => {
  const found = parse<unknown>(failing, []);
  return typeof found === "number" ? found : null;
};

export function bases(session: Session): Bases {
  return {
    find: (commit, gate) => session.look((tx) => find(tx, commit, gate)),
    judged: async (by, command, base, repair) => {
      const batch = repair && prepareBatch([repair]);
      return session.write((tx) => judged(tx, by, command, base, batch));
    },
    isShort: (by, repair) => session.look((tx) => isShort(tx, by, repair)),
    setAside: (held, repair, note, entry) =>
      session.write(function* (tx) {
        yield* teamLock(tx, "bases");
        if (!(yield* isShort(tx, held.seat.name, repair))) return false;
        yield* release(tx, held, "red_base", note, session.limits.maxAttempts, entry);
        return true;
      }),
  };
}

function* find(tx: Tx, commit: string, gate: string): Op<BaseRecord | null> {
  const rows = yield* sql<BaseRow>`
    select * from bases where commit_id = ${commit} and gate = ${gate} order by team`;
  const row = rows.find(({ team }) => team === tx.team) ?? rows[0];
  if (!row) return null;
  const failing = parse<Failing>(row.failing, { exit: "", names: [], lines: [] });
  const { target, verdict, author } = row;
  return {
    ...{ target, commit, gate, verdict, author, failing, names: failing.names },
    ...{ ms: Number(row.ms), authoredAt: Number(row.authored_at) },
    repair: row.team === tx.team && row.repair !== null ? (Number(row.repair) as TaskId) : null,
  };
}

function* judged(
  tx: Tx,
  by: Name,
  command: string,
  base: Omit<BaseRecord, "repair">,
  batch: Batch | null,
): Op<BaseRecord> {
  yield* teamLock(tx, "bases");
  const { target, commit, gate, verdict, ms, failing, author, authoredAt, names } = base;
  const known = yield* sql<{ repair: number | null }>`
    select repair from bases where team = ${tx.team} and commit_id = ${commit} and gate = ${gate}`;
  if (known.length === 0) {
    const repair = batch && (yield* repairOf(tx, target, batch));
    yield* exec`
      insert into bases (team, target, commit_id, gate, verdict, ms, failing, author, authored_at, repair)
      values (${tx.team}, ${target}, ${commit}, ${gate}, ${verdict}, ${ms}, ${JSON.stringify(failing)}, ${author}, ${authoredAt}, ${repair})`;
    yield* appendFacts(tx, [
      {
        type: "base.judged",
        by,
        target,
        commit,
        author,
        authoredAt,
        names,
        gate: command,
        verdict,
        ms,
        repair,
      },
    ]);
    // The lead of a team that repairs it knows why nothing lands; else the person must act.
    const text = redWords({ target, commit, author, authoredAt, names });
    const note =
      repair === null
        ? "Landings wait until you repair it."
        : `#${repair} repairs it; landings wait for that.`;
    if (verdict === "red")
      yield* post(tx, [
        {
          from: HARNESS,
          to: repair === null ? PERSON : LEAD,
          body: { kind: "note", text: `${text} ${note}` },
        },
      ]);
    tx.notify("landings");
  }
  return (yield* find(tx, commit, gate)) as BaseRecord;
}

/** One at a time for each target: an earlier one continues from what the target is now. */
function* repairOf(tx: Tx, target: string, batch: Batch): Op<TaskId | null> {
  const [open] = yield* sql<{ id: TaskId }>`
    select t.id from bases b join tasks t on t.team = b.team and t.id = b.repair
    where b.team = ${tx.team} and b.target = ${target} and t.status in ('pending', 'in_progress') limit 1`;
  if (open) return Number(open.id) as TaskId;
  const [made] = yield* addAll(tx, batch, HARNESS);
  return made?.id ?? null;
}

function* isShort(tx: Tx, by: Name, repair: TaskId): Op<boolean> {
  const rows = yield* sql`
    select id from tasks where team = ${tx.team} and id = ${repair} and status = 'pending' and not exists (
      select 1 from members m where m.team = ${tx.team} and m.name <> ${by} and m.kind = 'teammate' and m.host is not null
        and m.phase <> 'shutdown' and coalesce(m.reason, '') not in ('cannot_work', 'at_limit')
        and not exists (select 1 from tasks t where t.team = m.team and t.owner = m.name and t.status = 'in_progress'))`;
  return rows.length > 0;
}

/** Tasks that would repair a target on which something has landed: its gate was green on that. */
export function* needlessRepairs(tx: Tx, target: string): Op<TaskId[]> {
  const rows = yield* sql<{ id: TaskId }>`
    select distinct t.id from bases b join tasks t on t.team = b.team and t.id = b.repair
    where b.team = ${tx.team} and b.target = ${target} and t.status = 'pending' order by t.id`;
  return rows.map(({ id }) => Number(id) as TaskId);
}
