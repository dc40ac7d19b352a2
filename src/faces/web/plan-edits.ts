/** What takes the edits of a plan back that this server has made for a page, the last one at the end. */
import { badInput } from "../../core/errors.ts";
import type { Store } from "../../ports/index.ts";
import type { Done } from "../../team/actions/done.ts";
import { UNDOS_MAX, type Undoable } from "../../team/plan/edit.ts";

type Undo = Undoable["undo"];

const edits = new WeakMap<Store, readonly Undo[]>();
const of = (store: Store): readonly Undo[] => edits.get(store) ?? [];

export const isEdited = (store: Store): boolean => of(store).length > 0;

export function keepEdit(store: Store, undo: Undo): void {
  edits.set(store, [...of(store), undo].slice(-UNDOS_MAX));
}

export async function takeEditBack(store: Store): Promise<Done> {
  const undo = of(store).at(-1);
  if (!undo) throw badInput("There is no edit of this list to undo.");
  edits.set(store, of(store).slice(0, -1));
  const { data, text } = await undo();
  return { data, text: `taken back: ${text}` };
}
