/** What the facts of a plan hold: of notes, and of a board that begins only when the person has approved it. */
import type { Name, RequestId, TaskId } from "../ids.ts";

export const NOTE_KINDS = ["decision", "interface", "trap"] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** `files`: paths, or patterns of them. */
export type NoteWritten = {
  readonly by: Name;
  readonly kind: NoteKind;
  readonly text: string;
  readonly task: TaskId | null;
  readonly files?: readonly string[] | undefined;
};
/** `text`: its new words; "": it was removed. */
export type NoteChanged = { readonly by: Name; readonly note: number; readonly text: string };

/** Teammates rest until it is released. `large`: only where the lead plans more than a few tasks. */
export type BoardHeld = { readonly by: Name; readonly large: boolean };
/** The person is asked whether the team may begin. */
export type BoardShown = { readonly by: Name; readonly request: RequestId };
/** `why`: the person approved it, or it has few tasks. */
export type BoardReleased = { readonly by: Name; readonly why: "approved" | "small" };
