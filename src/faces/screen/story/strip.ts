/** The team strip: a line for each member in fixed columns, those that wait for the person first. Subjects are on the board. */

import { reasonWords } from "../../../core/board/reason.ts";
import type { Name } from "../../../core/ids.ts";
import type { PictureMember } from "../../../core/picture/member.ts";
import { isForPerson } from "../../../core/picture/questions.ts";
import { redBaseNow } from "../../../core/views/red-target.ts";
import { retryWords } from "../../../core/views/retry.ts";
import { span } from "../../../core/views/view.ts";
import { columns, pad } from "../../kit/terminal.ts";
import { colourOf } from "../draw/colours.ts";
import { type Style, shortened, spread, wrapped } from "../draw/style.ts";
import type { TeamModel } from "./team.ts";

/** Columns of what a member does, beside its last words. */
const DOING = { least: 14, most: 34, share: 0.3 };

/** Of the sentence about a red target, which stands above the members. */
const RED_LINES = 3;

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
  const red = redBaseNow(team.picture);
  const told = red === null ? [] : wrapped(red, look.width, " ").slice(0, Math.min(RED_LINES, most - 1));
  return [
    ...told.map((line) => ({ line: style.paint("bad", line), name: null })),
    ...membersLines(team, style, look, active, most - told.length),
  ];
}

function membersLines(
  team: TeamModel,
  style: Style,
  look: StripLook,
  active: readonly PictureMember[],
  most: number,
): StripLine[] {
  const asks = askers(team);
  const rank = (one: PictureMember): number => (waits(one, asks) ? 0 : one.phase === "work" ? 1 : 2);
  const busiest = [...active].sort((a, b) => rank(a) - rank(b));
  const room = active.length > most ? most - 1 : most;
  const chosen = new Set(busiest.slice(0, room));
  // Those at work keep their places.
  const shown = [...active.filter((one) => rank(one) === 0), ...active.filter((one) => rank(one) > 0)].filter(
    (member) => chosen.has(member),
  );
  const widths = {
    name: Math.max(4, ...shown.map(({ name }) => columns(name))),
    task: Math.max(0, ...shown.map(({ task }) => (task === null ? 0 : `#${task}`.length))),
  };
  const rest = active.filter((member) => !chosen.has(member));
  return [
    ...shown.map((member) => ({
      line: memberLine(team, style, look, { member, widths, isWaiting: waits(member, asks) }),
      name: member.name,
    })),
    ...(rest.length > 0
      ? [{ line: style.paint("dim", folded(rest, asks, look.width, shown.length > 0)), name: null }]
      : []),
  ];
}

export const askers = ({ picture }: Pick<TeamModel, "picture">): ReadonlySet<Name> =>
  new Set(picture.questions.list.filter(isForPerson).map(({ by }) => by));

/** One that asked and works on does not wait; one that the person has stopped does. */
export const waits = ({ name, phase, reason, task }: PictureMember, asks: ReadonlySet<Name>): boolean =>
  phase !== "work" && (asks.has(name) || (phase === "idle" && reason === "interrupted" && task !== null));

/** How many questions and stopped members wait for the person. */
export function countWaiting(team: TeamModel): number {
  const asks = askers(team);
  const stopped = [...team.picture.members.values()].filter((one) => !asks.has(one.name) && waits(one, asks));
  return team.picture.questions.list.filter(isForPerson).length + stopped.length;
}

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
  {
    member,
    widths,
    isWaiting,
  }: { member: PictureMember; widths: { name: number; task: number }; isWaiting: boolean },
): string {
  const { paint } = style;
  const { width, frame, now, at } = look;
  const { name, phase, task } = member;
  const working = phase === "work";
  const mark = isWaiting ? paint("warn", "?") : working ? paint("busy", frame) : paint("dim", "○");
  const right = [
    span(now - member.since).padStart(6),
    ...(width >= 70 ? [filled(member, team).padStart(8)] : []),
  ].join("  ");
  const here = at === name ? paint("busy", "▸") : " ";
  const id = widths.task === 0 ? "" : `  ${(task === null ? "" : `#${task}`).padStart(widths.task)}`;
  const head = `${here}${mark} ${paint(colourOf(name), pad(name, widths.name))}${paint("dim", id)}  `;
  const room = width - columns(`${here}  ${pad(name, widths.name)}${id}  ${right}`) - 2;
  const doing = working
    ? inColumns(stepOf(team, member), room)
    : isWaiting
      ? `waits for you${member.reason === "interrupted" ? ": you stopped it" : ""}`
      : member.retry
        ? retryWords(member.retry, now)
        : phaseWords(member);
  return spread(
    `${head}${paint(isWaiting ? "warn" : working ? "plain" : "dim", doing)}`,
    paint("dim", right),
    width,
  );
}

/** What it does, in a column of its own where there are words to follow. */
function inColumns({ doing, words }: Step, room: number): string {
  if (words === "") return doing;
  const column = Math.max(DOING.least, Math.min(DOING.most, Math.floor(room * DOING.share)));
  return `${pad(shortened(doing, column), column)}  ${words}`;
}

/** `words`: the last line of what it writes, or of the output of its call. */
export type Step = { readonly doing: string; readonly words: string };

/** What a member does now: the running call as a verb, else what the journal said last. */
export function stepOf(team: TeamModel, { name, step }: PictureMember): Step {
  const story = team.stories.get(name);
  const running = story?.running.at(-1);
  if (running && !running.title.startsWith("ask"))
    return { doing: running.title, words: running.lastLines.at(-1) ?? "" };
  const writing = story?.writing ?? null;
  if (writing !== null) return { doing: "writes", words: writing };
  return { doing: /^(?:waits|gate|asks)/.test(step) ? step : "thinks", words: "" };
}

export const phaseWords = ({ phase, reason }: PictureMember): string =>
  phase === "idle"
    ? `idle${reason === "" || reason === "no_tool_use" ? "" : `: ${reasonWords(reason)}`}`
    : phase;

/** "" where nobody knows the window, as that of an agent program. */
const filled = ({ context, name }: PictureMember, team: TeamModel): string => {
  const window = team.windowOf(name);
  if (!context || window === null) return "";
  return `ctx ${Math.min(100, Math.round((context / window) * 100))}%`;
};
