/** A conversation as a Markdown file for people: its own words as they are, all else in fences. */
import { type TranscriptData, transcriptLines } from "./transcript.ts";

export function transcriptMarkdown(data: TranscriptData): string {
  const parts = transcriptLines(data).map(({ at, who, text }) => {
    const heading = `## ${who === "→" ? `To ${data.name}` : who}`;
    const isSaid = who === data.name || who === "summary";
    return [
      heading,
      ...(at === null ? [] : [`*${new Date(at).toISOString()}*`]),
      isSaid ? text : fenced(text),
    ];
  });
  return `${[`# ${data.name}`, ...parts.flat()].join("\n\n")}\n`;
}

/** The fence is longer than any in the text, so that the text cannot end it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
