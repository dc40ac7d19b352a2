/** Where tokens and money went, folded from the journal and kept, so that each look reads only what was added. */
import type { Event, FactType } from "../../core/event.ts";
import type { Cursor, Store } from "../../ports/index.ts";
import type { Costs, Spending } from "./wire.ts";

const HOUR_MS = 3_600_000;
const PAGE = 1_000;
const TYPES: readonly FactType[] = [
  "turn.taken",
  "task.claimed",
  "task.completed",
  "task.failed",
  "task.released",
  "task.cancelled",
];

type Sums = { -readonly [K in keyof Spending]: number };

export class CostReader {
  private readonly journal: Store["journal"];
  private at = "" as Cursor;
  private reading: Promise<unknown> = Promise.resolve();
  private readonly fold = new CostFold();

  constructor({ journal }: Pick<Store, "journal">) {
    this.journal = journal;
  }

  async read(): Promise<Costs> {
    const next = this.reading.catch(() => {}).then(() => this.readOn());
    this.reading = next;
    await next;
    return this.fold.costs();
  }

  private async readOn(): Promise<void> {
    for (;;) {
      const { events, cursor } = await this.journal.read(this.at, { limit: PAGE, types: TYPES });
      for (const event of events) this.fold.take(event);
      this.at = cursor;
      if (events.length < PAGE) return;
    }
  }
}

const none = (): Sums => ({ turns: 0, input: 0, cached: 0, output: 0, usd: 0 });

/** Pure. A turn counts for the task that its member had in hand. */
export class CostFold {
  private readonly total = none();
  private readonly sums = {
    members: new Map<string, Sums>(),
    models: new Map<string, Sums>(),
    tasks: new Map<string, Sums>(),
    hours: new Map<string, Sums>(),
  };
  private readonly context = new Map<string, number>();
  private readonly inHand = new Map<string, number>();

  take(event: Event): void {
    switch (event.type) {
      case "task.claimed":
        this.inHand.set(event.by, event.task);
        return;
      case "task.completed":
      case "task.failed":
      case "task.released":
      case "task.cancelled":
        for (const [who, task] of this.inHand) if (task === event.task) this.inHand.delete(who);
        return;
      case "turn.taken": {
        const keys = {
          members: event.who,
          models: event.model,
          tasks: String(this.inHand.get(event.who) ?? 0),
          hours: String(Math.floor(event.at / HOUR_MS) * HOUR_MS),
        };
        if (event.subagent === undefined) this.context.set(event.who, event.inputTokens);
        add(this.total, event);
        for (const by of ["members", "models", "tasks", "hours"] as const) {
          const sums = this.sums[by].get(keys[by]) ?? none();
          this.sums[by].set(keys[by], sums);
          add(sums, event);
        }
      }
    }
  }

  costs(): Costs {
    const { members, models, tasks, hours } = this.sums;
    return {
      total: this.total,
      members: Object.fromEntries(members),
      models: Object.fromEntries(models),
      tasks: Object.fromEntries(tasks),
      hours: Object.fromEntries(hours),
      context: Object.fromEntries(this.context),
    };
  }
}

function add(sums: Sums, turn: Extract<Event, { type: "turn.taken" }>): void {
  sums.turns += 1;
  sums.input += turn.inputTokens;
  sums.cached += turn.cachedTokens;
  sums.output += turn.outputTokens;
  sums.usd += turn.usd;
}
