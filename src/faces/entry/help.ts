/**
 * The text of `--help`: first the commands, in groups, then the options. A command shows only the options that have an effect there.
 */
import { type Command, Help, type HelpConfiguration } from "commander";
import { HOSTS } from "../commands/options.ts";

/** The heading of the options that say how a team works. */
export const OF_A_TEAM = "Options for a team at work:";

export const helpConfiguration: HelpConfiguration = {
  showGlobalOptions: true,
  subcommandTerm: (command) =>
    isConversation(command)
      ? "(no command)"
      : Help.prototype.subcommandTerm.call(new Help(), command).replace(" [options]", ""),
  visibleGlobalOptions: (command) =>
    (command.parent?.options ?? []).filter(
      ({ long, helpGroupHeading }) =>
        long !== "--version" && (helpGroupHeading !== OF_A_TEAM || HOSTS.has(command.name())),
    ),
  formatHelp: (command, helper) => {
    const whole = Help.prototype.formatHelp.call(helper, command, helper);
    if (command.parent !== null) return whole;
    const blocks = whole.trimEnd().split("\n\n");
    const isOptions = (block: string): boolean => block.startsWith("Options");
    return `${[...blocks.filter((block) => !isOptions(block)), ...blocks.filter(isOptions)].join("\n\n")}\n`;
  },
};

/** `ekiden` without a command. */
const isConversation = (command: Command): boolean => command.name() === "talk";
