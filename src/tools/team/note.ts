/** The tool that writes a note for all members. */
import { z } from "zod";
import { NOTE_KINDS } from "../../core/plan/facts.ts";
import { checkNote, NOTE_FACTS, notesIn, written } from "../../core/plan/notes.ts";
import { defineTool } from "../define.ts";
import { maybe, text } from "../inputs.ts";

export const note = defineTool({
  name: "note",
  description: "Tell all members, also later ones, what they must know. No progress.",
  access: "team",
  input: () =>
    z.strictObject({
      text: text,
      kind: z.enum(NOTE_KINDS),
      files: maybe.texts.describe("that it is about"),
      task: maybe.ownId,
    }),
  subject: ({ text }) => text,
  run: async ({ text, kind, files = [], task }, { store, self, currentTask }) => {
    const { journal } = store;
    const there = await notesIn(journal.pages(journal.from(0), NOTE_FACTS));
    const about = task ?? (await currentTask())?.id ?? null;
    await journal.note([written(self, checkNote({ text, kind, files, task: about }, self, there))]);
    return "Noted. Each member reads it with its next task.";
  },
});
