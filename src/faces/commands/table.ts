/**
 * Every command: how it is written, what it does, its options, and its file. A new command is one entry here and one file in
 * this folder, imported when the command is chosen. With `slash` the conversation has it too, as /NAME.
 */
import { type Entry, inGroup } from "./entry.ts";
import { TASK_OPTIONS } from "./options.ts";
import { SETUP_COMMANDS } from "./setup-table.ts";
import { WORK_COMMANDS } from "./work-table.ts";

export { type Code, type Entry, GROUPS, nameOf } from "./entry.ts";

const BOARD = inGroup("The board:", [
  {
    usage: "add <subject...>",
    about: "put a task on the board; prints its id",
    example: 'ekiden add "Write the release notes" --after 1,2 -d "One line per change"',
    options: [
      ...TASK_OPTIONS,
      ["--after <ids>", "tasks that must be completed first, such as 1,2", "repeat"],
      ["--role <role>", "only a teammate of this role may take it"],
      ["--plan", "a plan must be approved before anything is changed"],
      ["--review", "an independent agent judges it before it is completed"],
      ["--replaces <id>", "a task that it takes the place of: what waits for that one waits for it"],
    ],
    slash: true,
    near: ["new", "create"],
    load: () => import("./add.ts"),
  },
  {
    usage: "edit <id>",
    about: "change a task that is not completed; its owner is told",
    example: 'ekiden edit 4 -d "Only the public API" --priority 5',
    options: [
      ...TASK_OPTIONS,
      ["--subject <text>", "its one line on the board"],
      ["--after <ids>", "the tasks it waits for, instead of the present ones; none for no task", "repeat"],
      ["--role <role>", "only a teammate of this role may take it; any for everybody"],
      ["--review <yes|no>", "whether an independent agent judges it before it is completed"],
    ],
    slash: true,
    near: ["change", "update"],
    load: () => import("./edit.ts"),
  },
  {
    usage: "tasks [id]",
    about: "the board, or one task with its history",
    example: "ekiden tasks 3",
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
    slash: true,
    near: ["again", "redo"],
    load: async () => (await import("./override.ts")).retry,
  },
  {
    usage: "reopen <id> [words...]",
    about: "add a task that goes on with a completed one",
    example: 'ekiden reopen 4 "The page also needs a title"',
    slash: true,
    near: ["continue-task", "followup"],
    load: async () => (await import("./override.ts")).reopen,
  },
  {
    usage: "cancel <id> [reason...]",
    about: "take a task that is not completed off the board",
    example: 'ekiden cancel 4 "no longer needed"',
    slash: true,
    near: ["rm", "remove", "delete"],
    load: async () => (await import("./override.ts")).cancel,
  },
  {
    usage: "release <id>",
    about: "take a claimed task from its owner and put it back on the board",
    example: "ekiden release 4",
    slash: true,
    load: async () => (await import("./override.ts")).release,
  },
  {
    usage: "take <id>",
    about: "do a task yourself: no member takes it; release gives it back",
    example: "ekiden take 4",
    slash: true,
    near: ["claim"],
    load: async () => (await import("./override.ts")).take,
  },
  {
    usage: "done <id> [result...]",
    about: "complete a task by hand; its result is passed on",
    example: 'ekiden done 4 "the key is in the vault"',
    slash: true,
    near: ["complete", "finish"],
    load: async () => (await import("./override.ts")).done,
  },
  {
    usage: "fail <id> [reason...]",
    about: "end a task as failed",
    example: 'ekiden fail 4 "the vendor says no"',
    slash: true,
    load: async () => (await import("./override.ts")).fail,
  },
  {
    usage: "landings [id] [action] [place]",
    about: "what waits to land, gates and their evidence; move, drop or land one",
    example: "ekiden landings 4 move 1",
    slash: true,
    near: ["queue", "merge", "land", "gates"],
    load: () => import("./landings.ts"),
  },
]);

const TEAM = inGroup("The team:", [
  {
    usage: "team",
    about: "who works on what, who is idle and why",
    example: "ekiden team --json",
    slash: true,
    near: ["status", "ps", "who", "members"],
    load: async () => (await import("./look.ts")).team,
  },
  {
    usage: "top",
    about: "team, board and feed on the whole terminal, whichever process runs the team; changes nothing",
    example: "ekiden top --team backend",
    near: ["watch", "monitor", "htop", "live"],
    load: () => import("./top.ts"),
  },
  {
    usage: "inbox <name>",
    about: "a mailbox, without marking anything as read",
    example: "ekiden inbox lead",
    options: [["--limit <n>", "how many of the latest mails (default 50)"]],
    slash: true,
    near: ["mail", "mailbox", "messages"],
    load: () => import("./inbox.ts"),
  },
  {
    usage: "send <name> <text...>",
    about: "mail to a teammate, the lead or all",
    example: 'ekiden send alice "Use the new API" --urgent',
    options: [["--urgent", "interrupt what the member is doing"]],
    slash: true,
    near: ["tell", "message"],
    load: () => import("./send.ts"),
  },
  {
    usage: "requests",
    about: "questions that wait for an answer: plans, permissions, stops",
    example: "ekiden requests",
    slash: true,
    near: ["questions", "plans", "permissions"],
    load: async () => (await import("./look.ts")).requests,
  },
  {
    usage: "answer <id> <answer> [text...]",
    about: "answer a plan with yes or no, a permission also with always; also in place of the lead",
    example: 'ekiden answer 3f2a no "keep the old API, and plan a test"',
    slash: true,
    near: ["approve", "reject", "allow", "deny"],
    load: () => import("./answer.ts"),
  },
  {
    usage: "log",
    about: "the journal: what happened, in order",
    example: "ekiden log --follow --who alice",
    options: [
      ["-f, --follow", "the last 10 lines, or with --json all, and what happens next, in whatever process"],
      ["-n, --lines <n>", "only the last n"],
      ["--since <seq>", "only what happened after this number"],
      ["--who <name>", "only what concerns this member"],
    ],
    slash: true,
    near: ["logs", "tail", "feed", "journal", "history", "events"],
    load: () => import("./log.ts"),
  },
  {
    usage: "transcript <name>",
    about: "a conversation, also the part before compaction; a subagent's as alice/1",
    example: "ekiden transcript alice | less",
    options: [["-f, --follow", "go on with what is said next"]],
    slash: true,
    near: ["show", "conversation"],
    load: () => import("./transcript.ts"),
  },
  {
    usage: "cost",
    about: "tokens and money, by member",
    example: "ekiden cost --json",
    slash: true,
    near: ["costs", "usage", "tokens", "budget"],
    load: async () => (await import("./look.ts")).cost,
  },
  {
    usage: "web",
    about: "a page in the browser for all teams of the store: start, watch, steer, replay",
    example: "ekiden web --port 8080",
    options: [
      ["--port <n>", "0 for any free one (default 7411, or any free one when that is taken)"],
      ["--host <address>", "where to listen (default 127.0.0.1); others need a --token"],
      ["--token <text>", "what the address must hold, at least 16 characters (default: one of this project)"],
      ["--origin <address>", "where browsers find the page behind a proxy, such as https://host/base"],
      ["--read-only", "for looking: nothing can be changed"],
      ["--export <file>", "write the team's run as one HTML file that replays without a server"],
    ],
    near: ["page", "serve", "dashboard", "ui", "gui", "open"],
    load: () => import("./web.ts"),
  },
]);

const MORE = inGroup("More:", [
  {
    usage: "teams [action] [name]",
    about: "the teams of the store; create or delete one",
    example: "ekiden teams delete old-team",
    options: [["--force", "delete it with unfinished work and members that have not stopped"]],
    load: () => import("./teams.ts"),
  },
  {
    usage: "cron [action] [args...]",
    about: "cron jobs: list them, add one (mail or a task at given times), cancel one",
    example: 'ekiden cron add "0 9 * * mon-fri" "Look at the build" --to lead',
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
    options: [
      ["--force", "replace an earlier export"],
      ["--follow", "write the files again at each change of the board, without ekiden.json, until Ctrl-C"],
    ],
    near: ["backup", "dump", "save", "sync", "mirror", "watch"],
    load: () => import("./export.ts"),
  },
]);

export const COMMANDS: readonly Entry[] = [...WORK_COMMANDS, ...BOARD, ...TEAM, ...MORE, ...SETUP_COMMANDS];
