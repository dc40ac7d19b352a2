/**
 * A feed of blocks with a window on it. The window follows the end, or stays where the person scrolled it to, however much is
 * added below and however the terminal is resized: its place is a block and a line of it.
 */

import { stripVTControlCharacters } from "node:util";

/** How blocks are shown at this moment. */
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

/** Older blocks leave the screen's memory; the transcript has them. */
const BLOCKS_MAX = 1_500;

export class Feed {
  private blocks: Block[] = [];
  private top: { block: number; line: number } | null = null;
  private height = 0;
  private look: Look | null = null;
  /** Lines below the window when it was drawn last. */
  below = 0;
  /** The line that a search has found. */
  marked: Found | null = null;

  /** `before`: a block that stays below it; without one it is the last. */
  add(block: Block, before: Block | null = null): void {
    const at = before ? this.blocks.lastIndexOf(before) : -1;
    this.blocks.splice(at < 0 ? this.blocks.length : at, 0, block);
    if (at >= 0 && this.top && this.top.block >= at) this.top = { ...this.top, block: this.top.block + 1 };
    if (this.blocks.length <= BLOCKS_MAX) return;
    const gone = this.blocks.length - BLOCKS_MAX;
    this.blocks.splice(0, gone);
    if (this.top)
      this.top =
        this.top.block < gone ? { block: 0, line: 0 } : { ...this.top, block: this.top.block - gone };
  }

  /** Takes over what was shown before. */
  append(feed: Feed): void {
    for (const block of feed.blocks.splice(0)) this.add(block);
  }

  remove(block: Block): void {
    const at = this.blocks.lastIndexOf(block);
    if (at < 0) return;
    this.blocks.splice(at, 1);
    if (this.top && this.top.block > at) this.top = { ...this.top, block: this.top.block - 1 };
  }

  get follows(): boolean {
    return this.top === null;
  }

  toEnd(): void {
    this.top = null;
  }

  toStart(): void {
    this.top = { block: 0, line: 0 };
  }

  /** By lines; negative is up. */
  scroll(by: number): void {
    const { look } = this;
    if (!look) return;
    let { block, line } = this.top ?? this.startOfEnd(look);
    line += by;
    while (line < 0 && block > 0) {
      block -= 1;
      line += this.count(block, look);
    }
    if (line < 0) line = 0;
    while (block < this.blocks.length && line >= this.count(block, look)) {
      line -= this.count(block, look);
      block += 1;
    }
    const end = this.startOfEnd(look);
    const isAtEnd = block > end.block || (block === end.block && line >= end.line);
    this.top = isAtEnd ? null : { block, line };
  }

  page(direction: 1 | -1): void {
    this.scroll(direction * Math.max(1, this.height - 2));
  }

  /** The next line with these words from `from` on, in any case of letters; -1: the older one. Null where there is none. */
  find(words: string, from: Found | null, direction: 1 | -1): Found | null {
    const { look, blocks } = this;
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
    const block = this.blocks.indexOf(found.block);
    if (!look || block < 0) return;
    this.marked = found;
    this.top = { block, line: found.line };
    this.scroll(-Math.floor(this.height / 2));
  }

  /** At most `height` lines. */
  window(look: Look, height: number): string[] {
    this.look = look;
    this.height = height;
    if (height <= 0) return [];
    if (this.top) {
      const end = this.startOfEnd(look);
      if (this.top.block > end.block || (this.top.block === end.block && this.top.line >= end.line))
        this.top = null;
    }
    const { block, line } = this.top ?? this.startOfEnd(look);
    const shown: string[] = [];
    let at = block;
    for (let skip = line; at < this.blocks.length && shown.length < height; at += 1, skip = 0)
      shown.push(...this.drawn(at, look).slice(skip));
    this.below = this.top === null ? 0 : Math.max(0, shown.length - height) + this.linesFrom(at, look);
    return shown.slice(0, height);
  }

  private drawn(at: number, look: Look): readonly string[] {
    const lines = this.blocks[at]?.lines(look) ?? [];
    if (!this.marked || this.blocks[at] !== this.marked.block) return lines;
    const { line } = this.marked;
    return lines.map((text, i) => (i === line ? `\x1b[7m${stripVTControlCharacters(text)}\x1b[27m` : text));
  }

  /** Where the window begins when it shows the end. */
  private startOfEnd(look: Look): { block: number; line: number } {
    let left = this.height;
    for (let block = this.blocks.length - 1; block >= 0; block -= 1) {
      const count = this.count(block, look);
      if (count >= left) return { block, line: count - left };
      left -= count;
    }
    return { block: 0, line: 0 };
  }

  private count(block: number, look: Look): number {
    return this.blocks[block]?.lines(look).length ?? 0;
  }

  private linesFrom(from: number, look: Look): number {
    let sum = 0;
    for (let block = from; block < this.blocks.length; block += 1) sum += this.count(block, look);
    return sum;
  }
}
