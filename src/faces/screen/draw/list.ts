/** Rows that one goes through: a cursor that stays on its row when rows come and go, a filter, and a window around the cursor. */

import type { RequestId } from "../../../core/ids.ts";

/** The action of a key on a row. */
export type Action = {
  /** A printable key, or "enter". */
  readonly key: string;
  readonly word: string;
  /** A line as one types it. With a blank at its end the person types the rest. */
  readonly line?: string;
  /** Text for the feed, where there is no line for it. */
  readonly show?: () => Promise<string> | string;
  /** Done at the second time only. */
  readonly asks?: boolean;
  /** The question of which all is shown first. */
  readonly judges?: RequestId;
};

/** It changes nothing. */
export const isLook = ({ line, show }: Action): boolean =>
  show !== undefined || /^\/(?:task|to) /.test(line ?? "");

export type Row = {
  readonly id: string;
  /** The filter looks here. */
  readonly text: string;
  readonly actions: readonly Action[];
  lines(width: number): readonly string[];
};

export class List {
  filter = "";
  private rows: readonly Row[] = [];
  private id: string | null = null;
  /** The place of the cursor in `shown`: it stays there when its row has gone. */
  private place = 0;
  private top = 0;

  set(rows: readonly Row[]): void {
    this.rows = rows;
    this.follow();
  }

  /** Each word of the filter must be there. */
  get shown(): readonly Row[] {
    const wanted = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return this.rows;
    return this.rows.filter(({ text }) => {
      const all = text.toLowerCase();
      return wanted.every((word) => all.includes(word));
    });
  }

  get selected(): Row | undefined {
    return this.shown[this.place];
  }

  /** "3/40". */
  get position(): string {
    const count = this.shown.length;
    return `${count === 0 ? 0 : this.place + 1}/${count}`;
  }

  find(filter: string): void {
    this.filter = filter;
    this.follow();
  }

  /** The cursor goes to this row, where it is shown. */
  select(id: string): void {
    this.id = id;
    this.follow();
  }

  /** By so many rows; beyond an end it stays there. */
  move(by: number): void {
    const { shown } = this;
    this.place = Math.max(0, Math.min(shown.length - 1, this.place + by));
    this.id = shown[this.place]?.id ?? null;
  }

  /** Whole rows around the cursor, at most `height` lines; `draw` is given whether the row is the cursor's. */
  window(height: number, draw: (row: Row, isSelected: boolean) => readonly string[]): string[] {
    const { shown, place } = this;
    const drawn = new Map<number, readonly string[]>();
    const linesOf = (at: number): readonly string[] => {
      const known = drawn.get(at) ?? draw(shown[at] as Row, at === place);
      drawn.set(at, known);
      return known;
    };
    this.top = Math.max(0, Math.min(this.top, place, shown.length - 1));
    // The cursor's row is seen whole, unless it is higher than the window.
    let above = 0;
    for (let at = place; at >= this.top && at < shown.length; at -= 1) {
      above += linesOf(at).length;
      if (above > height && at < place) {
        this.top = at + 1;
        break;
      }
    }
    const lines: string[] = [];
    for (let at = this.top; at < shown.length && lines.length < height; at += 1) lines.push(...linesOf(at));
    return lines.slice(0, height);
  }

  private follow(): void {
    const { shown } = this;
    const at = shown.findIndex(({ id }) => id === this.id);
    this.place = at === -1 ? Math.max(0, Math.min(this.place, shown.length - 1)) : at;
    this.id = shown[this.place]?.id ?? null;
  }
}
