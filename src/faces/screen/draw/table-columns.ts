/**
 * Aligns the columns of rendered tables as their Markdown says (`--:`, `:-:`): the library pads every cell on the right. Tables are found by
 * their borders, in the order of the text; where the counts differ, such as in a quote, all stay as they are.
 */
import { visibleWidth } from "@earendil-works/pi-tui";

type Align = "left" | "right" | "center";

export const FENCE = /^ {0,3}(```+|~~~+)/;
const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const ESCAPES = "(?:\\x1b\\[[0-9;]*m)*";
const CELL = new RegExp(`^(${ESCAPES} ${ESCAPES})(.*?)( *)(${ESCAPES} ${ESCAPES})$`, "s");

/** Of each table of a Markdown text, the alignment of its columns. */
function alignments(text: string): Align[][] {
  const found: Align[][] = [];
  let fence: string | null = null;
  let before = "";
  for (const line of text.split("\n")) {
    const marked = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (line.trim().startsWith(fence)) fence = null;
    } else if (marked) fence = marked;
    else if (before.includes("|") && line.includes("-") && DELIMITER.test(line))
      found.push(
        line
          .trim()
          .replace(/^\||\|$/g, "")
          .split("|")
          .map((cell) => cell.trim())
          .map((cell) => (cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left")),
      );
    before = line;
  }
  return found;
}

/** `lines`: of `text`, rendered. */
export function withColumns(lines: readonly string[], text: string): readonly string[] {
  const aligns = alignments(text);
  if (aligns.every((one) => one.every((align) => align === "left"))) return lines;
  if (lines.filter((line) => line.startsWith("┌─")).length !== aligns.length) return lines;
  let table = -1;
  return lines.map((line) => {
    if (line.startsWith("┌─")) table += 1;
    const parts = line.split("│");
    const of = aligns[table];
    // A cell that has a border in its words is not told from two cells.
    if (!of || !line.startsWith("│") || parts.length !== of.length + 2) return line;
    return parts.map((part, i) => aligned(part, of[i - 1] ?? "left")).join("│");
  });
}

/** One blank on each side stays. */
function aligned(cell: string, align: Align): string {
  const [, before = "", words = "", blanks = "", after = ""] = CELL.exec(cell) ?? [];
  if (align === "left" || visibleWidth(words) === 0 || blanks === "") return cell;
  const left = align === "right" ? blanks.length : Math.floor(blanks.length / 2);
  return before + " ".repeat(left) + words + " ".repeat(blanks.length - left) + after;
}
