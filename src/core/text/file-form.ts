/**
 * The byte order mark and the line ends of a text file. A member that writes a file again rarely means them, and those who use the file
 * may depend on them: they stay those of the file.
 */

export const BYTE_ORDER_MARK = "\uFEFF";

/** Of most lines; "\n" for a text of one line. */
export function lineEndOf(text: string): "\r\n" | "\n" {
  const ends = text.match(/\r?\n/g) ?? [];
  return ends.filter((end) => end === "\r\n").length * 2 > ends.length ? "\r\n" : "\n";
}

/** Every line with the same end. */
export const withLineEnd = (text: string, end: "\r\n" | "\n"): string => text.replace(/\r?\n/g, end);

/** A file's mark, and the text behind it. */
export const splitMark = (text: string): readonly [mark: string, rest: string] =>
  text.startsWith(BYTE_ORDER_MARK) ? [BYTE_ORDER_MARK, text.slice(1)] : ["", text];

/** `text` in the form of the file that it replaces. `note`: a sentence on what differs from the given text, or "". */
export function inFormOf(before: string, text: string): { readonly text: string; readonly note: string } {
  const [mark] = splitMark(before);
  const [given, rest] = splitMark(text);
  // Who writes \r\n somewhere means the line ends.
  const ends = !text.includes("\r\n") && text.includes("\n") && lineEndOf(before) === "\r\n";
  const kept = [
    ...(mark !== given && mark !== "" ? ["byte order mark"] : []),
    ...(ends ? ["line ends (\\r\\n)"] : []),
  ];
  if (before.startsWith("\uFFFD\uFFFD"))
    return { text, note: " It was no UTF-8 text, such as UTF-16, and is now." };
  return {
    text: (mark || given) + (ends ? withLineEnd(rest, "\r\n") : rest),
    note: kept.length === 0 ? "" : ` Its ${kept.join(" and ")} stayed.`,
  };
}
