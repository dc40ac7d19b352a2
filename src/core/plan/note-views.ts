/** The notes of a team, as a table. */
import type { Name } from "../ids.ts";
import type { View } from "../views/view.ts";
import { type Note, showNote } from "./notes.ts";

export type NotesData = { readonly team: Name; readonly notes: readonly Note[] };

export const notesViews = ({ notes }: NotesData): View[] => [
  {
    kind: "table",
    columns: [
      { name: "id", align: "right" },
      { name: "kind" },
      { name: "by" },
      { name: "task" },
      { name: "text", grow: true },
      { name: "files", minor: true },
    ],
    rows: notes
      .toReversed()
      .map(({ id, kind, by, task, text, files }) => [
        { text: showNote(id), tone: "dim" },
        { text: kind, ...(kind === "trap" && { tone: "warn" as const }) },
        { text: by },
        { text: task === null ? "" : `#${task}`, tone: "dim" },
        { text },
        { text: files.join(", "), tone: "dim" },
      ]),
    empty: 'The team has no notes. Write one: ekiden note "Money is kept in cents" --kind decision',
  },
];
