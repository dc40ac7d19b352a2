/** Notes that a person, or a member in its shell, writes, changes and removes. */
import { notFound } from "../../core/errors.ts";
import { LEAD, type Name, PERSON } from "../../core/ids.ts";
import { checkNote, checkNoteText, type NewNote, showNote, written } from "../../core/plan/notes.ts";
import type { Store } from "../../ports/index.ts";
import { notes } from "../queries/notes.ts";
import type { Done } from "./done.ts";
import { notDecidedBy } from "./tasks.ts";

/** @throws EkidenError `bad_input` | `not_found` (the task) */
export async function addNote(store: Store, by: Name, note: NewNote): Promise<Done<NewNote>> {
  const { notes: there } = await notes(store);
  const kept = checkNote(note, by, there);
  if (kept.task !== null && !(await store.board.task(kept.task)))
    throw notFound(`There is no task #${kept.task}. ekiden tasks shows all tasks.`);
  await store.journal.note([written(by, kept)]);
  return { data: kept, text: "noted; each member reads it with its next task" };
}

/** `text`: the new words; "" removes the note. @throws EkidenError `bad_input` | `not_found` | `not_permitted` */
export async function changeNote(
  store: Store,
  by: Name,
  id: number,
  text: string,
): Promise<Done<{ readonly id: number }>> {
  const known = (await notes(store)).notes.find((note) => note.id === id);
  if (!known) throw notFound(`There is no note ${showNote(id)}. ekiden notes shows all notes.`);
  if (by !== PERSON && by !== LEAD && by !== known.by)
    throw notDecidedBy(by, `Tell ${known.by}, who wrote it, or the lead.`);
  const words = text === "" ? "" : checkNoteText(text);
  await store.journal.note([{ type: "note.changed", by, note: id, text: words }]);
  return { data: { id }, text: `${showNote(id)} is ${words === "" ? "removed" : "changed"}` };
}
