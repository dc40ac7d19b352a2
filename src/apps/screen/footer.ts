/** The last line: a notice or the keys, and the figures of the team. */
import { LEAD, type Name } from "../../core/ids.ts";
import { money, span, tokens } from "../../core/views/view.ts";
import { type Style, spread } from "./style.ts";
import type { TeamModel } from "./team.ts";

export type FooterLook = {
  readonly width: number;
  readonly now: number;
  readonly began: number;
  readonly notice: string;
  readonly model: string;
  readonly to: Name;
};

const KEYS = "esc interrupt · ctrl+t panels · ctrl+n members · ctrl+o details · /help";
const KEYS_SHORT = "esc · ctrl+t panels · /help";
const WIDE = 100;

export function footerLine(team: TeamModel | null, style: Style, look: FooterLook): string {
  const { paint } = style;
  const { counts, status } = team ?? {};
  const done = counts ? counts.completed + counts.failed + counts.cancelled : 0;
  const context = team?.spent.get(LEAD)?.context ?? 0;
  const window = team?.windowOf(LEAD) ?? null;
  const figures = [
    counts && counts.total > 0 ? `${done}/${counts.total} tasks` : "",
    counts && counts.failed > 0 ? `${counts.failed} failed` : "",
    context > 0 && window !== null ? `ctx ${Math.min(100, Math.round((context / window) * 100))}%` : "",
    status && status.tokens > 0 ? `${tokens(status.tokens)} tokens` : "",
    status ? money(status.usd) : "",
    look.width >= WIDE ? look.model : "",
    span(look.now - look.began),
  ].filter((part) => part !== "");
  const keys = look.width >= WIDE ? KEYS : KEYS_SHORT;
  const left = look.notice === "" ? paint("dim", team ? keys : "starting …") : paint("warn", look.notice);
  return spread(` ${left}`, paint("dim", `${figures.join(" · ")} `), look.width);
}
