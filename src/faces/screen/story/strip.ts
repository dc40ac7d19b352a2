/** The team strip: a line for each member with its task, the running command, phase, context fill, tokens and cost. */

import { reasonWords } from "../../../core/board/reason.ts";
import type { Name } from "../../../core/ids.ts";
import type { PictureMember } from "../../../core/picture/member.ts";
import { isForPerson } from "../../../core/picture/questions.ts";
import { colourOf } from "../../../core/views/identity.ts";
import { retryWords } from "../../../core/views/retry.ts";
import { money, span, tokens } from "../../../core/views/view.ts";
import { columns, pad } from "../../kit/terminal.ts";
import { oneLine, type Style, shortened, spread } from "../draw/style.ts";
import type { TeamModel } from "./team.ts";

/** A narrower line has little room for a subject beside output. */
const ROOMY = 100;

export type StripLook = {
  readonly width: number;
  readonly frame: string;
  readonly now: number;
  /** The member that the person is looking at. */
  readonly at: Name | null;
};

/** A line, and the member that it shows. */
export type StripLine = { readonly line: string; readonly name: Name | null };

/** `most`: how many lines there may be. Members without a line are counted by state, with as many names as fit. */
export function stripLines(team: TeamModel, style: Style, look: StripLook, most: number): StripLine[] {
  const active = [...team.picture.members.values()].filter(({ phase }) => phase !== "shutdown");
  // A lead alone is seen in the feed and in the last line.
  if (most < 1 || active.every(({ kind }) => kind === "lead")) return [];
  const asks = askers(team);
  const rank = (one: PictureMember): number => (waits(one, asks) ? 0 : one.phase === "work" ? 1 : 2);
  const busiest = [...active].sort((a, b) => rank(a) - rank(b));
  const room = active.length > most ? most - 1 : most;
  const chosen = new Set(busiest.slice(0, room));
  const shown = active.filter((member) => chosen.has(member));
  const names = Math.max(4, ...shown.map(({ name }) => columns(name)));
  const rest = active.filter((member) => !chosen.has(member));
  return [
    ...shown.map((member) => ({
      line: memberLine(team, style, look, { member, names, isWaiting: waits(member, asks) }),
      name: member.name,
    })),
    ...(rest.length > 0
      ? [{ line: style.paint("dim", folded(rest, asks, look.width, shown.length > 0)), name: null }]
      : []),
  ];
}

export const askers = ({ picture }: TeamModel): ReadonlySet<Name> =>
  new Set(picture.questions.list.filter(isForPerson).map(({ by }) => by));

/** A member that asked and works on does not wait. */
export const waits = ({ name, phase }: PictureMember, asks: ReadonlySet<Name>): boolean =>
  phase !== "work" && asks.has(name);

/** "and 1 waits for you · 3 at work: bob, carol … · 2 idle": the names of those at work are of more use than others. */
function folded(
  rest: readonly PictureMember[],
  asks: ReadonlySet<Name>,
  width: number,
  areOthersShown: boolean,
): string {
  const working = rest.filter(({ phase }) => phase === "work").map(({ name }) => name);
  const waiting = rest.filter((one) => waits(one, asks)).length;
  const idle = rest.length - working.length - waiting;
  const count = working.length > 0 ? `${working.length} at work` : "";
  const asking = waiting > 0 ? `${waiting} ${waiting === 1 ? "waits" : "wait"} for you` : "";
  const others = idle > 0 ? `${idle} idle` : "";
  const text = (names: string): string =>
    `  ${areOthersShown ? "and " : ""}${[asking, `${count}${names}`, others].filter((part) => part !== "").join(" · ")}`;
  for (let named = working.length; named > 0; named -= 1) {
    const more = named < working.length ? " …" : "";
    const line = text(`: ${working.slice(0, named).join(", ")}${more}`);
    if (columns(line) <= width) return line;
  }
  return shortened(text(""), width);
}

function memberLine(
  team: TeamModel,
  style: Style,
  look: StripLook,
  { member, names, isWaiting }: { member: PictureMember; names: number; isWaiting: boolean },
): string {
  const { paint } = style;
  const { width, frame, now, at } = look;
  const { name, phase, task } = member;
  const working = phase === "work";
  const mark = isWaiting ? paint("warn", "?") : working ? paint("busy", frame) : paint("dim", "○");
  const shownName = paint(colourOf(name), pad(name, names));
  const output = working ? outputOf(team, member) : "";
  const whole = task === null ? "" : `#${task} ${oneLine(team.picture.subject(task))}`;
  // The last line of output tells more than the end of a subject.
  const subject = output !== "" && width < ROOMY ? shortened(whole, Math.floor(width / 5)) : whole;
  const doing = working
    ? [subject, stepOf(team, member, width)].filter((part) => part !== "").join(" · ")
    : [
        isWaiting ? "waits for you" : member.retry ? retryWords(member.retry, now) : phaseWords(member),
        subject,
      ]
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
    `${here}${mark} ${shownName}  ${paint(isWaiting ? "warn" : working ? "plain" : "dim", doing)}`,
    paint("dim", right),
    width,
  );
}

/** The last line that the running call has printed; "" without one. */
const outputOf = (team: TeamModel, { name }: PictureMember): string =>
  team.stories.get(name)?.running.at(-1)?.lastLines.at(-1) ?? "";

/** The running call and the last line of its output, else what the journal said last. */
export function stepOf(team: TeamModel, { name, step }: PictureMember, width: number): string {
  const story = team.stories.get(name);
  const running = story?.running.at(-1);
  if (running && !running.title.startsWith("ask")) {
    const last = running.lastLines.at(-1);
    // A long command leaves room for its output.
    const room = Math.floor(width / (width < ROOMY ? 6 : 4));
    return last ? `${shortened(running.title, room)} │ ${last}` : running.title;
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
