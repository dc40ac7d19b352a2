/** The command line: the options that every command takes, the help, and how a command line ends. Commands: `all.ts`. */
import { Command, Option } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { badInput } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { useKeptKeys } from "../../project/kept-keys.ts";
import { useTemporary } from "../../project/own-folders.ts";
import { type Code, type Entry, GROUPS, nameOf } from "../commands/entry.ts";
import { COMMON_OPTIONS, HOSTS, TEAM_OPTIONS, trustNeedOf } from "../commands/options.ts";
import { addCommand, faultOf, repeatable, unknownCommand } from "../commands/program.ts";
import { type CommonOptions, prepare } from "../kit/invocation.ts";
import type { TrustNeed } from "../kit/trust-question.ts";
import { leaveFirstFrame } from "../screen/draw/first-frame.ts";
import { COMMANDS } from "./all.ts";
import { handleClosedOutput, reportFailure } from "./failure.ts";
import { helpConfiguration, OF_A_TEAM } from "./help.ts";

function addCommonOptions(program: Command): void {
  for (const [flags, about] of COMMON_OPTIONS) program.option(flags, about);
  for (const [flags, about, repeat] of TEAM_OPTIONS) {
    const option = repeat ? repeatable(flags, `${about} (repeatable)`) : new Option(flags, about);
    program.addOption(option.helpGroup(OF_A_TEAM));
  }
}

/**
 * Refuses an option for a team at work after a command that hosts none: it would have no effect. Before the command it is accepted,
 * so that an alias of the shell may hold it. @throws EkidenError `bad_input`
 */
function refuseIdleOptions(program: Command, command: string, args: readonly string[]): void {
  if (HOSTS.has(command)) return;
  const behind = args.slice(args.indexOf(command) + 1);
  const idle = program.options.find(
    (option) =>
      option.helpGroupHeading === OF_A_TEAM &&
      behind.some((word) => word === option.long || word.startsWith(`${option.long}=`)) &&
      program.getOptionValueSource(option.attributeName()) === "cli",
  );
  if (idle)
    throw badInput(
      `${idle.long} has no effect on ekiden ${command}. It is for ekiden run, ekiden resume, ekiden doctor and ekiden without a command.`,
    );
}

/** The commands that the line can mean, because describing all of them to the parser takes time. All where it asks for help. */
function mentioned(args: readonly string[]): readonly Entry[] {
  const asksForHelp = args.some((word) => /^(help|-h|--help)$/.test(word));
  const entries = asksForHelp ? [] : COMMANDS.filter((entry) => args.includes(nameOf(entry)));
  return entries.length > 0 ? entries : COMMANDS;
}

type Start = (
  load: () => Promise<Code>,
  words: readonly string[],
  options: object,
  need: TrustNeed,
) => Promise<void>;

/** Work that is worth more than its output. */
const KEEPS_GOING: ReadonlySet<string> = new Set(["run", "resume", "worker", "host", "attach"]);

/** Runs one command line; resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const output = handleClosedOutput();
  let exitCode = 0;
  const start: Start = async (load, words, options, need) => {
    const code = await load();
    useKeptKeys(process.env);
    useTemporary(process.env);
    exitCode = (await code.run(prepare(options as CommonOptions, need), words, options as never)) ?? 0;
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
  addTalk(program, output, start);
  for (const entry of mentioned(args))
    addCommand(program, entry, ({ args: words, options }) => {
      refuseIdleOptions(program, nameOf(entry), args);
      if (KEEPS_GOING.has(nameOf(entry))) output.keepGoing();
      return start(entry.load, words, options, trustNeedOf(nameOf(entry)));
    });
  addHelp(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    leaveFirstFrame();
    const fault = faultOf(error);
    const [verbose, json] = [args.includes("--verbose"), args.includes("--json")];
    return fault === null ? 0 : reportFailure(fault, { verbose, json });
  }
}

/** `ekiden` without a command. */
function addTalk(program: Command, output: { keepGoing(): void }, start: Start): void {
  const talk = program
    .command("talk [words...]", { isDefault: true })
    .description("talk to the lead and watch the team")
    .helpGroup(GROUPS[0]);
  talk.action(() => {
    const [word] = talk.args;
    // A terminal that is gone ends the conversation in order.
    if (process.stdout.isTTY) output.keepGoing();
    if (word === undefined) return start(() => import("./talk.ts"), [], talk.optsWithGlobals(), "all");
    const otherwise = ` To start a team on a goal: ekiden run ${quote(talk.args.join(" "))}`;
    throw unknownCommand(word, COMMANDS, { more: ["help"], otherwise });
  });
}

function addHelp(program: Command): void {
  const help = program.command("help [command]").description("help on a command").helpGroup("More:");
  help.action((name?: string) => {
    const wanted = program.commands.find((command) => command.name() === name);
    if (name !== undefined && wanted === undefined) throw unknownCommand(name, COMMANDS);
    (wanted ?? program).outputHelp();
  });
  // For the help of an unknown command commander would print the general help; report the mistake instead.
  program.on("beforeAllHelp", () => {
    const [word = "-"] = program.args;
    const known = program.commands.some((command) => command.name() === word);
    if (!word.startsWith("-") && !known) throw unknownCommand(word, COMMANDS);
  });
}
