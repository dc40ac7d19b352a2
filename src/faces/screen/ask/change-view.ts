/** The whole change, plan or command of a question on the whole screen, where it can be answered, too. */
import { matchesKey } from "@earendil-works/pi-tui";
import type { RequestId } from "../../../core/ids.ts";
import { colourOf } from "../draw/colours.ts";
import { oneLine, type Style, shortened, spread, wrapped } from "../draw/style.ts";
import type { FullView } from "../tools.ts";
import { countsOf, headOf, rowsOf } from "./asked.ts";
import { type CardQuestions, SEEN_MS } from "./questions.ts";

type Place = {
  readonly style: Style;
  readonly questions: CardQuestions;
  /** The answer, and null for none: the view goes. */
  close(answer: "y" | "n" | null): void;
};

const PAGE = 10;
const MOVES = { up: -1, k: -1, down: 1, j: 1, pageUp: -PAGE, pageDown: PAGE } as const;

export class ChangeView implements FullView {
  readonly answers = true as const;
  private readonly place: Place;
  private readonly of: RequestId | null;
  /** Null before the first frame. */
  private top: number | null = null;
  private shownAt: number | null = null;

  constructor(place: Place) {
    this.place = place;
    this.of = place.questions.current?.request.id ?? null;
  }

  lines(width: number, height: number): readonly string[] {
    const { style, questions } = this.place;
    const { paint } = style;
    const { current } = questions;
    if (!current) return [];
    this.shownAt ??= Date.now();
    const { by, ask } = current.request;
    const isNamed = ask.kind === "permission" && ask.diff !== undefined && !ask.subject.includes("\n");
    const head = [headOf(current, isNamed ? ask.subject : ""), countsOf(current)].filter(Boolean).join("  ");
    const why = ask.kind === "permission" && ask.why ? wrapped(`why: ${oneLine(ask.why)}`, width, " ") : [];
    const task = current.task === "" ? [] : [shortened(` for ${oneLine(current.task)}`, width)];
    const rows = rowsOf(current, style, width - 2, !isNamed);
    const about = [...task, ...why].slice(0, Math.max(0, height - 4)).map((line) => paint("dim", line));
    const room = Math.max(1, height - 2 - about.length);
    const first = rows.findIndex((row) => row.isJudged);
    // The first changed row is seen at once.
    this.top ??= first < room ? 0 : first;
    this.top = Math.max(0, Math.min(this.top, rows.length - room));
    const shown = rows.slice(this.top, this.top + room).map(({ text }) => ` ${text}`);
    const last = this.top + shown.length;
    return [
      spread(
        ` ${paint(colourOf(by), by)} ${paint("strong", head)}`,
        paint("dim", `${this.top + 1}–${last} of ${rows.length} `),
        width,
      ),
      ...about,
      ...shown,
      ...Array.from({ length: room - shown.length }, () => ""),
      shortened(
        ` ${paint("busy", "y")} yes · ${paint("busy", "n")} no, because … · ${paint("dim", "↑↓ pgup pgdn · esc back")}`,
        width,
      ),
    ];
  }

  key(data: string): void {
    const { close, questions } = this.place;
    const move = Object.entries(MOVES).find(([key]) => matchesKey(data, key as "up"))?.[1];
    const isRead = this.shownAt !== null && Date.now() - this.shownAt >= SEEN_MS;
    if (move !== undefined) this.top = (this.top ?? 0) + move;
    else if (matchesKey(data, "escape") || questions.current?.request.id !== this.of) close(null);
    // A key that is held answers nothing.
    else if (isRead && (data === "y" || data === "n")) close(data);
  }

  /** The question was answered elsewhere, or another one has taken its place. */
  refresh(): void {
    if (this.place.questions.current?.request.id !== this.of) this.place.close(null);
  }
}
