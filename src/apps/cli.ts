/**
 * The command line: which commands and options there are. What a command does stands in `commands/`, one file each, and is
 * imported when the command is chosen. A new command = one entry in `COMMANDS` and its file.
 */
import { Command, type CommanderError, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { EkidenError } from "../core/errors.ts";
import { quote } from "../core/ids.ts";
import { didYouMean } from "../core/nearest.ts";
import { MODES } from "../core/permission/mode.ts";
import { handleClosedOutput, reportFailure } from "./failure.ts";
import { helpConfiguration, OF_A_TEAM } from "./help.ts";
import { type CommonOptions, type Invocation, prepare } from "./invocation.ts";

/** A command's code. It returns the exit code, if that is not 0. */
type Code = { run(call: Invocation, args: readonly string[], options: never): Promise<number | undefined> };
type Entry = {
  /** Name and arguments, as commander writes them. */
  readonly usage: string;
  readonly about: string;
  readonly example: string;
  readonly options?: readonly (readonly [flags: string, about: string, repeat?: true])[];
  readonly load: () => Promise<Code>;
};

const GROUPS: readonly (readonly [heading: string, commands: readonly string[]])[] = [
  ["Set a team to work:", ["run", "resume", "stop"]],
  ["The board:", ["add", "tasks", "retry", "cancel", "release"]],
  ["The team:", ["team", "inbox", "send", "requests", "answer", "log", "transcript"]],
];
/** Of all others. */
const MORE = "More:";

const COMMANDS: readonly Entry[] = [
  {
    usage: "run <goal...>",
    about: "let a team work on a goal, or on the tasks of a runbook (FILE.md), until the board is done",
    example: 'ekiden run "Find out why the tests are slow and make them fast" --teammates 3',
    load: () => import("./commands/run.ts"),
  },
  {
    usage: "resume",
    about: "bring a stopped, interrupted or crashed team back to where it was",
    example: "ekiden resume --budget-usd 5",
    load: () => import("./commands/resume.ts"),
  },
  {
    usage: "add <subject...>",
    about: "put a task on the board; prints its id",
    example: 'ekiden add "Write the release notes" --after 1,2 -d "One line per change"',
    options: [
      ["-d, --description <text>", "what is to be done, in full"],
      ["--after <ids>", "tasks that must be completed first, such as 1,2", true],
      ["--priority <n>", "higher goes first (default 0)"],
      ["--estimate <n>", "estimated work; only ratios matter (default 1)"],
      ["--role <role>", "only a teammate of this role may take it"],
      ["--plan", "a plan must be approved before anything is changed"],
      ["--touches <patterns>", "files it will edit; tasks for the same files take turns", true],
    ],
    load: () => import("./commands/add.ts"),
  },
  {
    usage: "tasks [id]",
    about: "the board, or one task with its history",
    example: "ekiden tasks 3",
    load: () => import("./commands/tasks.ts"),
  },
  {
    usage: "team",
    about: "who works on what, who is idle and why",
    example: "ekiden team --json",
    load: () => import("./commands/team.ts"),
  },
  {
    usage: "teams [action] [name]",
    about: "the teams of the store; create or delete one",
    example: "ekiden teams delete old-team",
    options: [["--force", "delete it with unfinished work and members that have not stopped"]],
    load: () => import("./commands/teams.ts"),
  },
  {
    usage: "inbox <name>",
    about: "a mailbox, without consuming it",
    example: "ekiden inbox lead",
    options: [["--limit <n>", "how many of the latest mails (default 50)"]],
    load: () => import("./commands/inbox.ts"),
  },
  {
    usage: "send <name> <text...>",
    about: "mail to a teammate, the lead or all",
    example: 'ekiden send alice "Use the new API" --urgent',
    options: [["--urgent", "interrupt what the member is doing"]],
    load: () => import("./commands/send.ts"),
  },
  {
    usage: "requests",
    about: "questions that wait for an answer: plans, permissions, stops",
    example: "ekiden requests",
    load: () => import("./commands/requests.ts"),
  },
  {
    usage: "answer <id> <answer> [text...]",
    about: "answer a plan with yes or no, a permission also with always; also in the lead's place",
    example: 'ekiden answer 3f2a no "keep the old API, and plan a test"',
    load: () => import("./commands/answer.ts"),
  },
  {
    usage: "log",
    about: "the journal: what happened, in order",
    example: "ekiden log --follow --who alice",
    options: [
      ["-f, --follow", "go on with what happens next, in whatever process"],
      ["--since <seq>", "only what happened after this number"],
      ["--who <name>", "only what concerns this member"],
    ],
    load: () => import("./commands/log.ts"),
  },
  {
    usage: "cron [action] [args...]",
    about: "alarms: list them, add one (mail or a task at given times), cancel one",
    example: 'ekiden cron add "0 9 * * mon-fri" "Look at the build" --to lead',
    options: [
      ["--to <name>", "who gets the mail (default lead)"],
      ["--task", "the text becomes a task on the board instead"],
      ["--once", "only the first time"],
      ["--zone <name>", "time zone of the times, such as Europe/Berlin (default: this machine's)"],
    ],
    load: () => import("./commands/cron.ts"),
  },
  {
    usage: "transcript <name>",
    about: "a conversation, also the part before compaction; a subagent's as alice/1",
    example: "ekiden transcript alice | less",
    load: () => import("./commands/transcript.ts"),
  },
  {
    usage: "retry <id>",
    about: "put a failed or cancelled task back on the board",
    example: "ekiden retry 4",
    load: async () => (await import("./commands/override.ts")).retry,
  },
  {
    usage: "cancel <id> [reason...]",
    about: "take an unfinished task off the board",
    example: 'ekiden cancel 4 "no longer needed"',
    load: async () => (await import("./commands/override.ts")).cancel,
  },
  {
    usage: "release <id>",
    about: "take a claimed task from its owner and put it back on the board",
    example: "ekiden release 4",
    load: async () => (await import("./commands/override.ts")).release,
  },
  {
    usage: "stop [name]",
    about: "ask a member, or everyone, to stop; ends it at the deadline",
    example: "ekiden stop alice",
    options: [
      ["--now", "without waiting for an answer"],
      ["--reason <text>", "what to tell them"],
    ],
    load: () => import("./commands/stop.ts"),
  },
  {
    usage: "import <path>",
    about:
      "read a board, a team and mailboxes from files (.tasks, .team, .mailboxes, a task folder, our own JSON)",
    example: "ekiden import ./old-project",
    load: () => import("./commands/import.ts"),
  },
  {
    usage: "export <dir>",
    about: "write the team as files, in the same layouts and whole as JSON",
    example: "ekiden export ./backup",
    options: [["--force", "replace an earlier export"]],
    load: () => import("./commands/export.ts"),
  },
  {
    usage: "doctor",
    about: "what is installed, which models are reachable, what is wrong and how to mend it",
    example: "ekiden doctor",
    load: () => import("./commands/doctor.ts"),
  },
  {
    usage: "init",
    about: "write a commented settings file",
    example: "ekiden init",
    options: [["--force", "overwrite one that exists"]],
    load: () => import("./commands/init.ts"),
  },
];

const NAMES = [...COMMANDS.map((entry) => entry.usage.split(" ")[0] as string), "help"];

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

function addCommonOptions(program: Command): void {
  const ofTeam = (flags: string, about: string): Option => new Option(flags, about).helpGroup(OF_A_TEAM);
  const repeat = (flags: string, about: string): Option =>
    ofTeam(flags, `${about} (repeatable)`).argParser(collect);
  program
    .option("--cwd <dir>", "folder of the project (default: this one)")
    .option("--store <url>", "sqlite:PATH or postgres://… (default sqlite:.ekiden/team.db)")
    .option("--team <name>", 'which team of the store (default "default")')
    .option("--json", "print JSON: one object, or one a line where it streams")
    .option("--quiet", "results only, no progress")
    .option("--verbose", "more detail; stacks of errors")
    .addOption(ofTeam("--model <spec>", "provider/model, such as anthropic/claude-sonnet-5-5"))
    .addOption(ofTeam("--lead-model <spec>", "model of the lead, where it differs"))
    .addOption(ofTeam("--base-url <url>", "address of an openai-compatible provider"))
    .addOption(ofTeam("--teammates <n>", "how many teammates to start with"))
    .addOption(repeat("--teammate <name[:role]>", "a teammate to start with"))
    .addOption(ofTeam("--max-turns <n>", "stop after this many model calls of the whole team"))
    .addOption(ofTeam("--budget-tokens <n>", "stop after this many tokens"))
    .addOption(ofTeam("--budget-usd <x>", "stop after this many US dollars"))
    .addOption(ofTeam("--permission-mode <mode>", MODES.join(", ")))
    .addOption(repeat("--allow <rule>", "allow calls without asking"))
    .addOption(repeat("--ask <rule>", "always ask about calls"))
    .addOption(repeat("--deny <rule>", "refuse calls"))
    .addOption(ofTeam("--worktrees", "give every task a git worktree of its own"));
}

/** Runs one command line; resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const output = handleClosedOutput();
  const verbose = args.includes("--verbose");
  const json = args.includes("--json");
  let exitCode = 0;
  const program = new Command("ekiden")
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    .configureHelp(helpConfiguration)
    .configureOutput({ outputError: () => {} })
    .helpCommand(false)
    .addHelpText("after", '\nExample:\n  ekiden run "Write tests for the parser" --teammates 2');
  let otherwise = "See ekiden --help.";
  addCommonOptions(program);
  const act = async (command: Command, load: () => Promise<Code>): Promise<void> => {
    const options = command.optsWithGlobals() as CommonOptions;
    if (command.name() === "run") output.keepGoing();
    const code = await load();
    exitCode = (await code.run(prepare(options), command.args, options as never)) ?? 0;
  };
  const talk = program.command("talk [words...]", { isDefault: true });
  talk.description("talk to the lead and watch the team").helpGroup(GROUPS[0]?.[0] ?? MORE);
  for (const { usage, about, example, options, load } of COMMANDS) {
    const command = program
      .command(usage)
      .description(about)
      .addHelpText("after", `\nExample:\n  ${example}`);
    const name = command.name();
    command.helpGroup(GROUPS.find(([, names]) => names.includes(name))?.[0] ?? MORE);
    command.exitOverride((error) => {
      otherwise =
        error.code === "commander.missingArgument" ? `Such as: ${example}` : `See ekiden ${name} --help.`;
      throw error;
    });
    for (const [flags, text, many] of options ?? [])
      command.addOption(many ? new Option(flags, text).argParser(collect) : new Option(flags, text));
    command.action(() => act(command, load));
  }
  const help = program.command("help [command]").description("help on a command").helpGroup(MORE);
  help.action((name?: string) => {
    const wanted = program.commands.find((command) => command.name() === name);
    if (name !== undefined && wanted === undefined) throw unknownCommand(name);
    (wanted ?? program).outputHelp();
  });
  // Who asks for help on a command that there is not would be shown all others, as if nothing were wrong.
  program.on("beforeAllHelp", () => {
    const [word = "-"] = program.args;
    if (!word.startsWith("-") && !NAMES.includes(word)) throw unknownCommand(word);
  });
  talk.action(() => {
    const [word] = talk.args;
    if (word === undefined) return act(talk, () => import("./repl/repl.ts"));
    throw unknownCommand(word, ` To start a team on a goal: ekiden run ${quote(talk.args.join(" "))}`);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (!isCommanderError(error)) return reportFailure(error, { verbose, json });
    if (error.exitCode === 0) return 0;
    return reportFailure(new EkidenError("bad_input", usageMessage(error, otherwise)), { verbose, json });
  }
}

const isCommanderError = (error: unknown): error is CommanderError =>
  error instanceof Error && "code" in error && String(error.code).startsWith("commander.");

const unknownCommand = (word: string, otherwise = " See ekiden --help."): EkidenError =>
  new EkidenError("bad_input", `unknown command ${quote(word)}.${didYouMean(word, NAMES) || otherwise}`);

/** "error: unknown option '--jsn'\n(Did you mean --json?)" on one line, in our words. */
function usageMessage(error: CommanderError, otherwise: string): string {
  const [what = "", ...hints] = error.message.replace(/^error: /, "").split("\n");
  const hint = hints.join(" ").replace(/^\((.*)\)$/, "$1") || otherwise;
  return `${what}. ${hint}`;
}
