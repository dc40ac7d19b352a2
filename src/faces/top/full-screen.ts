/**
 * The whole terminal: the alternate screen, so that what was there before comes back, drawn row by row where a row has changed,
 * in one write that terminals with synchronized output show at once.
 */
import { BEGIN, END, ENTER, LEAVE } from "../terminal/alternate.ts";
import { type Action, actionsOf } from "./keys.ts";

export class FullScreen {
  private shown: readonly string[] = [];
  private readonly onAction: (action: Action) => void;
  private readonly onChange: () => void;

  /** `onChange`: everything is to be drawn anew, because the size changed or the process was continued. */
  constructor(onAction: (action: Action) => void, onChange: () => void) {
    this.onAction = onAction;
    this.onChange = onChange;
  }

  open(): void {
    process.stdin.setRawMode(true).setEncoding("utf8").on("data", this.onKeys).resume();
    process.stdout.on("resize", this.anew);
    process.on("SIGCONT", this.onContinue);
    process.once("exit", this.restore);
    process.stdout.write(ENTER);
  }

  close(): void {
    process.stdin.off("data", this.onKeys).pause();
    process.stdout.off("resize", this.anew);
    process.off("SIGCONT", this.onContinue).off("exit", this.restore);
    this.restore();
  }

  size(): { readonly rows: number; readonly columns: number } {
    return { rows: process.stdout.rows || 24, columns: process.stdout.columns || 80 };
  }

  /** Shows these lines; each must fit the width. */
  draw(lines: readonly string[]): void {
    const changed = lines
      .map((line, row) => (line === this.shown[row] ? "" : `\x1b[${row + 1};1H${line}\x1b[K`))
      .join("");
    const rest = lines.length < this.shown.length ? `\x1b[${lines.length + 1};1H\x1b[J` : "";
    if (changed + rest !== "") process.stdout.write(BEGIN + changed + rest + END);
    this.shown = lines;
  }

  suspend(): void {
    this.restore();
    process.kill(0, "SIGTSTP");
  }

  private readonly onKeys = (typed: string): void => {
    for (const action of actionsOf(typed)) this.onAction(action);
  };

  private readonly onContinue = (): void => {
    process.stdin.setRawMode(true);
    process.stdout.write(ENTER);
    this.anew();
  };

  private readonly anew = (): void => {
    this.shown = [];
    process.stdout.write("\x1b[2J");
    this.onChange();
  };

  private readonly restore = (): void => {
    process.stdout.write(LEAVE);
    process.stdin.setRawMode(false);
  };
}
