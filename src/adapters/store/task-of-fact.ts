/** The task that a fact is about, as SQL on a fact `x`, and the facts that are looked up by it: each claim and each completion asks for them. */
import type { FactType } from "../../core/event.ts";
import type { OfTask } from "../../ports/journal.ts";

/** A damaged row has none. */
export const TASK = {
  sqlite: "case when json_valid(x.data) then json_extract(x.data, '$.task') end",
  postgres: `substring(x.data from '"task":([0-9]{1,15})')::bigint`,
};

const BY_TASK = [
  "task.checked",
  "task.reviewed",
  "task.reopened",
  "task.drifted",
  "task.landed",
] as const satisfies readonly (OfTask & FactType)[];

/** The condition of their index: a query has it, too. All other facts cost as little as before. */
export const IS_BY_TASK = `type in (${BY_TASK.map((type) => `'${type}'`).join(", ")})`;

export const indexByTask = (dialect: keyof typeof TASK): string =>
  `create index events_by_task on events (team, (${TASK[dialect].replaceAll("x.data", "data")}), seq) where ${IS_BY_TASK}`;
