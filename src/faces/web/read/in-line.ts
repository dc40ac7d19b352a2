/** Finds the tasks that wait to land or are in their gate now. No table says it: the journal is read once, then what was added. */
import type { Event, FactType } from "../../../core/event.ts";
import type { Store } from "../../../ports/index.ts";
import { journalReader } from "../../../team/queries/journal-reader.ts";

const BEGINS = ["task.queued", "gate.started"] as const satisfies readonly FactType[];
/** With worktrees a completion comes after a landing, so it need not be read. */
const ENDS = [
  "task.landed",
  "task.reopened",
  "task.released",
  "task.failed",
  "task.cancelled",
] as const satisfies readonly FactType[];
type InLine = Extract<Event, { type: (typeof BEGINS)[number] | (typeof ENDS)[number] }>;

/** The last such fact of each task that has not left the line since. */
export function lineReader(store: Pick<Store, "journal">): () => Promise<Event[]> {
  const last = new Map<number, Event>();
  const take = (event: Event): void => {
    const { task, type } = event as InLine;
    if (type === "gate.started") last.set(task, event);
    // It may ask again while its gate runs: the gate continues.
    else if (type === "task.queued") {
      if (last.get(task)?.type !== "gate.started") last.set(task, event);
    } else last.delete(task);
  };
  const readOn = journalReader(store, take, [...BEGINS, ...ENDS]);
  return async () => {
    await readOn();
    return [...last.values()];
  };
}
