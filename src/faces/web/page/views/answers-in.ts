/** What the entries of a conversation say of each other: the answer to a call and its wait for a person, the text of a file before an edit. */
import { useMemo } from "preact/hooks";
import type { ConversationPage, JournalPage } from "../../wire.ts";
import { app } from "../app.ts";
import { useAnswer } from "../live/facts.ts";
import { contentsBefore } from "../pure/edits.ts";
import { overlap, permissionWaits, type Range } from "../pure/waits.ts";

type Line = ConversationPage["entries"][number];

/** The times in which the member waited for an answer to a permission: the latest of them. */
export function useWaits(who: string): readonly Range[] {
  const member = who.split("/")[0] ?? "";
  // Another question, or none: one was answered.
  const asked = app.questions.flatMap(({ by, id }) => (by === member ? [id] : [])).join();
  const { data } = useAnswer<JournalPage>(
    app.source.recording ? null : `journal?limit=500&kind=permission&who=${encodeURIComponent(member)}`,
    asked,
  );
  return useMemo(() => permissionWaits(data?.events ?? []), [data]);
}

/** The results by the id of their call, and the texts of files before they were edited. */
export function answersIn(lines: readonly Line[], waits: readonly Range[]) {
  const results = new Map(
    lines.flatMap(({ at, entry }) => {
      if (entry.kind !== "result") return [];
      const waited = (from: number): number => overlap(waits, { from, to: at });
      return [[entry.result.id, { at, result: entry.result, waited }] as const];
    }),
  );
  const before = contentsBefore(lines, new Map([...results].map(([id, { result }]) => [id, result])));
  return { results, before };
}
