/** The command line: the options that every command takes, the help, and how a command line ends. Commands: `commands/table.ts`. */
import { Command, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { quote } from "../core/ids.ts";
import { MODES } from "../core/permission/mode.ts";
import { COMMANDS, type Code, GROUPS, nameOf } from "./commands/table.ts";
import { handleClosedOutput, reportFailure } from "./failure.ts";
import { helpConfiguration, OF_A_TEAM } from "./help.ts";
import { type CommonOptions, prepare } from "./invocation.ts";
import { addCommand, faultOf, repeatable, unknownCommand } from "./program.ts";

function addCommonOptions(program: Command): void {
  const ofTeam = (flags: string, about: string): Option => new Option(flags, about).helpGroup(OF_A_TEAM);
  const repeat = (flags: string, about: string): Option =>
    repeatable(flags, `${about} (repeatable)`).helpGroup(OF_A_TEAM);
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
  let exitCode = 0;
  const start = async (
    load: () => Promise<Code>,
    words: readonly string[],
    options: object,
  ): Promise<void> => {
    const code = await load();
    exitCode = (await code.run(prepare(options as CommonOptions), words, options as never)) ?? 0;
  };
  const program = new Command("ekiden")
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    .configureHelp(helpConfiguration)
    .configureOutput({ outputError: () => {} })
    .helpCommand(false)
    .addHelpText("after", '\nExample:\n  ekiden run "Write tests for the parser" --teammates 2');
  addCommonOptions(program);
  const talk = program
    .command("talk [words...]", { isDefault: true })
    .description("talk to the lead and watch the team")
    .helpGroup(GROUPS[0]);
  talk.action(() => {
    const [word] = talk.args;
    if (word === undefined) return start(() => import("./repl/repl.ts"), [], talk.optsWithGlobals());
    const otherwise = ` To start a team on a goal: ekiden run ${quote(talk.args.join(" "))}`;
    throw unknownCommand(word, { more: ["help"], otherwise });
  });
  for (const entry of COMMANDS)
    addCommand(program, entry, ({ args: words, options }) => {
      if (nameOf(entry) === "run") output.keepGoing();
      return start(entry.load, words, options);
    });
  const help = program.command("help [command]").description("help on a command").helpGroup("More:");
  help.action((name?: string) => {
    const wanted = program.commands.find((command) => command.name() === name);
    if (name !== undefined && wanted === undefined) throw unknownCommand(name);
    (wanted ?? program).outputHelp();
  });
  // For the help of an unknown command commander would print the general help; report the mistake instead.
  program.on("beforeAllHelp", () => {
    const [word = "-"] = program.args;
    const known = program.commands.some((command) => command.name() === word);
    if (!word.startsWith("-") && !known) throw unknownCommand(word);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    const fault = faultOf(error);
    const [verbose, json] = [args.includes("--verbose"), args.includes("--json")];
    return fault === null ? 0 : reportFailure(fault, { verbose, json });
  }
}
