/**
 * A conversation that the person has cut at a call of which the changes were undone. It continues after that reply, whose calls are answered as
 * undone; what came after it stays in the transcript, and no model reads it. Only an end of a turn is such a place.
 */
import { callsOf, type Entry, heard } from "./chat.ts";

export const UNDONE = "Undone by the person: the files are as they were before this call.";

/** For people, at its place in the transcript. */
export const CUT_WORDS =
  "The person has undone changes and cut the conversation: it continues after the call that made them.";

const TOLD =
  "The person has undone what your last calls changed in files, and has cut this conversation after them: what you heard and did since then is not in it. Read files again before you change them, and do not repeat what was undone unless you are asked to.";

/** The text that the member hears then. `facts`: what is so now, such as its task. */
export const cutText = (facts: readonly string[]): string => [TOLD, ...facts].filter(Boolean).join("\n\n");

type Cut = Extract<Entry, { kind: "cut" }>;

const placeOf = (entries: readonly Entry[], call: string): number =>
  entries.findLastIndex(
    (entry) => entry.kind === "said" && callsOf(entry.message).some(({ id }) => id === call),
  );

/** `entries`: since the last summary. */
export const hasCall = (entries: readonly Entry[], call: string): boolean =>
  placeOf(sinceCuts(entries), call) >= 0;

/** The entries of which the conversation is made behind the cut. */
export function cutAt(entries: readonly Entry[], { call, text }: Cut): Entry[] {
  const at = placeOf(entries, call);
  if (at < 0) return [...entries, heard(text)];
  const said = entries[at];
  const calls = said?.kind === "said" ? callsOf(said.message) : [];
  return [
    ...entries.slice(0, at + 1),
    ...calls.map(
      ({ id, tool }): Entry => ({
        kind: "result",
        result: { type: "result", id, tool, text: UNDONE, isError: true },
      }),
    ),
    heard(text),
  ];
}

/** With earlier cuts made. */
function sinceCuts(entries: readonly Entry[]): Entry[] {
  let kept: Entry[] = [];
  for (const entry of entries)
    if (entry.kind === "cut") kept = cutAt(kept, entry);
    else kept.push(entry);
  return kept;
}
