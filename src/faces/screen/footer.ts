/** The last line: a notice, what the lead does or the keys, and the figures of the team. */
import { LEAD } from "../../core/ids.ts";
import type { Mode } from "../../core/permission/mode.ts";
import { countsOf } from "../../core/picture/looks.ts";
import { retryWords } from "../../core/views/retry.ts";
import { money, span, type Tone, tokens } from "../../core/views/view.ts";
import type { Watch } from "./handlers.ts";
import { stepOf } from "./strip.ts";
import { type Style, shortened, spread } from "./style.ts";
import type { TeamModel } from "./team.ts";

export type FooterLook = {
  readonly width: number;
  readonly now: number;
  readonly began: number;
  readonly notice: string;
  readonly model: string;
  readonly frame: string;
  /** The key that stops the lead, or the run. */
  readonly stopKey: string;
  readonly mode: Mode | null;
  readonly watch?: Watch | undefined;
};

const MODE_TONES: Readonly<Record<Mode, Tone>> = {
  plan: "good",
  default: "dim",
  "accept-edits": "busy",
  bypass: "bad",
};

const KEYS = "ctrl+t panels · ctrl+n members · shift+tab mode · /help";
const KEYS_SHORT = "ctrl+t panels · /help";
const WIDE = 100;

export function footerLine(team: TeamModel | null, style: Style, look: FooterLook): string {
  const { paint } = style;
  const { picture } = team ?? {};
  const counts = picture && countsOf(picture);
  const spent = picture?.spent;
  const done = counts ? counts.completed + counts.failed + counts.cancelled : 0;
  const context = picture?.members.get(LEAD)?.context ?? 0;
  const window = team?.windowOf(LEAD) ?? null;
  const figures = [
    counts && counts.total > 0 ? `${done}/${counts.total} tasks` : "",
    counts && counts.failed > 0 ? `${counts.failed} failed` : "",
    context > 0 && window !== null && !look.watch
      ? `ctx ${Math.min(100, Math.round((context / window) * 100))}%`
      : "",
    spent && spent.tokens > 0 ? `${tokens(spent.tokens)} tokens` : "",
    spent ? money(spent.usd) : "",
    look.width >= WIDE ? look.model : "",
    look.watch ? "" : span(look.now - look.began),
  ].filter((part) => part !== "");
  // What is said for a few seconds is read whole.
  if (look.notice !== "") return shortened(` ${paint("warn", look.notice)}`, look.width);
  const left = leftPart(team, style, look);
  const mode = look.mode === null ? "" : paint(MODE_TONES[look.mode], look.mode);
  return spread(` ${left}`, `${mode}${paint("dim", `${mode && " · "}${figures.join(" · ")} `)}`, look.width);
}

function leftPart(team: TeamModel | null, { paint }: Style, look: FooterLook): string {
  if (!team) return paint("dim", "starting …");
  const { width, frame, now, stopKey, watch } = look;
  if (watch) return paint("dim", watch.keys);
  const keys = width >= WIDE ? KEYS : KEYS_SHORT;
  const lead = team.picture.members.get(LEAD);
  if (lead?.retry && lead.phase !== "shutdown")
    return `${paint("busy", frame)} ${paint("warn", `${retryWords(lead.retry, now)} · ${stopKey}`)}`;
  if (lead?.phase !== "work") return paint("dim", keys);
  const doing = shortened(stepOf(team, lead, width), Math.floor(width / 4));
  const words = `${doing} ${span(now - lead.since)} · ${stopKey}`;
  return `${paint("busy", frame)} ${paint("dim", width >= WIDE ? `${words} · ${KEYS_SHORT}` : words)}`;
}
