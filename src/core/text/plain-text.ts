/** The output of a command as text. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences consist of them
const TERMINAL = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** The text without colours. A progress bar keeps only its last state, as on a screen. */
export function plainText(output: string): string {
  const text = output.includes("\u001b") ? output.replace(TERMINAL, "") : output;
  const lines = text.includes("\r") ? text.replace(/\r+\n/g, "\n").replace(/[^\n]*\r(?=[^\n])/g, "") : text;
  return lines.replace(/\s+$/, "");
}
