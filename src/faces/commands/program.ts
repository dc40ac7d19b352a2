/** Parses a line of words by the table of commands, for the command line and for the slash commands of the conversation. */
import { type Command, type CommanderError, Option } from "commander";
import { badInput, type EkidenError } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { nearest } from "../../core/text/nearest.ts";
import { type Entry, nameOf } from "./entry.ts";

export type Chosen = {
  readonly entry: Entry;
  readonly args: readonly string[];
  /** Its own options and those of the program. */
  readonly options: Readonly<Record<string, unknown>>;
};

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

export const repeatable = (flags: string, about: string): Option =>
  new Option(flags, about).argParser(collect);

/** Adds one command to a program; `onChosen` gets it when it is parsed. `prefix` is "/" in a conversation. */
export function addCommand(
  program: Command,
  entry: Entry,
  onChosen: (chosen: Chosen) => Promise<void>,
  prefix = "ekiden ",
): void {
  const { usage, about, options, group } = entry;
  const example = entry.example.replace("ekiden ", prefix);
  const command = program
    .command(usage)
    .description(about)
    .helpGroup(group)
    .addHelpText("after", `\nExample:\n  ${example}`);
  command.exitOverride((error: Hinted) => {
    const help = `See ${prefix}${command.name()} --help.`;
    error[HINT] = error.code === "commander.missingArgument" ? `Such as: ${example}` : help;
    throw error;
  });
  for (const [flags, text, repeat] of options ?? [])
    command.addOption(repeat ? repeatable(flags, text) : new Option(flags, text));
  command.action(() =>
    onChosen({ entry, args: command.args, options: command.optsWithGlobals() as Chosen["options"] }),
  );
}

const HINT = Symbol("hint");
type Hinted = CommanderError & { [HINT]?: string };

/** Null: help or a version was shown, as asked. Else what was thrown, a fault of the line as an `EkidenError`. */
export function faultOf(error: unknown): unknown {
  if (!isCommanderError(error)) return error;
  if (error.exitCode === 0) return null;
  return badInput(usageMessage(error, error[HINT] ?? "See ekiden --help."));
}

const isCommanderError = (error: unknown): error is Hinted =>
  error instanceof Error && "code" in error && String(error.code).startsWith("commander.");

/** Commander's "error: unknown option '--jsn'\n(Did you mean --json?)" as one line. */
function usageMessage(error: CommanderError, otherwise: string): string {
  const [fault = "", ...hints] = error.message.replace(/^error: /, "").split("\n");
  const hint = hints.join(" ").replace(/^\((.*)\)$/, "$1") || otherwise;
  return `${fault.replace(/\.$/, "")}. ${hint}`;
}

/** What to use in the place of commands of earlier versions. */
const GONE: Readonly<Record<string, string>> = {
  sync: "ekiden export DIR --follow writes the board as files at each change, and ekiden import PATH takes files over.",
};

/** Names the nearest command of `entries`, also by another word for it. `prefix` is "/" in a conversation. */
export function unknownCommand(
  word: string,
  entries: readonly Entry[],
  { more = [] as readonly string[], prefix = "", otherwise = " See ekiden --help." } = {},
): EkidenError {
  const gone = Object.hasOwn(GONE, word) ? GONE[word] : undefined;
  if (gone !== undefined) return badInput(`the command ${quote(prefix + word)} is gone. ${gone}`);
  const names = [...entries.map(nameOf), ...more];
  const others = entries.flatMap(({ near = [] }) => near);
  const byOther = (other: string | null): string | undefined => {
    const entry = entries.find(({ near }) => other !== null && near?.includes(other));
    return entry && nameOf(entry);
  };
  const meant = byOther(word.toLowerCase()) ?? nearest(word, names) ?? byOther(nearest(word, others));
  const hint = meant === undefined ? otherwise : ` Did you mean "${prefix}${meant}"?`;
  return badInput(`unknown command ${quote(prefix + word)}.${hint}`);
}
