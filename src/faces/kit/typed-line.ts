/**
 * Writing above the line that is being typed. Readline draws the line anew relative to the row in which it last left the cursor,
 * so a line of several rows is taken away from its first row, and gets its rows back before it is drawn again.
 */
import type { Interface } from "node:readline";
import type { Terminal } from "./terminal.ts";

export function hideTyped(input: Interface, out: Terminal): void {
  const { rows } = input.getCursorPos();
  out.write(`\r${rows > 0 ? `\x1b[${rows}A` : ""}\x1b[J`);
}

export function showTyped(input: Interface, out: Terminal): void {
  out.write("\n".repeat(input.getCursorPos().rows));
  input.prompt(true);
}
