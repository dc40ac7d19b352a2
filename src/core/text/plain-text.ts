/** The output of a command as text. */

/**
 * Sequences as terminals know them, with one escape or with a character of its own (C1): colours and moves, texts such as a title up to
 * their end, character sets (`ESC ( B`), and single orders (`ESC 7`). Last, escapes and C1 characters that begin none of them.
 */
const TERMINAL = new RegExp(
  [
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]",
    "\\u001b[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?",
    "[\\u0090\\u0098\\u009d-\\u009f][^\\u0007\\u001b\\u009c\\n]{0,256}(?:\\u0007|\\u001b\\\\|\\u009c)",
    "\\u001b[ -/]*[0-~]",
    "[\\u001b\\u0080-\\u009f]",
  ].join("|"),
  "g",
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences consist of them
const HAS_ANY = /[\u001b\u0080-\u009f]/;

/** The text without colours. A progress bar keeps only its last state, as on a screen. */
export function plainText(output: string): string {
  const text = HAS_ANY.test(output) ? output.replace(TERMINAL, "") : output;
  return (text.includes("\r") ? text.split("\n").map(lastState).join("\n") : text).trimEnd();
}

/** A carriage return begins the line again; at its end it belongs to the end. */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end -= 1;
  return line.slice(end === 0 ? 0 : line.lastIndexOf("\r", end - 1) + 1, end);
}
