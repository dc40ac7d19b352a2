/** The files that the owner of a task has written with its tools, for whoever continues: from the journal, as far back as is cheap. */
import type { FactOf } from "../../../core/event.ts";
import { type Op, parse, sql, type Tx } from "../sql.ts";
import type { TaskRow } from "./task-row.ts";

/** Facts that are looked through: an order must not read the whole journal of a long-lived team. */
const FACTS_MAX = 2_000;
/** Names in a sentence. */
const NAMES_MAX = 20;

/** "Until then alice wrote a.txt, b.txt."; "" for a task that is not in progress, or without such files. */
export function* writtenText(tx: Tx, { status, owner, started_at }: TaskRow): Op<string> {
  if (status !== "in_progress" || owner === null || started_at === null) return "";
  const rows = yield* sql<{ data: string }>`
    select data from events where team = ${tx.team} and seq > (select max(seq) from events where team = ${tx.team}) - ${FACTS_MAX}
      and type = 'tool.called' and at >= ${started_at} order by seq`;
  const files = new Set<string>();
  for (const { data } of rows) {
    const call = parse<Partial<FactOf<"tool.called">>>(data, {});
    if (call.who === owner && !call.isError) for (const path of call.wrote ?? []) files.add(path);
  }
  if (files.size === 0) return "";
  const more = files.size > NAMES_MAX ? ` and ${files.size - NAMES_MAX} more files` : "";
  return `Until then ${owner} wrote ${[...files].slice(0, NAMES_MAX).join(", ")}${more}.`;
}
