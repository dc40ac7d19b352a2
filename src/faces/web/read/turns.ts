/** The times of the latest turns, folded from the journal and kept: a turn as a fact has its words, and nine of ten facts are turns and calls. */
import { turnOf } from "../../../core/picture/turns.ts";
import type { Store } from "../../../ports/index.ts";
import { journalReader } from "../../../team/queries/journal-reader.ts";
import type { TurnTimes } from "../wire.ts";

const KEPT = 20_000;

export function turnReader(store: Pick<Store, "journal">): () => Promise<TurnTimes> {
  const names: string[] = [];
  const turns: [who: number, to: number, ms: number][] = [];
  const readOn = journalReader(
    store,
    (event) => {
      const turn = turnOf(event);
      if (turn === null) return;
      const { who, from, to } = turn;
      if (!names.includes(who)) names.push(who);
      turns.push([names.indexOf(who), to, to - from]);
      if (turns.length > 2 * KEPT) turns.splice(0, KEPT);
    },
    ["turn.taken"],
  );
  return async () => {
    await readOn();
    return { names, turns: turns.slice(-KEPT) };
  };
}
