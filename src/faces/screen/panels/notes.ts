/** The notes of the team, the newest first: they are read, written, edited and removed here. */
import { type Note, showNote } from "../../../core/plan/notes.ts";
import { notes } from "../../../team/queries/notes.ts";
import { clock } from "../../kit/print.ts";
import type { Row } from "../draw/list.ts";
import { nameOf, oneLine, type Style, safe, shortened } from "../draw/style.ts";
import type { Listed, Panel, PanelInput } from "./panel.ts";

export const notesPanel: Panel = {
  title: "notes",
  actions: [{ key: "a", word: "add", line: "/note " }],
  read: async ({ store, style }: PanelInput): Promise<Listed> => ({
    empty: "No notes yet. /note TEXT writes one for all members.",
    rows: (await notes(store)).notes.toReversed().map((note) => noteRow(note, style)),
  }),
};

function noteRow({ id, at, by, kind, text, task, files }: Note, { paint }: Style): Row {
  const head = `${showNote(id)} ${kind} ${nameOf(by, paint)}${task === null ? "" : ` #${task}`}`;
  const about = files.length === 0 ? "" : paint("dim", ` · ${oneLine(files.join(", "))}`);
  return {
    id: String(id),
    text: `${showNote(id)} ${kind} ${by} ${text} ${files.join(" ")}`,
    actions: [
      {
        key: "enter",
        word: "read",
        show: () => `${head}  ${paint("dim", clock(at))}${about}\n${safe(text)}`,
      },
      // The blank at the end: the person continues with the words that are there.
      { key: "e", word: "edit", line: `/notes edit ${showNote(id)} ${oneLine(text)} ` },
      { key: "x", word: "remove", line: `/notes remove ${showNote(id)}`, asks: true },
      ...(task === null ? [] : [{ key: "t", word: "its task", line: `/task ${task}` }]),
    ],
    lines: (width) => [
      shortened(
        `${paint(kind === "trap" ? "warn" : "dim", kind.padEnd(9))} ${nameOf(by, paint)}  ${oneLine(text)}${about}`,
        width,
      ),
    ],
  };
}
