/** The facts of a plan in words: notes, files that no task names, a board that waits for the person. */
import type { FactOf } from "../event.ts";
import { listed } from "../text/listed.ts";
import type { Tone } from "../views/view.ts";

type Of = "task.drifted" | "note.written" | "note.changed" | "board.held" | "board.shown" | "board.released";
type Sentences = {
  readonly [T in Of]: (fact: FactOf<T>) => readonly [who: string | null, text: string, tone?: Tone];
};

export const PLAN_SENTENCES: Sentences = {
  "board.held": ({ large }) => [
    null,
    large
      ? "nothing begins before the board is planned"
      : "nothing begins before you have approved the board",
    "dim",
  ],
  "board.shown": ({ by }) => [by, "has planned the board and waits for your word", "busy"],
  "board.released": ({ why }) => [
    null,
    why === "approved" ? "the board begins: you have approved it" : "the board begins: it is small",
    why === "approved" ? "plain" : "dim",
  ],
  "task.drifted": ({ by, task, files }) =>
    files.length === 0
      ? [by, `changes only files that #${task} names now`, "dim"]
      : [by, `changes files that #${task} does not name: ${listed(files, 8)}`, "warn"],
  "note.written": ({ by, kind, text, task }) => [by, `noted (${kind}${task ? `, #${task}` : ""}): ${text}`],
  "note.changed": ({ by, note, text }) => [
    by,
    text === "" ? `removed the note n${note}` : `changed the note n${note}: ${text}`,
    "dim",
  ],
};
