/** Puts the notes of files into the journal of a store. */
import { isEkidenError, messageOf } from "../../core/errors.ts";
import type { Name, TaskId } from "../../core/ids.ts";
import { checkNote, NOTE_FACTS, type Note, notesIn, written } from "../../core/plan/notes.ts";
import type { Store } from "../../ports/store.ts";
import type { Fault, TeamRecord } from "./record.ts";

/** A note that is there already stays once, and is told as a fault. `ids`: of tasks, by those of the files. */
export async function restoreNotes(
  { journal }: Store,
  noted: TeamRecord["notes"],
  ids: ReadonlyMap<string, TaskId>,
  sender: (text: string) => Name,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  const there: Pick<Note, "by" | "text">[] = [...(await notesIn(journal.pages(journal.from(0), NOTE_FACTS)))];
  for (const [nth, { by, task, ...note }] of noted.entries()) {
    const author = sender(by);
    try {
      const about = task === null ? null : (ids.get(task) ?? null);
      const kept = checkNote({ ...note, task: about }, author, there);
      await journal.note([written(author, kept)]);
      there.push({ by: author, text: kept.text });
    } catch (error) {
      if (!isEkidenError(error)) throw error;
      faults.push({ file: `notes[${nth}]`, why: messageOf(error) });
    }
  }
  return faults;
}
