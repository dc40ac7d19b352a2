/** Tasks in short (`Outline` in core/board/task.ts), written as JSON by the database: the rows never become objects of this process. */

import { type Op, Raw, sql, type Tx } from "../sql.ts";
import { UNASSIGNED } from "./assign.ts";

const WHY_MAX = 400;
const COLUMNS = `id, subject, status, blocked_by, owner, attempt, priority, estimate, ${UNASSIGNED.text},
  case when role like '@%' then substr(role, 2) else '' end, touches, needs_plan, created_at, started_at, ended_at,
  substr(coalesce(case when status in ('failed', 'cancelled') then reason else last_failure end, ''), 1, ${WHY_MAX})`;
const LIST = {
  sqlite: new Raw(`json_group_array(json_array(${COLUMNS}))`),
  postgres: new Raw(`coalesce(json_agg(json_build_array(${COLUMNS})), '[]')::text`),
};

export function* outlines(tx: Tx): Op<string> {
  const list = LIST[tx.dialect.name];
  const [row] = yield* sql<{ text: string }>`select ${list} as text from tasks where team = ${tx.team}`;
  return row?.text ?? "[]";
}
