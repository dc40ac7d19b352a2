/** Colours of code and of diffs in the terminal. */
import { codeParts } from "../../../core/text/code-parts.ts";
import type { Paint } from "./paint.ts";

const TONES = { comment: "dim", text: "good", number: "yellow", word: "magenta" } as const;

export function highlighted(code: string, language: string, paint: Paint): string[] {
  if (/^(?:diff|patch)$/i.test(language)) return code.split("\n").map((line) => diffLine(line, paint));
  // A comment or a text may go over several lines, and styles end with each line.
  return codeParts(code, language)
    .map(({ kind, text }) =>
      kind === ""
        ? text
        : text
            .split("\n")
            .map((line) => paint(TONES[kind], line))
            .join("\n"),
    )
    .join("")
    .split("\n");
}

export const diffLine = (line: string, paint: Paint): string =>
  line.startsWith("+")
    ? paint("good", line)
    : line.startsWith("-")
      ? paint("bad", line)
      : line.startsWith("@@")
        ? paint("busy", line)
        : line;
