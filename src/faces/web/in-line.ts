/** Finds the tasks that wait to land or are in their gate now. No table says it: the journal is read once, then what was added. */
import type { Event, FactType } from "../../core/event.ts";
import type { Cursor, Store } from "../../ports/index.ts";

const READ = 2_000;
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

export class LineReader {
  private readonly journal: Store["journal"];
  private at = "" as Cursor;
  private readonly last = new Map<number, Event>();
  private reading: Promise<void> = Promise.resolve();

  constructor(journal: Store["journal"]) {
    this.journal = journal;
  }

  /** The last such fact of each task that has not left the line since. */
  async read(): Promise<Event[]> {
    this.reading = this.reading.catch(() => {}).then(() => this.readOn());
    await this.reading;
    return [...this.last.values()];
  }

  private async readOn(): Promise<void> {
    for (;;) {
      const { events, cursor } = await this.journal.read(this.at, {
        limit: READ,
        types: [...BEGINS, ...ENDS],
      });
      for (const event of events) this.take(event as InLine);
      this.at = cursor;
      if (events.length < READ) return;
    }
  }

  private take(event: InLine): void {
    const { task, type } = event;
    if (type === "gate.started") this.last.set(task, event);
    // It may ask again while its gate runs: the gate goes on.
    else if (type === "task.queued") {
      if (this.last.get(task)?.type !== "gate.started") this.last.set(task, event);
    } else this.last.delete(task);
  }
}
