/** The output of a command as text. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences consist of them
const TERMINAL = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Without colours. Of a progress bar it keeps what would stay on the screen. */
export function plainText(output: string): string {
  const text = output.includes("\u001b") ? output.replace(TERMINAL, "") : output;
  const lines = text.includes("\r") ? text.replace(/\r+\n/g, "\n").replace(/[^\n]*\r(?=[^\n])/g, "") : text;
  return lines.replace(/\s+$/, "");
}
