/** The team strip: a line for each member with its task, the running command, phase, context fill, tokens and cost. */
import type { Name } from "../../core/ids.ts";
import type { PictureMember } from "../../core/picture/member.ts";
import { colourOf } from "../../core/views/identity.ts";
import { reasonWords } from "../../core/views/reason.ts";
import { retryWords } from "../../core/views/retry.ts";
import { money, span, tokens } from "../../core/views/view.ts";
import { columns, pad } from "../terminal/terminal.ts";
import { oneLine, type Style, shortened, spread } from "./style.ts";
import type { TeamModel } from "./team.ts";

/** On a low terminal the feed needs its lines. */
const mostOf = (height: number): number => Math.max(2, Math.min(9, Math.floor(height / 6)));

export type StripLook = {
  readonly width: number;
  readonly height: number;
  readonly frame: string;
  readonly now: number;
  /** The member that the person is looking at. */
  readonly at: Name | null;
};

/** A line, and the member that it shows. */
export type StripLine = { readonly line: string; readonly name: Name | null };

export function stripLines(team: TeamModel, style: Style, look: StripLook): StripLine[] {
  const active = [...team.picture.members.values()].filter(({ phase }) => phase !== "shutdown");
  // A lead alone is seen in the feed and in the last line.
  if (active.every(({ kind }) => kind === "lead")) return [];
  const busiest = [...active].sort((a, b) => Number(b.phase === "work") - Number(a.phase === "work"));
  const most = mostOf(look.height);
  const room = active.length > most ? most - 1 : most;
  const chosen = new Set(busiest.slice(0, room));
  const shown = active.filter((member) => chosen.has(member));
  const names = Math.max(4, ...shown.map(({ name }) => columns(name)));
  const rest = active.filter((member) => !chosen.has(member));
  const working = rest.filter(({ phase }) => phase === "work").length;
  const others = `  and ${rest.length} more, ${working} at work: ${rest.map(({ name }) => name).join(", ")}`;
  return [
    ...shown.map((member) => ({ line: memberLine(team, style, look, member, names), name: member.name })),
    ...(rest.length > 0 ? [{ line: style.paint("dim", shortened(others, look.width)), name: null }] : []),
  ];
}

function memberLine(
  team: TeamModel,
  style: Style,
  look: StripLook,
  member: PictureMember,
  names: number,
): string {
  const { paint } = style;
  const { width, frame, now, at } = look;
  const { name, phase, task } = member;
  const working = phase === "work";
  const mark = working ? paint("busy", frame) : paint("dim", "○");
  const shownName = paint(colourOf(name), pad(name, names));
  const subject = task === null ? "" : `#${task} ${oneLine(team.picture.subject(task))}`;
  const doing = working
    ? [subject, stepOf(team, member, width)].filter((part) => part !== "").join(" · ")
    : [member.retry ? retryWords(member.retry, now) : phaseWords(member), subject]
        .filter((part) => part !== "")
        .join(" · ");
  const spent = member.inputTokens + member.outputTokens;
  const right = [
    span(now - member.since),
    ...(width >= 70 && member.context ? [`ctx ${fill(member.context, member.name, team)}`] : []),
    ...(width >= 90 && spent > 0 ? [tokens(spent)] : []),
    ...(width >= 100 && member.usd > 0 ? [money(member.usd)] : []),
  ].join("  ");
  const here = at === name ? paint("busy", "▸") : " ";
  return spread(
    `${here}${mark} ${shownName}  ${paint(working ? "plain" : "dim", doing)}`,
    paint("dim", right),
    width,
  );
}

/** The running call and the last line of its output, else what the journal said last. */
export function stepOf(team: TeamModel, { name, step }: PictureMember, width: number): string {
  const story = team.stories.get(name);
  const running = story?.running.at(-1);
  if (running && !running.title.startsWith("ask")) {
    const last = running.lastLines.at(-1);
    // A long command leaves room for its output.
    return last ? `${shortened(running.title, Math.floor(width / 4))} │ ${last}` : running.title;
  }
  if (story?.isWriting) return "writing";
  return /^(?:waits|gate|asks)/.test(step) ? step : "thinking";
}

export const phaseWords = ({ phase, reason }: PictureMember): string =>
  phase === "idle"
    ? `idle${reason === "" || reason === "no_tool_use" ? "" : `: ${reasonWords(reason)}`}`
    : phase;

const fill = (context: number, name: Name, team: TeamModel): string => {
  const window = team.windowOf(name);
  return window === null ? tokens(context) : `${Math.min(100, Math.round((context / window) * 100))}%`;
};
