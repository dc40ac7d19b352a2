/** Spent tokens and money, folded from the journal and kept, so that each look reads only what was added. */
import { type Costs, SPENDING_FACTS, Spent } from "../../../core/picture/spent.ts";
import type { Store } from "../../../ports/index.ts";
import { journalReader } from "../../../team/queries/journal-reader.ts";

export function costReader(store: Pick<Store, "journal">): () => Promise<Costs> {
  const spent = new Spent();
  const readOn = journalReader(store, (event) => spent.apply(event), SPENDING_FACTS);
  return async () => {
    await readOn();
    return spent.costs();
  };
}
