/**
 * Markdown that grows: the text before the last blank line outside of a fence is settled and rendered once; only the rest is
 * parsed again with each frame. A text of 1,500 tokens would otherwise be parsed 1,500 times.
 */
import { Markdown } from "@earendil-works/pi-tui";
import { Kept } from "./kept.ts";
import { type Style, safe } from "./style.ts";
import { FENCE, withColumns } from "./table-columns.ts";

type Part = { text: string; readonly markdown: Markdown };

export class GrowingMarkdown {
  private readonly style: Style;
  private readonly settled: Part[] = [];
  private settledTo = 0;
  private rest: Part | null = null;
  /** It only grows. */
  text: string;
  private readonly kept = new Kept();

  constructor(style: Style, text = "") {
    this.style = style;
    this.text = text;
  }

  render(width: number): readonly string[] {
    return this.kept.lines(`${width} ${this.text.length}`, () => this.renderAnew(width));
  }

  private renderAnew(width: number): string[] {
    this.settle();
    const rest = this.text.slice(this.settledTo);
    const parts = [...this.settled];
    if (rest.trim() !== "") {
      this.rest ??= this.part("");
      this.rest.text = shownText(rest);
      this.rest.markdown.setText(this.rest.text);
      parts.push(this.rest);
    }
    return parts.flatMap(({ markdown, text }, i) => [
      ...(i > 0 ? [""] : []),
      ...trimmed(withColumns(markdown.render(width), text)),
    ]);
  }

  private settle(): void {
    const end = settledEnd(this.text, this.settledTo);
    if (end <= this.settledTo) return;
    this.settled.push(this.part(shownText(this.text.slice(this.settledTo, end))));
    this.settledTo = end;
  }

  private part(text: string): Part {
    // Between two dollar signs stand shell variables more often than formulas.
    const markdown = new Markdown(text, 0, 0, this.style.markdown, undefined, { renderLatex: false });
    return { text, markdown };
  }
}

const TASK = /^(\s*(?:[-*+]|\d+[.)])\s+)\[([ xX])\](?=\s)/;

/** The library leaves out the boxes of a task list, so they are characters outside of fences. */
function shownText(text: string): string {
  let fence: string | null = null;
  return safe(text)
    .split("\n")
    .map((line) => {
      const marked = FENCE.exec(line)?.[1];
      if (fence === null && marked) fence = marked;
      else if (fence !== null && line.trim().startsWith(fence)) fence = null;
      return fence === null
        ? line.replace(TASK, (_, head: string, mark: string) => head + (mark === " " ? "☐" : "☑"))
        : line;
    })
    .join("\n");
}

/**
 * The place behind the last blank line that ends a paragraph for good: outside of fences, and the next line neither is indented nor
 * continues a list, which would be numbered again.
 */
export function settledEnd(text: string, from: number): number {
  let end = from;
  let fence: string | null = null;
  let blank = -1;
  let inList = false;
  for (let at = from; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    if (newline < 0 && fence === null && blank < 0) break;
    const stop = newline < 0 ? text.length : newline;
    const line = text.slice(at, stop);
    const marked = FENCE.exec(line)?.[1];
    const isItem = /^\s*(?:[-*+]|\d+[.)])\s/.test(line);
    if (fence === null && blank >= 0 && line.trim() !== "" && newline >= 0) {
      if (!/^\s/.test(line) && !(inList && isItem)) {
        end = blank;
        inList = false;
      }
      blank = -1;
    }
    if (fence !== null) {
      if (marked?.startsWith(fence) && line.trim() === marked) fence = null;
    } else if (marked) fence = marked;
    else if (line.trim() === "") blank = stop + 1;
    else if (isItem) inList = true;
    if (newline < 0) break;
    at = newline + 1;
  }
  return Math.min(end, text.length);
}

function trimmed(lines: readonly string[]): string[] {
  const shown = lines.map((line) => line.trimEnd());
  while (shown.at(-1) === "") shown.pop();
  while (shown[0] === "") shown.shift();
  return shown;
}
