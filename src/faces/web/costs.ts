/** Spent tokens and money, folded from the journal and kept, so that each look reads only what was added. */
import { type Costs, SPENDING_FACTS, Spent } from "../../core/picture/spent.ts";
import type { Cursor, Store } from "../../ports/index.ts";

const PAGE = 1_000;

export class CostReader {
  private readonly journal: Store["journal"];
  private at = "" as Cursor;
  private reading: Promise<unknown> = Promise.resolve();
  private readonly spent = new Spent();

  constructor({ journal }: Pick<Store, "journal">) {
    this.journal = journal;
  }

  async read(): Promise<Costs> {
    const next = this.reading.catch(() => {}).then(() => this.readOn());
    this.reading = next;
    await next;
    return this.spent.costs();
  }

  private async readOn(): Promise<void> {
    for (;;) {
      const { events, cursor } = await this.journal.read(this.at, { limit: PAGE, types: SPENDING_FACTS });
      for (const event of events) this.spent.apply(event);
      this.at = cursor;
      if (events.length < PAGE) return;
    }
  }
}
