/** The windows of logins in words and bars, for every face. */
import type { Instant } from "../ids.ts";
import { isOver, type LoginWindow } from "../limits/window.ts";
import { type Cell, span, type View } from "./view.ts";

const CELLS = 10;
/** Per cent. */
const NEARLY = 85;
export const WINDOW_NAMES: Readonly<Record<LoginWindow["kind"], string>> = {
  "5h": "5 hours",
  week: "week",
  model: "model",
  credit: "credit",
};

/** A member and its task, as far as they are needed here. */
export type Waiting = { readonly model: string; readonly isAtLimit: boolean; readonly task: number | null };

/** Those whose window has not ended since. */
export const openWindows = (windows: Iterable<LoginWindow>, now: Instant | number): LoginWindow[] =>
  [...windows].filter(
    ({ usedPercent, resetsAt }) => usedPercent !== undefined && (resetsAt === undefined || resetsAt > now),
  );

/** "▰▰▰▰▰▰▱▱▱▱" */
export function bar(usedPercent: number): string {
  const full = Math.round((Math.min(100, Math.max(0, usedPercent)) / 100) * CELLS);
  return "▰".repeat(full) + "▱".repeat(CELLS - full);
}

export const loginName = ({ program, login }: Pick<LoginWindow, "program" | "login">): string =>
  login === "" ? program : `${program} (${login})`;

/** "claude ▰▰▰▰▰▰▰▰▰▰ 5 hours, resets in 2h10m" */
export const windowLine = (window: LoginWindow, now: Instant | number): string =>
  `${loginName(window)} ${bar(window.usedPercent ?? 0)} ${WINDOW_NAMES[window.kind]}${resetWords(window, now, ", ")}`;

export const resetWords = ({ resetsAt }: LoginWindow, now: Instant | number, before = ""): string =>
  resetsAt === undefined ? "" : `${before}resets in ${span(resetsAt - now)}`;

/** The tasks of members that wait for the end of this limit. A model is "agent:NAME", the command, or "PROVIDER/NAME". */
export const waitingFor = ({ program }: LoginWindow, members: readonly Waiting[]): number[] =>
  members.flatMap(({ model, isAtLimit, task }) =>
    isAtLimit && task !== null && `${model.replace(/^agent:/, "")}/`.startsWith(`${program}/`) ? [task] : [],
  );

/** How it is shown: used up, nearly, or not. */
export const windowTone = (window: LoginWindow): "bad" | "warn" | "plain" =>
  isOver(window) ? "bad" : (window.usedPercent ?? 0) >= NEARLY ? "warn" : "plain";

export function loginsView(
  windows: readonly LoginWindow[],
  members: readonly Waiting[],
  now: Instant | number,
): View {
  const rows = openWindows(windows, now).map((window): Cell[] => [
    { text: loginName(window), tone: "strong" },
    { text: WINDOW_NAMES[window.kind] },
    {
      text: `${bar(window.usedPercent ?? 0)} ${Math.round(window.usedPercent ?? 0)} %`,
      tone: windowTone(window),
    },
    { text: resetWords(window, now) },
    {
      text: isOver(window)
        ? waitingFor(window, members)
            .map((id) => `#${id}`)
            .join(" ")
        : "",
      tone: "warn",
    },
  ]);
  const columns = [
    { name: "login", grow: true as const },
    ...["window", "used", "reset", "waits"].map((name) => ({ name })),
  ];
  return { kind: "table", columns, rows, empty: "" };
}
