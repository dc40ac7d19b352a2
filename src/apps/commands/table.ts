/**
 * Every command: how it is written, what it does, its options, and its file. A new command is one entry here and one file in
 * this folder, imported when the command is chosen. With `slash` the conversation has it too, as /NAME.
 */
import type { Invocation } from "../invocation.ts";
import { type OptionRow, TASK_OPTIONS } from "./options.ts";

/** A command's code. It returns the exit code, if that is not 0. */
export type Code = {
  run(call: Invocation, args: readonly string[], options: never): Promise<number | undefined>;
};
export type Entry = {
  /** Name and arguments, as commander writes them. */
  readonly usage: string;
  readonly about: string;
  readonly example: string;
  /** The heading in the help. */
  readonly group: (typeof GROUPS)[number];
  readonly options?: readonly OptionRow[];
  readonly slash?: true;
  /** Other words for it, for "Did you mean …?". */
  readonly near?: readonly string[];
  readonly load: () => Promise<Code>;
};

export const GROUPS = ["Set a team to work:", "The board:", "The team:", "More:"] as const;
const [WORK, BOARD, TEAM, MORE] = GROUPS;

const WEB: OptionRow = [
  "--web",
  "serve the page too, as long as the run lasts; permission questions wait for an answer there",
];

export const COMMANDS: readonly Entry[] = [
  {
    usage: "run <goal...>",
    about: "let a team work on a goal (- reads it from stdin) or on the tasks of a runbook (FILE.md)",
    example: 'ekiden run "Find out why the tests are slow and make them fast" --teammates 3',
    group: WORK,
    options: [["--fresh", "start a runbook anew that was run before, instead of going on with it"], WEB],
    load: () => import("./run.ts"),
  },
  {
    usage: "resume",
    about: "bring a stopped, interrupted or crashed team back to where it was",
    example: "ekiden resume --budget-usd 5",
    group: WORK,
    options: [WEB],
    load: () => import("./resume.ts"),
  },
  {
    usage: "stop [name]",
    about: "ask a member, or everyone, to stop; ends it at the deadline",
    example: "ekiden stop alice",
    group: WORK,
    options: [
      ["--now", "without waiting for an answer"],
      ["--reason <text>", "what to tell them"],
    ],
    slash: true,
    near: ["kill", "halt"],
    load: () => import("./stop.ts"),
  },
  {
    usage: "add <subject...>",
    about: "put a task on the board; prints its id",
    example: 'ekiden add "Write the release notes" --after 1,2 -d "One line per change"',
    group: BOARD,
    options: [
      ...TASK_OPTIONS,
      ["--after <ids>", "tasks that must be completed first, such as 1,2", "repeat"],
      ["--role <role>", "only a teammate of this role may take it"],
      ["--plan", "a plan must be approved before anything is changed"],
    ],
    slash: true,
    near: ["new", "create"],
    load: () => import("./add.ts"),
  },
  {
    usage: "edit <id>",
    about: "change a task that is not completed; its owner is told",
    example: 'ekiden edit 4 -d "Only the public API" --priority 5',
    group: BOARD,
    options: [
      ...TASK_OPTIONS,
      ["--subject <text>", "its one line on the board"],
      ["--after <ids>", "the tasks it waits for, instead of the present ones; none for no task", "repeat"],
      ["--role <role>", "only a teammate of this role may take it; any for everybody"],
    ],
    slash: true,
    near: ["change", "update"],
    load: () => import("./edit.ts"),
  },
  {
    usage: "tasks [id]",
    about: "the board, or one task with its history",
    example: "ekiden tasks 3",
    group: BOARD,
    options: [
      [
        "--status <status>",
        "only tasks that are pending, ready, in_progress, completed, failed or cancelled",
      ],
      ["--owner <name>", "only tasks of this member"],
    ],
    slash: true,
    near: ["board", "ls", "list"],
    load: () => import("./tasks.ts"),
  },
  {
    usage: "retry <id>",
    about: "put a failed or cancelled task back on the board",
    example: "ekiden retry 4",
    group: BOARD,
    slash: true,
    load: async () => (await import("./override.ts")).retry,
  },
  {
    usage: "cancel <id> [reason...]",
    about: "take a task that is not completed off the board",
    example: 'ekiden cancel 4 "no longer needed"',
    group: BOARD,
    slash: true,
    near: ["rm", "remove", "delete"],
    load: async () => (await import("./override.ts")).cancel,
  },
  {
    usage: "release <id>",
    about: "take a claimed task from its owner and put it back on the board",
    example: "ekiden release 4",
    group: BOARD,
    slash: true,
    load: async () => (await import("./override.ts")).release,
  },
  {
    usage: "team",
    about: "who works on what, who is idle and why",
    example: "ekiden team --json",
    group: TEAM,
    slash: true,
    near: ["top", "status", "ps", "who", "members"],
    load: () => import("./team.ts"),
  },
  {
    usage: "inbox <name>",
    about: "a mailbox, without marking anything as read",
    example: "ekiden inbox lead",
    group: TEAM,
    options: [["--limit <n>", "how many of the latest mails (default 50)"]],
    slash: true,
    near: ["mail"],
    load: () => import("./inbox.ts"),
  },
  {
    usage: "send <name> <text...>",
    about: "mail to a teammate, the lead or all",
    example: 'ekiden send alice "Use the new API" --urgent',
    group: TEAM,
    options: [["--urgent", "interrupt what the member is doing"]],
    slash: true,
    near: ["tell", "message"],
    load: () => import("./send.ts"),
  },
  {
    usage: "requests",
    about: "questions that wait for an answer: plans, permissions, stops",
    example: "ekiden requests",
    group: TEAM,
    slash: true,
    near: ["questions", "plans", "permissions"],
    load: () => import("./requests.ts"),
  },
  {
    usage: "answer <id> <answer> [text...]",
    about: "answer a plan with yes or no, a permission also with always; also in place of the lead",
    example: 'ekiden answer 3f2a no "keep the old API, and plan a test"',
    group: TEAM,
    slash: true,
    near: ["approve", "reject", "allow", "deny"],
    load: () => import("./answer.ts"),
  },
  {
    usage: "log",
    about: "the journal: what happened, in order",
    example: "ekiden log --follow --who alice",
    group: TEAM,
    options: [
      ["-f, --follow", "go on with what happens next, in whatever process"],
      ["-n, --lines <n>", "only the last n"],
      ["--since <seq>", "only what happened after this number"],
      ["--who <name>", "only what concerns this member"],
    ],
    slash: true,
    near: ["journal", "history", "events"],
    load: () => import("./log.ts"),
  },
  {
    usage: "transcript <name>",
    about: "a conversation, also the part before compaction; a subagent's as alice/1",
    example: "ekiden transcript alice | less",
    group: TEAM,
    options: [["-f, --follow", "go on with what is said next"]],
    slash: true,
    near: ["show", "conversation"],
    load: () => import("./transcript.ts"),
  },
  {
    usage: "cost",
    about: "tokens and money, by member",
    example: "ekiden cost --json",
    group: TEAM,
    slash: true,
    near: ["costs", "usage"],
    load: () => import("./cost.ts"),
  },
  {
    usage: "teams [action] [name]",
    about: "the teams of the store; create or delete one",
    example: "ekiden teams delete old-team",
    group: MORE,
    options: [["--force", "delete it with unfinished work and members that have not stopped"]],
    load: () => import("./teams.ts"),
  },
  {
    usage: "cron [action] [args...]",
    about: "cron jobs: list them, add one (mail or a task at given times), cancel one",
    example: 'ekiden cron add "0 9 * * mon-fri" "Look at the build" --to lead',
    group: MORE,
    options: [
      ["--to <name>", "who gets the mail (default lead)"],
      ["--task", "the text becomes a task on the board instead"],
      ["--once", "only the first time"],
      ["--zone <name>", "time zone of the times, such as Europe/Berlin (default: this machine's)"],
    ],
    slash: true,
    near: ["alarm", "schedule"],
    load: () => import("./cron.ts"),
  },
  {
    usage: "import <path>",
    about:
      "read a board, a team and mailboxes from files (.tasks, .team, .mailboxes, a task folder, our own JSON)",
    example: "ekiden import ./old-project",
    group: MORE,
    options: [
      ["--dry-run", "show what would be imported, and write nothing"],
      ["--again", "import it although it was imported before"],
    ],
    load: () => import("./import.ts"),
  },
  {
    usage: "export <dir>",
    about: "write the team as files, in the same layouts and whole as JSON",
    example: "ekiden export ./backup",
    group: MORE,
    options: [["--force", "replace an earlier export"]],
    load: () => import("./export.ts"),
  },
  {
    usage: "web",
    about: "a page in the browser for all teams of the store: watch, replay, steer",
    example: "ekiden web --port 8080",
    group: TEAM,
    options: [
      ["--port <n>", "0 for any free one (default 7411, or any free one when that is taken)"],
      ["--host <address>", "where to listen (default 127.0.0.1); others need a --token"],
      ["--token <text>", "what the address must hold, at least 16 characters (default: random)"],
      ["--read-only", "for looking: nothing can be changed"],
      ["--export <file>", "write the team's run as one HTML file that replays without a server"],
    ],
    near: ["page", "serve", "dashboard", "ui"],
    load: () => import("./web.ts"),
  },
  {
    usage: "doctor",
    about: "what is installed, which models answer (one word each), what is wrong and how to fix it",
    example: "ekiden doctor",
    group: MORE,
    near: ["check"],
    load: () => import("./doctor.ts"),
  },
  {
    usage: "init",
    about: "write a commented settings file",
    example: "ekiden init",
    group: MORE,
    options: [["--force", "overwrite one that exists"]],
    near: ["config", "settings"],
    load: () => import("./init.ts"),
  },
  {
    usage: "completion <shell>",
    about: "completion of commands and options for bash, zsh or fish",
    example: "source <(ekiden completion bash)",
    group: MORE,
    load: () => import("./completion.ts"),
  },
];

export const nameOf = ({ usage }: Entry): string => usage.split(" ")[0] as string;
