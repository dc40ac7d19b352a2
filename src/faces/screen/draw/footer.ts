/** The last line: a notice, what the lead does or the keys, and the figures of the team. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { LEAD } from "../../../core/ids.ts";
import { MODE_SHORT, type Mode } from "../../../core/permission/mode.ts";
import { countsOf } from "../../../core/picture/looks.ts";
import { type Retry, retryWords } from "../../../core/views/retry.ts";
import { money, span, type Tone, tokens } from "../../../core/views/view.ts";
import type { Watch } from "../handlers.ts";
import { inRow, keyHint } from "../keys.ts";
import { countWaiting, stepOf } from "../story/strip.ts";
import type { TeamModel } from "../story/team.ts";
import { type Style, shortened, spread, wrapped } from "./style.ts";

export type FooterLook = {
  readonly width: number;
  readonly now: number;
  /** When this terminal opened. */
  readonly began: number;
  readonly notice: string;
  readonly model: string;
  readonly frame: string;
  /** The key that stops the lead, or the run. */
  readonly stopKey: string;
  readonly mode: Mode | null;
  /** The team waits until more is allowed. */
  readonly isUsedUp?: boolean;
  readonly watch?: Watch | undefined;
};

const MODE_TONES: Readonly<Record<Mode, Tone>> = {
  plan: "good",
  default: "dim",
  "accept-edits": "busy",
  bypass: "bad",
};

const keysShort = (): string => inRow(keyHint("panels", "panels"), keyHint("help", "help"));
const keysLong = (): string =>
  inRow(
    keyHint("panels", "panels"),
    keyHint("member", "members"),
    keyHint("mode", "mode"),
    keyHint("help", "help"),
  );
const WIDE = 100;
const NARROW = 70;
const NOTICE_LINES = 3;

/** One line, or several for a notice that needs them. */
export function footerLines(team: TeamModel | null, style: Style, look: FooterLook): string[] {
  const { paint } = style;
  const { picture } = team ?? {};
  const counts = picture && countsOf(picture);
  const spent = picture?.spent;
  const context = picture?.members.get(LEAD)?.context ?? 0;
  const window = team?.windowOf(LEAD) ?? null;
  const figures: readonly Figure[] = [
    [counts && counts.total > 0 ? `${counts.completed}/${counts.total} tasks` : "", 2],
    [counts && counts.failed > 0 ? `${counts.failed} failed` : "", 1],
    [
      context > 0 && window !== null && !look.watch
        ? `ctx ${Math.min(100, Math.round((context / window) * 100))}%`
        : "",
      4,
    ],
    [spent && spent.tokens > 0 ? `${tokens(spent.tokens)} tokens` : "", 6],
    [spent ? money(spent.usd) : "", 3],
    [look.width >= WIDE ? look.model : "", 7],
    [look.watch ? "" : span(look.now - (team?.began ?? look.began)), 5],
  ];
  // A notice, which stays for a few seconds, is shown whole.
  if (look.notice !== "")
    return wrapped(look.notice, look.width, " ")
      .slice(0, NOTICE_LINES)
      .map((line) => paint("warn", line));
  const waiting = team === null ? 0 : countWaiting(team);
  const calls =
    waiting === 0 ? "" : paint("warn", `? ${waiting} ${waiting === 1 ? "waits" : "wait"} for you`);
  // Figures come before keys, which the help has.
  const left = inRow(calls, leftPart(team, style, look, waiting > 0));
  const room = look.width - visibleWidth(left) - 3;
  const mode = look.mode === null ? "" : MODE_SHORT[look.mode];
  const shown = fitting([[mode, 0], ...figures], room).filter((part) => part !== mode);
  const painted = look.mode === null ? "" : paint(MODE_TONES[look.mode], mode);
  const rest = `${painted === "" || shown.length === 0 ? "" : " · "}${shown.join(" · ")} `;
  return [spread(` ${left}`, `${painted}${paint("dim", rest)}`, look.width)];
}

/** A part of the line, and how soon it is left out: the highest number first. 0 stays. */
type Figure = readonly [text: string, rank: number];

function fitting(figures: readonly Figure[], room: number): readonly string[] {
  const shown = figures.filter(([text]) => text !== "");
  const width = (): number => shown.reduce((sum, [text]) => sum + visibleWidth(text) + 3, -3);
  while (width() > room) {
    const last = Math.max(...shown.map(([, rank]) => rank));
    if (last <= 0) break;
    shown.splice(
      shown.findIndex(([, rank]) => rank === last),
      1,
    );
  }
  return shown.map(([text]) => text);
}

/** The story says the attempt, too. */
const retryOf = (retry: Retry, { width, now }: FooterLook): string =>
  width < NARROW ? retryWords(retry, now).replace(/, .*$/, "") : retryWords(retry, now);

function leftPart(team: TeamModel | null, { paint }: Style, look: FooterLook, isShort: boolean): string {
  if (!team) return paint("dim", "starting …");
  const { width, frame, now, stopKey, watch } = look;
  if (watch) return paint("dim", watch.keys);
  if (look.isUsedUp) return paint("warn", "the budget is used up: /budget 5 continues");
  const keys = isShort && width < WIDE ? keyHint("help", "help") : width >= WIDE ? keysLong() : keysShort();
  const lead = team.picture.members.get(LEAD);
  if (lead?.retry && lead.phase !== "shutdown")
    return `${paint("busy", frame)} ${paint("warn", `${retryOf(lead.retry, look)} · ${stopKey}`)}`;
  if (lead?.phase !== "work") return paint("dim", keys);
  // What it writes is in the feed.
  const doing = shortened(stepOf(team, lead).doing, Math.floor(width / 4));
  const words = `${doing} ${span(now - lead.since)} · ${stopKey}`;
  return `${paint("busy", frame)} ${paint("dim", width >= WIDE ? `${words} · ${keysShort()}` : words)}`;
}
