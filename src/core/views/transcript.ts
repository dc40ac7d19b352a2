/** A conversation as a feed, also the part before a compaction. */

import type { Recorded } from "../conversation/chat.ts";
import { CUT_WORDS } from "../conversation/cut.ts";
import type { Name } from "../ids.ts";
import type { FeedLine, Tone, View } from "./view.ts";

export type TranscriptData = { readonly name: Name; readonly entries: readonly Recorded[] };

export const transcriptLines = ({ name, entries }: TranscriptData): FeedLine[] =>
  entries.flatMap((line) => lines(name, line));

export const transcriptViews = (data: TranscriptData): View[] => [
  { kind: "feed", lines: transcriptLines(data), empty: `${data.name} has not said anything yet.` },
];

function lines(name: Name, { at, entry }: Recorded): FeedLine[] {
  const line = (who: string, text: string, tone: Tone = "plain"): FeedLine => ({ at, who, text, tone });
  switch (entry.kind) {
    case "heard":
      return [line("→", entry.text, "dim")];
    case "opened":
      return [
        line(
          "opened",
          [entry.system, entry.shared, entry.own, `Tools: ${entry.tools.map(({ name }) => name).join(", ")}`]
            .filter(Boolean)
            .join("\n\n"),
          "dim",
        ),
      ];
    case "summary":
      return [line("summary", entry.text, "warn")];
    case "cut":
      return [line("cut", CUT_WORDS, "warn")];
    case "trimmed":
      return [
        line("trimmed", "From here on, older steps and results are sent to the model shortened.", "dim"),
      ];
    case "result":
      return [line(`← ${entry.result.tool}`, entry.result.text, entry.result.isError ? "bad" : "dim")];
    case "said":
      return entry.message.content.flatMap((part) => {
        if (part.type === "call")
          return [line(`${name} calls`, `${part.tool} ${JSON.stringify(part.input)}`, "busy")];
        if (part.text === "") return [];
        return [
          part.type === "thinking"
            ? line(`${name} thinks`, part.text, "dim")
            : line(name, part.text, "strong"),
        ];
      });
    default:
      return entry satisfies never;
  }
}
