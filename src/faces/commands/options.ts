/** The options that commands share, as commander writes them. */
import { MODES } from "../../core/permission/mode.ts";
import type { TrustNeed } from "../kit/trust-question.ts";

export type OptionRow = readonly [flags: string, about: string, repeat?: "repeat"];

/** Every command takes these. */
export const COMMON_OPTIONS: readonly OptionRow[] = [
  ["--cwd <dir>", "folder of the project (default: this one)"],
  ["--store <url>", "sqlite:PATH or postgres://… (default sqlite:.ekiden/team.db)"],
  ["--team <name>", 'which team of the store (default "default")'],
  ["--json", "print JSON: one object, or one a line where it streams"],
  ["--quiet", "results only, no progress"],
  ["--plain", "lines instead of the full screen, for example for a screen reader"],
  ["--trust", "use what the project brings (hooks, MCP servers, rules …), this once"],
  ["--verbose", "more detail; stacks of errors"],
];

/** Options for the work of a team: for the commands that host one, and before any other command, so that an alias may hold them. */
export const TEAM_OPTIONS: readonly OptionRow[] = [
  ["--model <spec>", "provider/model, such as anthropic/claude-sonnet-5-5, or an agent program: claude"],
  ["--lead <spec>", "model or agent program of the lead, where it differs"],
  ["--effort <level>", "how hard models think: none, minimal, low, medium, high, xhigh or max"],
  ["--base-url <url>", "address of an openai-compatible provider"],
  ["--teammates <n>", "how many teammates to start with"],
  [
    "--teammate <name[:role][@agent]>",
    "a teammate to start with; @claude or @acp:COMMAND: an agent program is its model",
    "repeat",
  ],
  ["--max-turns <n>", "stop after this many model calls of the whole team"],
  ["--budget-tokens <n>", "stop after this many tokens"],
  ["--budget-usd <x>", "stop after this many US dollars, or none (default 20 for a run)"],
  ["--deadline <time>", "stop at this time of day (18:30) or after this long (2h30m)"],
  ["--permission-mode <mode>", MODES.join(", ")],
  ["--allow <rule>", "allow calls without asking", "repeat"],
  ["--ask <rule>", "always ask about calls", "repeat"],
  ["--deny <rule>", "refuse calls", "repeat"],
  ["--sandbox <mode>", "required, auto, off: whether commands are confined"],
  [
    "--plan-first",
    "show the board of a goal before any task begins (default: on a terminal, from six tasks)",
  ],
  ["--no-plan-first", "begin at once, without showing the board"],
  ["--worktrees", "give every task its own clone of the repository"],
  ["--no-worktrees", "one folder for all"],
];
/** The commands that host a team, or report on how one would be hosted; `talk` is ekiden without a command. */
export const HOSTS: ReadonlySet<string> = new Set([
  ...["run", "resume", "forge", "worker", "mcp", "acp", "doctor"],
  ...["talk", "attach", "host"],
]);

/** The part of the project for which a command needs the person's word. */
export const trustNeedOf = (command: string): TrustNeed =>
  ["doctor", "trust", "attach", "host", "completion"].includes(command)
    ? "nothing"
    : HOSTS.has(command)
      ? "all"
      : "store";

/** `ekiden add` and `ekiden edit` share these. */
export const TASK_OPTIONS: readonly OptionRow[] = [
  ["-d, --description <text>", "what to do, in full"],
  ["--priority <n>", "higher goes first (default 0)"],
  ["--estimate <n>", "estimated work; only ratios matter (default 1)"],
  ["--touches <patterns>", "files it will edit; tasks for the same files take turns", "repeat"],
  ["--check <command>", "the command that proves it: it must pass before the task is completed"],
  ["--assign <name>", "the only teammate that may claim it; with edit also: any"],
];

export const WORKER_OPTIONS: readonly OptionRow[] = [
  ["--count <n>", "how many members it runs (default 1)"],
  ["--as <name>", "name of its member; several are numbered (default worker-1, worker-2, …)"],
  ["--role <role>", "role of its members"],
  ["--health <port>", "answer /livez and /readyz over HTTP"],
  ["--with-run", "leave when the current run has ended, instead of waiting for the next one"],
  ["--drain <seconds>", "how long tasks in progress may take after the request to leave (default 25)"],
];

export const WEB: OptionRow = [
  "--web",
  "also serve the page while the run lasts; permission questions wait for an answer there",
];

export const DETACH: OptionRow = [
  "--detach",
  "run in a separate process and return at once; questions wait for an answer",
];
