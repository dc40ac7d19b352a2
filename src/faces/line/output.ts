/**
 * Writes above the line that is being typed, if there is one. Readline draws that line again relative to the row in which it last left the
 * cursor, so a line of several rows is taken away from its first row, and gets its rows back before it is drawn again.
 */
import type { Interface } from "node:readline";
import type { Terminal } from "../kit/terminal.ts";

export class Output {
  readonly out: Terminal;
  private input: Interface | null = null;

  constructor(out: Terminal) {
    this.out = out;
  }

  /** The line is typed here from now on; null: nowhere. */
  attach(input: Interface | null): void {
    if (input === null) this.hide();
    this.input = input;
    this.prompt();
  }

  /** Whole lines. */
  write(text: string): void {
    if (text === "") return;
    this.hide();
    this.out.write(text.endsWith("\n") ? text : `${text}\n`);
    this.prompt();
  }

  promptIs(text: string): void {
    this.input?.setPrompt(text);
  }

  prompt(): void {
    const { input, out } = this;
    if (!input) return;
    out.write("\n".repeat(input.getCursorPos().rows));
    input.prompt(true);
  }

  private hide(): void {
    if (!this.input) return;
    const { rows } = this.input.getCursorPos();
    this.out.write(`\r${rows > 0 ? `\x1b[${rows}A` : ""}\x1b[J`);
  }
}
