/**
 * The live status: a few lines at the bottom of the terminal that are drawn anew, with the feed scrolling above them. Drawn at
 * most ten times a second and in one write, so that it neither flickers nor costs.
 */

import { reasonWords } from "../../core/board/reason.ts";
import type { Event } from "../../core/event.ts";
import { countsOf } from "../../core/picture/looks.ts";
import type { PictureMember } from "../../core/picture/member.ts";
import type { Picture } from "../../core/picture/picture.ts";
import { colourOf } from "../../core/views/identity.ts";
import { money, span, tokens } from "../../core/views/view.ts";
import type { Store } from "../../ports/index.ts";
import { pictureOf } from "../../team/queries/picture.ts";
import { BEGIN, END } from "../kit/alternate.ts";
import type { PrintAbove } from "../kit/asking.ts";
import { News } from "../kit/news.ts";
import { newsLines, progressBar } from "../kit/print.ts";
import { clean, columns, cut, pad, type Terminal, wrap } from "../kit/terminal.ts";
import { Keyboard } from "./keyboard.ts";

const INTERVAL_MS = 100;
const HIDE = "\x1b[?25l";
const SHOW = "\x1b[?25h";
/** On a screen of up to 24 rows; a higher one gives half its rows. */
const MEMBERS_MAX = 8;

export class Live {
  private drawn: string[] = [];
  private above: string[] = [];
  private timer: NodeJS.Timeout | null = null;
  private readonly tick: NodeJS.Timeout;
  private last = 0;
  private readonly news = new News();
  private paused = false;
  /** While a question waits. */
  private print: PrintAbove | null = null;
  private readonly keyboard = new Keyboard();
  private readonly began = Date.now();
  private readonly onResize = (): void => this.schedule();

  private readonly term: Terminal;
  private readonly picture: Picture;

  private constructor(term: Terminal, picture: Picture) {
    this.term = term;
    this.picture = picture;
    this.tick = setInterval(() => this.schedule(), 1_000);
    process.stderr.on("resize", this.onResize);
    process.once("exit", this.restore);
  }

  static async open(term: Terminal, store: Store): Promise<Live> {
    const live = new Live(term, (await pictureOf(store)).picture);
    live.keyboard.hold();
    live.schedule();
    return live;
  }

  take(events: readonly Event[]): void {
    for (const event of events) {
      this.picture.apply(event);
      const said = this.news.of(event);
      if (said) this.above.push(...newsLines(this.term, event.at, said));
    }
    this.schedule();
  }

  /** A line among the feed. */
  say(text: string): void {
    this.above.push(...text.split("\n").flatMap((line) => wrap(line, this.term.width())));
    this.schedule();
  }

  /** Clears the status for as long as `use` has the terminal, a question for instance, which names what prints the feed meanwhile. */
  async pause<T>(use: (printNewsBy: (print: PrintAbove) => void) => Promise<T>): Promise<T> {
    this.draw([]);
    this.paused = true;
    this.keyboard.release();
    try {
      return await use((print) => {
        this.print = print;
        this.schedule();
      });
    } finally {
      this.print = null;
      this.keyboard.hold();
      this.paused = false;
      this.schedule();
    }
  }

  /** Takes the status away; the feed stays. */
  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    clearInterval(this.tick);
    process.stderr.off("resize", this.onResize);
    process.off("exit", this.restore);
    this.keyboard.release();
    this.restore();
    this.paused = true;
  }

  /** Also where the process ends at once. */
  private readonly restore = (): void => this.draw([]);

  private schedule(): void {
    if (this.print && this.above.length > 0) this.print(this.above.splice(0).join("\n"));
    if (this.timer || this.paused) return;
    const wait = Math.max(0, INTERVAL_MS - (Date.now() - this.last));
    this.timer = setTimeout(() => this.refresh(), wait);
  }

  private refresh(): void {
    this.timer = null;
    if (!this.paused) this.draw(this.lines());
  }

  private draw(lines: string[]): void {
    this.last = Date.now();
    const width = this.term.width();
    // After a resize the old lines may take more rows than there were lines.
    const rows = this.drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(columns(clean(line)) / width)),
      0,
    );
    const up = rows > 0 ? `\x1b[${rows}A` : "";
    // Erased line by line: a terminal that is cleared from its first line on (tmux) keeps each frame in its history.
    const wide = this.above.some((line) => columns(clean(line)) > width);
    const body = [...this.above, ...lines].map((line) => `\x1b[K${line}\n`).join("");
    this.term.write(
      `${BEGIN}${HIDE}\r${up}${wide ? "\x1b[J" : ""}${body}\x1b[J${lines.length === 0 ? SHOW : ""}${END}`,
    );
    this.drawn = lines;
    this.above = [];
  }

  private lines(): string[] {
    const width = this.term.width() - 1;
    const active = [...this.picture.members.values()].filter((member) => member.phase !== "shutdown");
    // The lead is always shown, then members at work. While all fit, the order does not change.
    const rank = ({ kind, phase }: PictureMember): number => (kind === "lead" ? 2 : phase === "work" ? 1 : 0);
    const busiest = [...active].sort((a, b) => rank(b) - rank(a));
    // With the summary, "and … more" and the line of the cursor all must fit, or each frame would scroll.
    const rows = process.stderr.rows ?? 24;
    const most = Math.max(1, Math.min(rows - 3, Math.max(MEMBERS_MAX, Math.floor(rows / 2))));
    const chosen = new Set(busiest.slice(0, most));
    const shown = active.filter((member) => chosen.has(member));
    const names = Math.max(4, ...shown.map((member) => columns(member.name)));
    const more = active.length - shown.length;
    return [
      ...shown.map((member) => this.memberLine(member, names, width)),
      ...(more > 0 ? [this.term.paint("dim", `  and ${more} more`)] : []),
      this.summary(width),
    ];
  }

  private memberLine(member: PictureMember, names: number, width: number): string {
    const { term } = this;
    const working = member.phase === "work";
    const task = member.task === null ? "" : `#${member.task} ${this.picture.subject(member.task)}`;
    const step = member.step && (task ? ` · ${member.step}` : member.step);
    const text = working ? `${task}${step}` || "thinking" : `idle (${reasonWords(member.reason)})`;
    const age = span(Date.now() - member.since);
    const room = width - names - 6 - columns(age);
    const mark = term.paint(working ? "busy" : "dim", working ? "▶" : "○");
    const what = pad(cut(clean(text).replace(/\s+/g, " "), room), room);
    return `${mark} ${term.paint(colourOf(member.name), pad(member.name, names))}  ${term.paint(working ? "plain" : "dim", what)}  ${term.paint("dim", age)}`;
  }

  private summary(width: number): string {
    const { term } = this;
    const { spent } = this.picture;
    const counts = countsOf(this.picture);
    const done = counts.completed + counts.failed + counts.cancelled;
    const parts = [
      counts.total > 0 ? `${done}/${counts.total}` : "",
      counts.failed > 0 ? term.paint("bad", `${counts.failed} failed`) : "",
      spent.tokens > 0 ? `${tokens(spent.tokens)} tokens` : "",
      money(spent.usd),
      span(Date.now() - this.began),
    ].filter((part) => part !== "");
    const bar =
      counts.total > 0
        ? `${progressBar(term, done / counts.total, Math.min(24, Math.max(4, width - 50)))} `
        : "";
    const text = parts.join(" · ");
    return columns(clean(bar + text)) <= width ? bar + text : cut(clean(text), width);
  }
}
