/** The input of every command: the settings, the project's folder, and the streams for results and for progress. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { recruits } from "../../core/board/recruit.ts";
import { badInput } from "../../core/errors.ts";
import { type Name, quote, renaming } from "../../core/ids.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { jsonLine } from "../../core/text/hidden.ts";
import type { View } from "../../core/views/view.ts";
import type { Store } from "../../ports/index.ts";
import { forkFolder, originalOf } from "../../project/fork-folder.ts";
import { refuseInSandbox } from "../../project/member-shell.ts";
import type { Flags, Loaded } from "../../project/settings.ts";
import type { ProjectTrust } from "../../project/trust/weigh.ts";
import type { Done } from "../../team/actions/done.ts";
import { clean, type Terminal, terminal } from "./terminal.ts";
import type { TrustNeed } from "./trust-question.ts";

/** The options that are settings, but for the teammates. */
const FLAGS = [
  ...(["store", "team", "model", "lead", "effort", "baseUrl", "maxTurns", "budgetTokens"] as const),
  ...([
    "budgetUsd",
    "deadline",
    "permissionMode",
    "allow",
    "ask",
    "deny",
    "worktrees",
    "planFirst",
    "sandbox",
  ] as const),
];

/** The options that every command takes, as commander hands them over. */
export type CommonOptions = Pick<Flags, (typeof FLAGS)[number]> & {
  readonly cwd?: string;
  readonly teammates?: string;
  readonly teammate?: string[];
  readonly trust?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly plain?: boolean;
  readonly verbose?: boolean;
};

export type Invocation = {
  /**
   * Read when first asked for: `init` and `doctor` must work with broken ones. Settings of the project are left out where the
   * person has not agreed to them; the person is asked here. @throws EkidenError `settings_invalid` | `not_trusted`
   */
  settings(): Promise<Settings>;
  /** The project's items that need trust, and whether the person agreed to them. @throws as `settings` */
  trust(): Promise<ProjectTrust>;
  readonly flags: Flags;
  /** Absolute, without symlinks. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly json: boolean;
  readonly quiet: boolean;
  /** Lines instead of the full screen. */
  readonly plain: boolean;
  readonly verbose: boolean;
  /** The words of the command line without its command, where those are not all words of this process. */
  readonly words?: readonly string[];
  /** Results. */
  readonly out: Terminal;
  /** Progress and chatter. */
  readonly err: Terminal;
  /** A full screen gives the terminal back while the person is asked about trust, and shows what is said meanwhile. */
  readonly onScreen: (screen: FullScreen) => void;
  /** A team that is open already: that of the conversation. */
  readonly store?: Store;
  /** Shows the result of a query: the data with `--json`, its views without. */
  show<T>(data: T, views: (data: T) => readonly View[]): Promise<void>;
  /** Shows the result of an action: its data with `--json`, its sentence without. */
  done(done: Done): void;
  /** A sentence for the person; nothing with `--quiet` or `--json`. */
  say(text: string): void;
};

export type FullScreen = {
  leave(): Promise<void>;
  enter(): void;
  say(text: string): void;
};

/** `need`: the part of the project for which the command needs the person's word. */
export function prepare(
  options: CommonOptions,
  need: TrustNeed = "store",
  env: NodeJS.ProcessEnv = process.env,
): Invocation {
  const cwd = folder(options.cwd ?? ".", options.team);
  const out = terminal(process.stdout, env);
  const err = terminal(process.stderr, env);
  const json = options.json === true;
  const quiet = options.quiet === true;
  const flags = flagsOf(options);
  let loading: Promise<Loaded> | undefined;
  let screen: FullScreen | undefined;
  const loaded = (): Promise<Loaded> => {
    loading ??= load().then((found) => settledSandbox(found, need === "all" && !json, cwd, err, screen));
    return loading;
  };
  const load = async (): Promise<Loaded> => {
    refuseInSandbox(cwd, env);
    const { loadSettings } = await import("../../project/settings.ts");
    const trusted = options.trust === true || /^(1|true|yes)$/i.test(env.EKIDEN_TRUST ?? "");
    const read = (all: boolean): Promise<Loaded> => loadSettings({ cwd, env, flags }, { trusted: all });
    const found = await read(trusted);
    for (const text of renamed(flags, found.settings)) (screen?.say ?? say)(text);
    const { waiting, refused } = found.trust;
    if (need === "nothing" || waiting.length + refused.length === 0) return found;
    const { settleTrust } = await import("./trust-question.ts");
    await screen?.leave();
    const isSettled = await settleTrust(found.trust, { need, json, err, say });
    screen?.enter();
    return isSettled ? await read(false) : found;
  };
  const say = (text: string): void => {
    if (!quiet && !json) err.write(`${clean(text)}\n`);
  };
  return {
    settings: async () => (await loaded()).settings,
    trust: async () => (await loaded()).trust,
    onScreen: (opened) => {
      screen = opened;
    },
    flags,
    cwd,
    env,
    json,
    quiet,
    plain: options.plain === true,
    verbose: options.verbose === true,
    out,
    err,
    show: async (data, views) => {
      if (json) return out.write(jsonLine(data));
      const { print } = await import("./print.ts");
      print(out, views(data));
    },
    done: ({ data, text }) => (json ? out.write(jsonLine(data)) : say(text)),
    say,
  };
}

async function settledSandbox(
  found: Loaded,
  mayAsk: boolean,
  cwd: string,
  err: Terminal,
  screen: FullScreen | undefined,
): Promise<Loaded> {
  const isTerminal = process.stdin.isTTY === true && err.isTTY;
  if (!mayAsk || !isTerminal || found.settings.sandbox !== "auto") return found;
  const { settleSandbox } = await import("./sandbox-question.ts");
  return { ...found, settings: await settleSandbox(cwd, found.settings, err, screen) };
}

/** One sentence for each name on the command line that is written otherwise than the name it stands for. */
function renamed({ team, teammates }: Flags, loaded: Settings): string[] {
  const named = Array.isArray(teammates) ? teammates.map((text) => String(text).split(/[:@]/)[0] ?? "") : [];
  return [
    renaming(typeof team === "string" ? team : loaded.team, loaded.team),
    ...named.map((text, i) => renaming(text.trim(), loaded.teammates?.[i]?.name ?? (text as Name))),
  ].flatMap((text) => text.trim() || []);
}

/** That of a fork is its own, and in it every other team has that of the original. */
function folder(path: string, team: CommonOptions["team"]): string {
  const whole = resolve(path);
  if (!existsSync(whole) || !statSync(whole).isDirectory())
    throw badInput(`--cwd ${quote(path)} is not a folder. Give the folder of the project.`);
  const project = realpathSync(whole);
  return typeof team === "string" ? (forkFolder(project, team) ?? originalOf(project)) : project;
}

function flagsOf(options: CommonOptions): Flags {
  const given = FLAGS.map((key) => [key, options[key]] as const);
  const all = [...given, ["teammates", matesOf(options)] as const];
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** With both options, the number is that of the teammates beside the named ones, and they take the names that are free. */
function matesOf({ teammates, teammate }: CommonOptions): string | string[] | undefined {
  if (teammates !== undefined) checkCount(teammates);
  if (teammate === undefined || teammates === undefined) return teammate ?? teammates;
  const named = new Set(teammate.map((text) => (text.split(/[:@]/)[0] ?? "").trim().toLowerCase()));
  const free = recruits(Number(teammates) + named.size).filter(({ name }) => !named.has(name));
  return [...free.slice(0, Number(teammates)).map(({ name }) => name), ...teammate];
}

/** More teammates than this cost more than they do: each has its own conversation. */
const TEAMMATES_MAX = 100;

function checkCount(text: string): void {
  if (/^\d{1,3}$/.test(text) && Number(text) <= TEAMMATES_MAX) return;
  const names = /^[a-z]/i.test(text) ? ` For teammates by name: --teammate ${text.split(",")[0]}` : "";
  throw badInput(`--teammates ${quote(text)} is not a number from 0 to ${TEAMMATES_MAX}.${names}`);
}

/** @throws EkidenError `bad_input` naming the option */
export function wholeNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw badInput(`${option} ${quote(text)} is not a number of 1 or more.`);
}

/** Follows something until Ctrl-C (or TERM); the exit code is that of an interruption. @throws EkidenError `bad_input` in a conversation, which shows the news anyway */
export async function followUntilInterrupted(
  call: Invocation,
  read: (signal: AbortSignal) => Promise<void>,
): Promise<number> {
  if (call.store) throw badInput("use --follow in another terminal: this one already shows new events.");
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    await read(stop.signal);
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
  }
  return 130;
}
