/**
 * A feed of blocks with a window on it. The window follows the end, or stays where the person scrolled it to, however much is
 * added below and however the terminal is resized: its place is a block and a line of it.
 */

import { stripVTControlCharacters } from "node:util";

/** The present form of blocks. */
export type Look = {
  readonly width: number;
  /** Calls and thoughts in full. */
  readonly expanded: boolean;
  /** The frame of spinners. */
  readonly frame: string;
  readonly now: number;
};

export interface Block {
  lines(look: Look): readonly string[];
}

/** A line of a block. */
export type Found = { readonly block: Block; readonly line: number };

/** A block of those that are shown, and a line of it. */
type Place = { readonly block: number; readonly line: number };

/** Older blocks leave the screen's memory; the transcript has them. */
const BLOCKS_MAX = 1_500;

export class Feed {
  private blocks: Block[] = [];
  private readonly authors = new WeakMap<Block, string>();
  /** The member whose blocks are shown; "" for all. */
  private author = "";
  private top: { readonly block: Block; readonly line: number } | null = null;
  private height = 0;
  private look: Look | null = null;
  /** Lines below the window when it was drawn last. */
  below = 0;
  /** The line that a search has found. */
  marked: Found | null = null;

  /** `before`: a block that stays below it; without one it is the last. `who`: whom it concerns. */
  add(block: Block, before: Block | null = null, who = ""): void {
    const at = before ? this.blocks.lastIndexOf(before) : -1;
    this.blocks.splice(at < 0 ? this.blocks.length : at, 0, block);
    if (who !== "") this.authors.set(block, who);
    if (this.blocks.length > BLOCKS_MAX) this.blocks.splice(0, this.blocks.length - BLOCKS_MAX);
  }

  /** Takes over what was shown before. */
  append(feed: Feed): void {
    for (const block of feed.blocks.splice(0)) this.add(block);
  }

  remove(block: Block): void {
    const at = this.blocks.lastIndexOf(block);
    if (at < 0) return;
    const place = this.shown.indexOf(block);
    this.blocks.splice(at, 1);
    if (this.top?.block === block) this.top = this.placeOf({ block: place, line: 0 });
  }

  get last(): Block | undefined {
    return this.blocks.at(-1);
  }

  get only(): string {
    return this.author;
  }

  /** Shows the blocks of this member, and those of nobody, such as the answer to a command; "" for all. */
  filter(who: string): void {
    this.author = who;
    this.top = null;
  }

  private get shown(): readonly Block[] {
    const { author, blocks } = this;
    if (author === "") return blocks;
    return blocks.filter((block) => (this.authors.get(block) ?? author) === author);
  }

  get follows(): boolean {
    return this.top === null;
  }

  toEnd(): void {
    this.top = null;
  }

  toStart(): void {
    this.top = this.placeOf({ block: 0, line: 0 });
  }

  /** By lines; negative is up. */
  scroll(by: number): void {
    const { look } = this;
    if (!look) return;
    const { shown } = this;
    let { block, line } = this.start(look);
    line += by;
    while (line < 0 && block > 0) {
      block -= 1;
      line += this.count(block, look);
    }
    if (line < 0) line = 0;
    while (block < shown.length && line >= this.count(block, look)) {
      line -= this.count(block, look);
      block += 1;
    }
    const end = this.startOfEnd(look);
    const isAtEnd = block > end.block || (block === end.block && line >= end.line);
    this.top = isAtEnd ? null : this.placeOf({ block, line });
  }

  page(direction: 1 | -1): void {
    this.scroll(direction * Math.max(1, this.height - 2));
  }

  /** The next line with these words from `from` on, in any case of letters; -1: the older one. Null where there is none. */
  find(words: string, from: Found | null, direction: 1 | -1): Found | null {
    const { look, shown: blocks } = this;
    if (!look) return null;
    const wanted = words.toLowerCase();
    const begin = from === null ? blocks.length - 1 : blocks.indexOf(from.block);
    for (let at = begin; at >= 0 && at < blocks.length; at += direction) {
      const block = blocks[at] as Block;
      const lines = block.lines(look);
      const inside = from?.block === block ? from.line + direction : direction < 0 ? lines.length - 1 : 0;
      for (let line = inside; line >= 0 && line < lines.length; line += direction)
        if (
          stripVTControlCharacters(lines[line] ?? "")
            .toLowerCase()
            .includes(wanted)
        )
          return { block, line };
    }
    return null;
  }

  /** Scrolls there, and marks the line. */
  show(found: Found): void {
    const { look } = this;
    if (!look || !this.shown.includes(found.block)) return;
    this.marked = found;
    this.top = found;
    this.scroll(-Math.floor(this.height / 2));
  }

  all(look: Look): string[] {
    return this.blocks.flatMap((block) => [...block.lines(look)]);
  }

  /** At most `height` lines. */
  window(look: Look, height: number): string[] {
    this.look = look;
    this.height = height;
    if (height <= 0) return [];
    const end = this.startOfEnd(look);
    const now = this.start(look);
    if (now.block > end.block || (now.block === end.block && now.line >= end.line)) this.top = null;
    const { block, line } = this.start(look);
    const lines: string[] = [];
    const { shown } = this;
    let at = block;
    for (let skip = line; at < shown.length && lines.length < height; at += 1, skip = 0)
      lines.push(...this.drawn(shown[at] as Block, look).slice(skip));
    this.below = this.top === null ? 0 : Math.max(0, lines.length - height) + this.linesFrom(at, look);
    return lines.slice(0, height);
  }

  private drawn(block: Block, look: Look): readonly string[] {
    const lines = block.lines(look);
    if (block !== this.marked?.block) return lines;
    const { line } = this.marked;
    return lines.map((text, i) => (i === line ? `\x1b[7m${stripVTControlCharacters(text)}\x1b[27m` : text));
  }

  private placeOf({ block, line }: Place): Feed["top"] {
    const found = this.shown[block];
    return found ? { block: found, line } : null;
  }

  /** Where the window begins; a block that has left the memory was the oldest. */
  private start(look: Look): Place {
    const { top } = this;
    if (!top) return this.startOfEnd(look);
    const block = this.shown.indexOf(top.block);
    return block < 0 ? { block: 0, line: 0 } : { block, line: top.line };
  }

  /** Where the window begins when it shows the end. */
  private startOfEnd(look: Look): Place {
    let left = this.height;
    const { shown } = this;
    for (let block = shown.length - 1; block >= 0; block -= 1) {
      const count = (shown[block] as Block).lines(look).length;
      if (count >= left) return { block, line: count - left };
      left -= count;
    }
    return { block: 0, line: 0 };
  }

  private count(block: number, look: Look): number {
    return this.shown[block]?.lines(look).length ?? 0;
  }

  private linesFrom(from: number, look: Look): number {
    return this.shown.slice(from).reduce((sum, block) => sum + block.lines(look).length, 0);
  }
}
