/**
 * The notes of the team as a section of a member's prompt. A teammate gets them with a task, and again only where one of those that it should
 * have is new to it: each repetition costs up to 1,500 tokens. The lead has them at the beginning of a conversation.
 */
import { NOTE_FACTS, Notes, notesFor, notesSection } from "../../core/plan/notes.ts";
import type { MakeFeature } from "../setup.ts";

export const notes: MakeFeature = async ({ parts: { store }, profile }) => {
  const { journal, board } = store;
  const isLead = profile.kind === "lead";
  const all = new Notes();
  let cursor = journal.from(0);
  let text = "";
  let told: ReadonlyMap<number, string> = new Map();
  const refresh = async (): Promise<void> => {
    for await (const page of journal.pages(cursor, NOTE_FACTS)) {
      all.take(page.events);
      cursor = page.cursor;
    }
    const task = isLead ? null : await board.mine(profile.name);
    if (!isLead && task === null) return;
    const { list } = all;
    const now = new Map(list.map((note) => [note.id, note.text]));
    const shown = notesFor(list, task);
    const isOld = [...told].some(([id, words]) => now.get(id) !== words);
    if (!isOld && shown.every(({ id }) => told.has(id))) return;
    told = new Map(shown.map((note) => [note.id, note.text]));
    text = notesSection(shown, list.length - shown.length);
  };
  await refresh();
  return { refresh, sections: () => [{ place: "own", about: isLead ? "" : "notes", text }] };
};
