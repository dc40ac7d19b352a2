/** Counts the tasks of a board by status. */
import type { Counts, Status } from "../../../core/board/task.ts";
import { type Op, sql, type Tx } from "../sql.ts";

export function* counts(tx: Tx): Op<Counts> {
  const rows = yield* sql<{ status: Status; number: number; unblocked: number }>`
    select status, count(*) as number, sum(case when open_blockers = 0 then 1 else 0 end) as unblocked
    from tasks where team = ${tx.team} group by status`;
  const of = (status: Status): number => Number(rows.find((row) => row.status === status)?.number ?? 0);
  return {
    pending: of("pending"),
    ready: Number(rows.find((row) => row.status === "pending")?.unblocked ?? 0),
    inProgress: of("in_progress"),
    completed: of("completed"),
    failed: of("failed"),
    cancelled: of("cancelled"),
    total: rows.reduce((sum, row) => sum + Number(row.number), 0),
  };
}
