/** `/review`: the whole change on the whole screen, comments on its lines, and all of them sent at once to those who made it. */

import { matchesKey } from "@earendil-works/pi-tui";
import { messageOf } from "../../../core/errors.ts";
import type { ReviewComment } from "../../../core/views/outcome.ts";
import { counted } from "../../../core/views/view.ts";
import { diffLine } from "../draw/highlight.ts";
import { oneLine, phrases, type Style, shortened, spread, wrapped } from "../draw/style.ts";
import type { FullView } from "../tools.ts";
import type { ReviewRow } from "./review-rows.ts";

type Place = {
  readonly style: Style;
  /** Resolves with what was done. */
  send(comments: readonly ReviewComment[]): Promise<string>;
  close(said: string): void;
  changed(): void;
};

const TEXT_MAX = 10_000;
const EXCERPT_MAX = 500;
const SIDEWAYS = 20;
const KEYS = "↑↓ line,n p file,enter comment,x remove it,s send all,←→ sideways,esc closes".split(",");

export class ReviewView implements FullView {
  private readonly rows: readonly ReviewRow[];
  private readonly place: Place;
  /** Lines of several tasks, so that each needs its own beside it. */
  private readonly isShared: boolean;
  private readonly comments = new Map<number, string>();
  private at: number;
  private top = 0;
  private left = 0;
  private height = 1;
  /** The comment that is being typed. */
  private typed: string | null = null;
  /** The key that must be pressed a second time. */
  private asked: "" | "s" | "esc" = "";
  private said = "";
  private isSending = false;

  constructor(rows: readonly ReviewRow[], place: Place) {
    this.rows = rows;
    this.place = place;
    const tasks = rows.flatMap((row) => (row.kind === "line" && row.task !== null ? [row.task] : []));
    this.isShared = new Set(tasks).size > 1;
    this.at = Math.max(
      0,
      rows.findIndex(({ kind }) => kind === "line"),
    );
  }

  lines(width: number, height: number): readonly string[] {
    const { paint } = this.place.style;
    const { rows, comments } = this;
    const count = (mark: string): number =>
      rows.filter(({ kind, text }) => kind === "line" && text.startsWith(mark)).length;
    const files = rows.filter(({ kind }) => kind === "file").length;
    const head = spread(
      paint("strong", ` review · ${counted(files, "file")} +${count("+")} −${count("-")}`),
      paint("dim", `${counted(comments.size, "comment")} · ${this.at + 1}/${rows.length} `),
      width,
    );
    const foot =
      this.typed === null
        ? this.said === ""
          ? phrases(KEYS, width - 2).map((line) => paint("dim", ` ${line}`))
          : wrapped(this.said, width - 1, " ").map((line) => paint("warn", line))
        : [paint("dim", shortened(" enter keeps it · esc leaves it out", width))];
    const room = Math.max(1, height - 1 - foot.length);
    this.height = room;
    const body = this.body(width, room);
    return [head, ...body, ...Array.from({ length: room - body.length }, () => ""), ...foot];
  }

  /** Rows from `top` on, so that the cursor's is among them. */
  private body(width: number, room: number): string[] {
    this.top = Math.min(this.top, this.at);
    for (;;) {
      const drawn: string[] = [];
      let end = this.top;
      for (; end < this.rows.length && drawn.length < room; end += 1) drawn.push(...this.row(end, width));
      const isSeen = this.at < end && (drawn.length <= room || this.at < end - 1);
      if (isSeen || this.top >= this.at) return drawn.slice(0, room);
      this.top += 1;
    }
  }

  private row(index: number, width: number): string[] {
    const { paint } = this.place.style;
    const row = this.rows[index];
    if (!row) return [];
    const cursor = index === this.at ? paint("busy", "›") : " ";
    const typed = index === this.at && this.typed !== null ? `${this.typed}▏` : undefined;
    const comment = typed ?? this.comments.get(index);
    const below =
      comment === undefined
        ? []
        : wrapped(`✎ ${oneLine(comment)}`, width - 10, "         ").map((line) =>
            paint(typed === undefined ? "warn" : "busy", line),
          );
    if (row.kind === "task") return [paint("strong", shortened(`${cursor}■ ${row.text}`, width))];
    if (row.kind === "file") return [shortened(`${cursor}${paint("strong", ` ${row.text}`)}`, width)];
    if (row.kind !== "line") return [shortened(`${cursor}       ${paint("busy", row.text)}`, width)];
    const task = row.task === null ? "" : `#${row.task}`;
    const gutter = this.isShared ? paint("busy", task.padStart(5)) : "";
    const number = paint("dim", String(row.line).padStart(6));
    const text = row.text.slice(0, 1) + [...row.text.slice(1)].slice(this.left).join("");
    return [shortened(`${cursor}${gutter}${number} ${diffLine(text, paint)}`, width), ...below];
  }

  key(data: string): void {
    if (this.typed !== null) this.type(data, this.typed);
    else if (!this.isSending) this.command(data);
    this.place.changed();
  }

  private command(data: string): void {
    const { asked } = this;
    this.asked = "";
    this.said = "";
    const page = Math.max(1, this.height - 2);
    const moves: Readonly<Record<string, () => void>> = {
      up: () => this.move(-1),
      k: () => this.move(-1),
      down: () => this.move(1),
      j: () => this.move(1),
      pageUp: () => this.move(-page),
      pageDown: () => this.move(page),
      space: () => this.move(page),
      home: () => this.move(-this.rows.length),
      end: () => this.move(this.rows.length),
      n: () => this.toFile(1),
      p: () => this.toFile(-1),
      left: () => this.sideways(-SIDEWAYS),
      right: () => this.sideways(SIDEWAYS),
      enter: () => this.comment(),
      c: () => this.comment(),
      x: () => void this.comments.delete(this.at),
      s: () => this.sends(asked === "s"),
      escape: () => this.closes(asked === "esc"),
      q: () => this.closes(asked === "esc"),
    };
    Object.entries(moves).find(([key]) => matchesKey(data, key as "up"))?.[1]();
  }

  private move(by: number): void {
    this.at = Math.max(0, Math.min(this.rows.length - 1, this.at + by));
  }

  private toFile(direction: 1 | -1): void {
    for (let at = this.at + direction; at >= 0 && at < this.rows.length; at += direction)
      if (this.rows[at]?.kind === "file") {
        this.at = at;
        this.top = at;
        return;
      }
  }

  private sideways(by: number): void {
    this.left = Math.max(0, this.left + by);
  }

  private comment(): void {
    if (this.rows[this.at]?.kind === "line") this.typed = this.comments.get(this.at) ?? "";
    else this.said = "a comment stands on a line of a file";
  }

  private type(data: string, typed: string): void {
    const pasted = data.startsWith("\x1b[200~") ? data.slice(6, -6) : null;
    if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) this.typed = null;
    else if (matchesKey(data, "backspace")) this.typed = [...typed].slice(0, -1).join("");
    else if (matchesKey(data, "enter")) {
      if (typed.trim() === "") this.comments.delete(this.at);
      else this.comments.set(this.at, typed.trim());
      this.typed = null;
    } else if (pasted !== null || /^\P{Cc}+$/u.test(data))
      this.typed = (typed + (pasted ?? data)).slice(0, TEXT_MAX);
  }

  private closes(isSecond: boolean): void {
    if (this.comments.size === 0 || isSecond) {
      this.place.close("");
      return;
    }
    this.asked = "esc";
    this.said = `esc again throws ${counted(this.comments.size, "unsent comment")} away; s sends them`;
  }

  private sends(isSecond: boolean): void {
    const list = [...this.comments]
      .sort(([a], [b]) => a - b)
      .flatMap(([index, text]): ReviewComment[] => {
        const row = this.rows[index];
        return row?.kind === "line"
          ? [{ path: row.path, line: row.line, excerpt: row.text.slice(0, EXCERPT_MAX), text }]
          : [];
      });
    if (list.length === 0) this.said = "there are no comments: enter writes one on the line of the cursor";
    else if (isSecond) void this.send(list);
    else {
      this.asked = "s";
      this.said = `s again sends ${counted(list.length, "comment")} to those who made the change`;
    }
  }

  private async send(list: readonly ReviewComment[]): Promise<void> {
    this.isSending = true;
    try {
      this.place.close(await this.place.send(list));
    } catch (error) {
      // The comments stay.
      this.said = messageOf(error);
    }
    this.isSending = false;
    this.place.changed();
  }
}
