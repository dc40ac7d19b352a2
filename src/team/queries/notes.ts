/** The notes of a team. Views: core/plan/note-views.ts. */

import type { NotesData } from "../../core/plan/note-views.ts";
import { NOTE_FACTS, notesIn } from "../../core/plan/notes.ts";
import type { Store } from "../../ports/index.ts";

export async function notes({ team, journal }: Store): Promise<NotesData> {
  return { team, notes: await notesIn(journal.pages(journal.from(0), NOTE_FACTS)) };
}
