/**
 * Breaks a text that comes in pieces between its words, where a terminal would break it anywhere. The beginning of a word is held
 * back until the rest is there. Fenced blocks stay as they are: code is copied.
 */
import { columns } from "../kit/terminal.ts";

const FENCE = /^(?:```|~~~)/;

export class Streamed {
  private readonly width: () => number;
  private blank = "";
  private word = "";
  private column = 0;
  private fenced = false;
  /** The word was too long to be held back, and the next piece belongs to it. */
  private goesOn = false;

  /** @param width columns now; Infinity: nothing is broken, nor held back. */
  constructor(width: () => number) {
    this.width = width;
  }

  /** The text that can be shown by now. */
  take(piece: string): string {
    if (this.width() === Number.POSITIVE_INFINITY) return piece;
    let shown = "";
    for (const [part] of piece.matchAll(/\n|[^\S\n]+|\S+/g)) {
      if (part.trim() !== "") {
        this.word += part;
        if (columns(this.word) < this.width()) continue;
        shown += this.flush(); // an address, or a language without blanks
        this.goesOn = true;
      } else if (part === "\n") {
        shown += `${this.flush()}\n`;
        this.begin();
      } else {
        shown += this.flush();
        this.goesOn = false;
        this.blank += part;
      }
    }
    return shown;
  }

  /** The rest; the next piece begins a text of its own. */
  end(): string {
    const rest = this.flush();
    this.begin();
    this.fenced = false;
    return rest;
  }

  private begin(): void {
    this.blank = "";
    this.column = 0;
    this.goesOn = false;
  }

  private flush(): string {
    const { word, blank, column } = this;
    if (word === "") return "";
    const width = this.width();
    if (column === 0 && FENCE.test(word)) this.fenced = !this.fenced;
    const isFull = column + columns(blank + word) > width && column + columns(blank) > 0;
    const breaks = isFull && !this.goesOn && !this.fenced;
    const text = breaks ? `\n${word}` : blank + word;
    const used = breaks ? columns(word) : column + columns(text);
    this.column = ((used - 1) % width) + 1; // what is too long goes on in the next row
    this.word = "";
    this.blank = "";
    return text;
  }
}
