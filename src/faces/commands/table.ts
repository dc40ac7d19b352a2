/** The commands that the conversation has, too, as /NAME: how each is written, what it does, its options, and its file. */

import { type Entry, inGroup } from "./entry.ts";
import { HISTORY } from "./history-table.ts";
import { TASK_OPTIONS } from "./options.ts";

const WORK = inGroup("Set a team to work:", [
  {
    usage: "stop [name]",
    about: "ask a member, or everyone, to stop; after the deadline Ekiden ends them",
    example: "ekiden stop alice",
    options: [
      ["--now", "without waiting for an answer"],
      ["--reason <text>", "what to tell them"],
    ],
    near: ["kill", "halt"],
    load: () => import("./stop.ts"),
  },
  {
    usage: "member <name>",
    about: "give a teammate another role or another name",
    example: "ekiden member bob --role tester --name ben",
    options: [
      ["--role <role>", "its new role; none for no role"],
      ["--name <name>", "its new name, only while it is not at work"],
    ],
    near: ["rename", "role"],
    load: () => import("./member.ts"),
  },
  {
    usage: "spawn <name[:role][@agent]>",
    about: "add a teammate to the team at work",
    example: "ekiden spawn carol:tester@claude",
    near: ["hire", "teammate"],
    load: async () => (await import("./order.ts")).spawn,
  },
]);

const BOARD = inGroup("The board:", [
  {
    usage: "add <subject...>",
    about: "put a task on the board; prints its id",
    example: 'ekiden add "Write the release notes" --after 1,2 -d "One line per change"',
    options: [
      ...TASK_OPTIONS,
      ["--after <ids>", "tasks that must be completed first, such as 1,2", "repeat"],
      ["--role <role>", "only a teammate with this role may take it"],
      ["--plan", "a plan must be approved before anything is changed"],
      ["--review", "an independent agent judges it before it is completed"],
      ["--judges", "it is meant to change tests, or what the gate runs"],
      ["--replaces <id>", "a task that it replaces: what waits for that one then waits for it"],
    ],
    near: ["new", "create"],
    load: () => import("./board/add.ts"),
  },
  {
    usage: "edit <id>",
    about: "change a task that is not completed; its owner is told",
    example: 'ekiden edit 4 -d "Only the public API" --priority 5',
    options: [
      ...TASK_OPTIONS,
      ["--subject <text>", "its one line on the board"],
      ["--after <ids>", "the tasks it waits for, instead of the current ones; none for no task", "repeat"],
      ["--role <role>", "only a teammate with this role may take it; any for everybody"],
      ["--review <yes|no>", "whether an independent agent judges it before it is completed"],
    ],
    near: ["change", "update"],
    load: () => import("./board/edit.ts"),
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
    near: ["board", "ls", "list"],
    load: () => import("./board/tasks.ts"),
  },
  {
    usage: "retry <ids...>",
    about: "put failed or cancelled tasks back on the board",
    example: "ekiden retry 4 7",
    near: ["again"],
    load: async () => (await import("./board/override.ts")).retry,
  },
  {
    usage: "reopen <id> [words...]",
    about: "add a task that continues a completed one",
    example: 'ekiden reopen 4 "The page also needs a title"',
    near: ["continue-task", "followup"],
    load: async () => (await import("./board/override.ts")).reopen,
  },
  {
    usage: "cancel <id> [reason...]",
    about: "take a task that is not completed off the board",
    example: 'ekiden cancel 4 "no longer needed"',
    near: ["rm", "remove", "delete"],
    load: async () => (await import("./board/override.ts")).cancel,
  },
  {
    usage: "release <id>",
    about: "take a claimed task from its owner and put it back on the board",
    example: "ekiden release 4",
    load: async () => (await import("./board/override.ts")).release,
  },
  {
    usage: "take <id>",
    about: "do a task yourself: no member takes it; release gives it back",
    example: "ekiden take 4",
    near: ["claim"],
    load: async () => (await import("./board/override.ts")).take,
  },
  {
    usage: "done <id> [result...]",
    about: "complete a task by hand; its result is passed on",
    example: 'ekiden done 4 "the key is in the vault"',
    near: ["complete", "finish"],
    load: async () => (await import("./board/override.ts")).done,
  },
  {
    usage: "fail <id> [reason...]",
    about: "end a task as failed",
    example: 'ekiden fail 4 "the vendor says no"',
    load: async () => (await import("./board/override.ts")).fail,
  },
  ...HISTORY,
  {
    usage: "landings [id] [action] [place]",
    about: "what waits to land, gates and their evidence; move, drop or land one",
    example: "ekiden landings 4 move 1",
    near: ["queue", "merge", "land", "gates"],
    load: () => import("./board/landings.ts"),
  },
]);

const TEAM = inGroup("The team:", [
  {
    usage: "team",
    about: "who works on what, who is idle and why",
    example: "ekiden team --json",
    near: ["status", "ps", "who", "members"],
    load: async () => (await import("./board/look.ts")).team,
  },
  {
    usage: "inbox <name>",
    about: "a mailbox, without marking anything as read",
    example: "ekiden inbox lead",
    options: [["--limit <n>", "how many of the latest mails (default 50)"]],
    near: ["mail", "mailbox", "messages"],
    load: () => import("./board/inbox.ts"),
  },
  {
    usage: "send <name> <text...>",
    about: "mail to a teammate, the lead or all",
    example: 'ekiden send alice "Use the new API" --urgent',
    options: [["--urgent", "interrupt what the member is doing"]],
    near: ["tell", "message"],
    load: () => import("./board/send.ts"),
  },
  {
    usage: "note <text...>",
    about: "write a note that each member reads with its next task",
    example: 'ekiden note "Money is kept in cents" --kind decision --files src/money/**',
    options: [
      ["--kind <kind>", "decision (default), interface or trap"],
      ["--task <id>", "the task that it is about"],
      ["--files <paths>", "the files that it is about, such as src/api/**", "repeat"],
    ],
    near: ["remember", "tip"],
    load: async () => (await import("./board/notes.ts")).note,
  },
  {
    usage: "notes [action] [id] [text...]",
    about: "the notes for all members; edit or remove one",
    example: "ekiden notes remove n12",
    near: ["scratchpad", "decisions"],
    load: async () => (await import("./board/notes.ts")).list,
  },
  {
    usage: "plan [action] [id]",
    about: "the tasks that have not begun, in order, with estimated times; change it with up, down and begin",
    example: "ekiden plan begin",
    near: ["approve", "order"],
    load: () => import("./board/plan.ts"),
  },
  {
    usage: "requests",
    about: "questions that wait for an answer: plans, permissions, stops",
    example: "ekiden requests",
    near: ["questions", "plans", "permissions"],
    load: async () => (await import("./board/look.ts")).requests,
  },
  {
    usage: "answer <id> <answer> [text...]",
    about: "answer a plan or a permission with yes or no (a permission also with always), also for the lead",
    example: 'ekiden answer 3f2a no "keep the old API, and plan a test"',
    near: ["approve", "reject", "allow", "deny"],
    load: () => import("./board/answer.ts"),
  },
  {
    usage: "log",
    about: "the journal: what happened, in order",
    example: "ekiden log --follow --who alice",
    options: [
      ["-f, --follow", "the last 10 lines (with --json all), then new ones as they come, from any process"],
      ["-n, --lines <n>", "only the last n"],
      ["--since <seq>", "only lines after this number"],
      ["--who <name>", "only what concerns this member"],
    ],
    near: ["logs", "tail", "feed", "journal", "history", "events"],
    load: () => import("./board/log.ts"),
  },
  {
    usage: "transcript <name>",
    about: "a conversation, including the part before compaction; alice/1 is that of a subagent",
    example: "ekiden transcript alice | less",
    options: [["-f, --follow", "then print new entries as they come"]],
    near: ["show", "conversation"],
    load: () => import("./board/transcript.ts"),
  },
  {
    usage: "cost",
    about: "tokens and money, by member",
    example: "ekiden cost --json",
    near: ["costs", "usage", "tokens", "budget"],
    load: async () => (await import("./board/look.ts")).cost,
  },
  {
    usage: "context [name]",
    about: "what fills a member's context window (default: the lead's): instructions, mail, results by tool",
    example: "ekiden context alice",
    near: ["window"],
    load: async () => (await import("./board/look.ts")).context,
  },
]);

const MORE = inGroup("More:", [
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
    near: ["alarm", "schedule"],
    load: () => import("./board/cron.ts"),
  },
]);

export const SHARED: readonly Entry[] = [...WORK, ...BOARD, ...TEAM, ...MORE];

/** The other commands: their tables cannot be read here, because they load the conversation. */
export const OUTSIDE: readonly string[] = [
  "run",
  "resume",
  "forge",
  "mode",
  "model",
  "effort",
  "interrupt",
  "compact",
  "ps",
  "attach",
  "host",
  "worker",
  "mcp",
  "acp",
  "top",
  "web",
  "teams",
  "import",
  "export",
  "doctor",
  "agents",
  "trust",
  "init",
  "prune",
  "backup",
  "completion",
];
