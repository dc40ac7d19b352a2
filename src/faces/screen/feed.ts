/**
 * A feed of blocks with a window on it. The window follows the end, or stays where the person scrolled it to, however much is
 * added below and however the terminal is resized: its place is a block and a line of it.
 */

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

/** Older blocks leave the screen's memory; the transcript has them. */
const BLOCKS_MAX = 1_500;

export class Feed {
  private blocks: Block[] = [];
  private top: { block: number; line: number } | null = null;
  private height = 0;
  private look: Look | null = null;
  /** Lines below the window when it was drawn last. */
  below = 0;

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
      shown.push(...(this.blocks[at]?.lines(look).slice(skip) ?? []));
    this.below = this.top === null ? 0 : Math.max(0, shown.length - height) + this.linesFrom(at, look);
    return shown.slice(0, height);
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
