/** The words of the lead as they come, in whole lines: broken between words, except in fenced blocks, because code is copied. */
import { clean, wrap } from "../kit/terminal.ts";
import type { Output } from "./output.ts";

const FENCE = /^\s*(?:```|~~~)/;

export class Answer {
  private readonly output: Output;
  private rest = "";
  private isBegun = false;
  private isFenced = false;

  constructor(output: Output) {
    this.output = output;
  }

  /** A piece of it. */
  take(text: string): void {
    const lines = (this.rest + clean(text)).split("\n");
    this.rest = lines.pop() ?? "";
    this.isBegun ||= text !== "";
    this.show(lines);
  }

  /** The rest; the next piece begins another one. Whether there was anything. */
  end(): boolean {
    const { isBegun, rest } = this;
    if (rest !== "") this.show([rest]);
    [this.rest, this.isBegun, this.isFenced] = ["", false, false];
    return isBegun;
  }

  private show(lines: readonly string[]): void {
    const shown = lines.flatMap((line) => {
      const isFence = FENCE.test(line);
      if (isFence) this.isFenced = !this.isFenced;
      return isFence || this.isFenced ? [line] : wrap(line, this.output.out.width());
    });
    if (lines.length > 0) this.output.write(`${shown.join("\n")}\n`);
  }
}
