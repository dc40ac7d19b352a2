/** `ekiden note` and `ekiden notes`: what all members are to know. */
import { badInput } from "../../../core/errors.ts";
import { quote, taskId } from "../../../core/ids.ts";
import { NOTE_KINDS } from "../../../core/plan/facts.ts";
import { notesViews } from "../../../core/plan/note-views.ts";
import { noteId, showNote } from "../../../core/plan/notes.ts";
import { withTeam } from "../../../project/open.ts";
import { addNote, changeNote } from "../../../team/actions/notes.ts";
import { actorOf } from "../../../team/actor.ts";
import { notes } from "../../../team/queries/notes.ts";
import type { Code } from "../entry.ts";

type Options = { kind?: string; task?: string; files?: string[] };

export const note: Code = {
  run: async (call, words, { kind: wanted = "decision", task, files = [] }: Options) => {
    const kind = NOTE_KINDS.find((one) => one === wanted);
    if (!kind) throw badInput(`--kind ${quote(wanted)}: write ${NOTE_KINDS.join(", ")}.`);
    const text = words.join(" ");
    const about = task === undefined ? null : taskId(task);
    await withTeam(call, "make", async (store) =>
      call.done(
        await addNote(store, await actorOf(call, store), {
          ...{ text, kind, task: about },
          files: files.flatMap((one) => one.split(/[,\s]+/)),
        }),
      ),
    );
    return undefined;
  },
};

export const list: Code = {
  run: async (call, [action = "list", id = "", ...words]) => {
    const change = (text: string): Promise<void> =>
      withTeam(call, "use", async (store) =>
        call.done(await changeNote(store, await actorOf(call, store), noteId(id), text)),
      );
    if (action === "list" && id === "")
      await withTeam(call, "look", async (store) => call.show(await notes(store), notesViews));
    else if (action === "remove" && id !== "" && words.length === 0) await change("");
    else if (action === "edit" && words.length > 0) await change(words.join(" "));
    else
      throw badInput(
        `ekiden notes ${quote([action, id, ...words].join(" ").trim())} is not a command. Use ekiden notes, ekiden notes edit ${showNote(12)} TEXT, or ekiden notes remove ${showNote(12)}.`,
      );
    return undefined;
  },
};
