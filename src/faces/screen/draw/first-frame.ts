/**
 * The first frame of the conversation, painted before the program is loaded: this file imports only small files. The terminal
 * keeps the keys that are typed meanwhile; the screen reads them when it takes over.
 */
import { homedir } from "node:os";
import { resolve } from "node:path";
import manifest from "../../../../package.json" with { type: "json" };
import { fromHome } from "../../../core/paths/paths.ts";
import { COMMON_OPTIONS, TEAM_OPTIONS } from "../../commands/options.ts";
import { BEGIN, END, ENTER, LEAVE } from "../../kit/alternate.ts";
import { mendTerminal } from "../../kit/held-terminal.ts";
import { wantsColour, wantsScreen } from "../../kit/wanted.ts";

let isShown = false;

/** Paints it if these arguments start the conversation on the full screen. */
export function showFirstFrame(args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const options = conversationOptions(args);
  if (!options) return;
  const has = (name: string): boolean => options.has(`--${name}`);
  if (!wantsScreen({ json: has("json"), quiet: has("quiet"), plain: has("plain"), env })) return;
  isShown = true;
  mendTerminal();
  process.stdin.setRawMode(true);
  process.once("exit", leaveFirstFrame);
  for (const signal of SIGNALS) process.once(signal, end);
  const { columns = 80, rows = 24 } = process.stdout;
  const cwd = resolve(options.get("--cwd") ?? ".");
  process.stdout.write(ENTER + BEGIN + frame(columns, rows, cwd, wantsColour(process.stdout, env)) + END);
}

/** Gives the terminal back, for a message of a program that ends before its screen was there. */
export function leaveFirstFrame(): void {
  if (!takeFirstFrame()) return;
  process.stdout.write(LEAVE);
  process.stdin.setRawMode(false);
}

/** Whether the alternate screen is open; from now on the caller owns it. */
export function takeFirstFrame(): boolean {
  const was = isShown;
  isShown = false;
  process.off("exit", leaveFirstFrame);
  for (const signal of SIGNALS) process.off(signal, end);
  return was;
}

/** "ekiden 0.1.0 · ~/project" */
export const greeting = (cwd: string): string => `ekiden ${manifest.version} · ${fromHome(cwd, homedir())}`;

const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
const end = (): void => process.exit(130);

/** As `Screen` will draw it: the greeting, an empty editor above the last line. */
function frame(columns: number, rows: number, cwd: string, colour: boolean): string {
  const dim = (text: string): string => (colour ? `\x1b[2m${text}\x1b[22m` : text);
  const at = (row: number, text: string): string => `\x1b[${row};1H${text}`;
  const border = dim("─".repeat(columns));
  return [
    at(2, dim(greeting(cwd).slice(0, columns))),
    at(rows - 3, border),
    at(rows - 2, "\x1b[7m \x1b[0m"),
    at(rows - 1, border),
    at(rows, ` ${dim("starting …")}`),
    at(rows - 2, ""),
  ].join("");
}

const FLAGS = new Map(
  [...COMMON_OPTIONS, ...TEAM_OPTIONS].map(([flags]) => flags.split(" ") as [string, string | undefined]),
);

/** The options with their values; null for a command, a request for help, and words that commander will refuse. */
function conversationOptions(args: readonly string[]): Map<string, string> | null {
  const found = new Map<string, string>();
  for (let i = 0; i < args.length; i += 1) {
    const [, name = "", given] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(args[i] ?? "") ?? [];
    if (!FLAGS.has(name)) return null;
    const takesValue = FLAGS.get(name) !== undefined;
    const value = takesValue ? (given ?? args[++i]) : "";
    if (value === undefined || (!takesValue && given !== undefined)) return null;
    found.set(name, value);
  }
  return found;
}
