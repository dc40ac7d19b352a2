/** The board: tasks in progress first, then ready ones, waiting ones, and ended ones; the longest chain of work is marked. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { criticalPath } from "../../../core/board/order.ts";
import { countsOf, type ListedTask, listed } from "../../../core/picture/looks.ts";
import type { PictureMember } from "../../../core/picture/member.ts";
import type { Picture } from "../../../core/picture/picture.ts";
import { look, progressShare, progressText } from "../../../core/views/board.ts";
import { span } from "../../../core/views/view.ts";
import type { Action, Row } from "../draw/list.ts";
import { oneLine, type Style, shortened, spread } from "../draw/style.ts";
import { askers, waits } from "../story/strip.ts";
import type { Listed, Panel, PanelInput } from "./panel.ts";

const BAR = 20;
/** Words of `look`, in the order of the rows. */
const ORDER = ["in progress", "ready", "waiting", "failed", "cancelled", "completed"];

export const boardPanel: Panel = {
  title: "board",
  actions: [{ key: "a", word: "add", line: "/add " }],
  read: async ({ team, style, now }: PanelInput): Promise<Listed> => {
    const { picture } = team;
    const [tasks, counts] = [listed(picture, now), countsOf(picture)];
    const chain = new Set(criticalPath(picture.tasks));
    const { paint } = style;
    const full = Math.round(progressShare(counts) * BAR);
    const bar = paint("good", "█".repeat(full)) + paint("dim", "░".repeat(BAR - full));
    const longest = chain.size > 1 ? `; ◆ longest chain: ${chain.size} tasks` : "";
    return {
      empty: "The board is empty. /add SUBJECT puts a task on it.",
      rows: waitingFirst(tasks, picture).map(({ task, asks }) =>
        taskRow(task, chain.has(task.id), style, nobodyTakes(task, picture), asks),
      ),
      ...(tasks.length > 0 && {
        head: (width: number) => {
          const why = counts.ready > 0 ? standstill(picture) : "";
          const text = `${progressText(counts)}${why === "" ? "" : `; ${why}`}`;
          const all = [`${bar} ${text}${longest}`, `${bar} ${text}`, text, text.replace(/^.*?: /, "")];
          return all.find((one) => visibleWidth(one) <= width) ?? shortened(text, width);
        },
      }),
    };
  },
};

/** The order in a state: the latest end first, and the next claim first. */
export function inOrder(tasks: readonly ListedTask[]): ListedTask[] {
  const rank = (task: ListedTask): number => ORDER.indexOf(look(task).word);
  const ended = ({ endedAt }: ListedTask): number => endedAt ?? 0;
  return [...tasks].sort(
    (a, b) => rank(a) - rank(b) || ended(b) - ended(a) || b.priority - a.priority || a.id - b.id,
  );
}

/** As `inOrder`, those first whose owner waits for the person. */
export function waitingFirst(
  tasks: readonly ListedTask[],
  picture: Picture,
): { readonly task: ListedTask; readonly asks: boolean }[] {
  const asking = askers({ picture });
  const rows = inOrder(tasks).map((task) => {
    const owner = task.status === "in_progress" && task.owner ? picture.members.get(task.owner) : undefined;
    return { task, asks: owner !== undefined && owner.task === task.id && waits(owner, asking) };
  });
  return [...rows.filter(({ asks }) => asks), ...rows.filter(({ asks }) => !asks)];
}

type Crew = Pick<Picture, "tasks" | "members">;
const crewOf = ({ members }: Crew): PictureMember[] =>
  [...members.values()].filter(({ phase, hosted }) => phase !== "shutdown" && hosted);

/** The reason why no present member will take it, so that a person must act; "" where one will, or nobody takes any task. */
export function nobodyTakes({ waitsFor, ready, assignee, role }: ListedTask, picture: Crew): string {
  const statusOf = (id: number): string => picture.tasks.get(id)?.status ?? "";
  const dead = waitsFor.find((id) => ["failed", "cancelled"].includes(statusOf(id)));
  if (dead !== undefined) return `never: #${dead} ${statusOf(dead)}`;
  const crew = crewOf(picture);
  if (!ready || crew.length === 0) return "";
  if (assignee !== "")
    return crew.some(({ name }) => name === assignee) ? "" : `kept for ${assignee}, not there`;
  return role === null || crew.some((one) => one.role === role) ? "" : `nobody has the role ${role}`;
}

/** The reason why nobody takes any task. */
function standstill(picture: Crew): string {
  const crew = crewOf(picture);
  if (crew.length === 0) return "nobody is at work";
  return crew.some(({ kind }) => kind !== "lead")
    ? ""
    : "no teammate is there to take them: ask the lead for one, or ekiden --teammates 1";
}

/** A task whose owner waits for the person. */
const ASKS = { glyph: "?", word: "waits for you", tone: "warn" } as const;

/** `nobody`: the reason why it waits for a person. `asks`: its owner waits for the person. */
export function taskRow(
  task: ListedTask,
  isInChain: boolean,
  { paint }: Style,
  nobody = "",
  asks = false,
): Row {
  const { id, owner, ageMs, waitsFor, status } = task;
  const { glyph, word, tone } = asks ? ASKS : look(task);
  const subject = oneLine(task.subject);
  return {
    id: String(id),
    text: `#${id} ${subject} ${word} ${owner ?? ""} ${nobody}`,
    actions: taskActions(task),
    lines: (width) => {
      const waits = waitsFor.length > 0 ? ` after ${waitsFor.map((one) => `#${one}`).join(" ")}` : "";
      const why = nobody === "" ? paint("dim", waits) : paint("warn", ` · ${nobody}`);
      const mark = isInChain ? paint("warn", "◆") : " ";
      const state = `${paint(tone, `${glyph} ${word}`)}${owner ? ` ${owner}` : ""} ${paint("dim", span(ageMs))}`;
      const words = paint(status === "in_progress" ? "strong" : "plain", subject);
      return [spread(`${mark}${paint("dim", `#${id}`.padStart(4))} ${words}${why}`, state, width)];
    },
  };
}

/** Only what this task allows. */
export function taskActions({ id, owner, status, priority }: ListedTask): Action[] {
  const [isOpen, isOver] = [status === "pending", status === "failed" || status === "cancelled"];
  const isRunning = status === "in_progress";
  const at = (level: number): string => `/edit ${id} --priority ${level}`;
  return [
    { key: "enter", word: "details", line: `/task ${id}` },
    ...(owner ? [{ key: "o", word: "owner", line: `/to ${owner}` }] : []),
    ...(status === "completed" ? [] : [{ key: "e", word: "edit", line: `/edit ${id} ` }]),
    ...(isOpen || isRunning ? [{ key: "s", word: "assign", line: `/edit ${id} --assign ` }] : []),
    ...(isOpen ? [{ key: "+", word: "sooner", line: at(priority + 1) }] : []),
    ...(isOpen ? [{ key: "-", word: "later", line: at(priority - 1) }] : []),
    ...(isOpen ? [{ key: "t", word: "take", line: `/take ${id}` }] : []),
    ...(isRunning ? [{ key: "l", word: "release", line: `/release ${id}`, asks: true }] : []),
    ...(isOver ? [{ key: "r", word: "retry", line: `/retry ${id}` }] : []),
    ...(isOpen || isRunning ? [{ key: "c", word: "cancel", line: `/cancel ${id}`, asks: true }] : []),
  ];
}
