/** The manual page ekiden(1), made from the table of commands. */

import { type Entry, GROUPS, nameOf } from "../../src/faces/commands/entry.ts";
import { COMMON_OPTIONS, HOSTS, type OptionRow, TEAM_OPTIONS } from "../../src/faces/commands/options.ts";
import { COMMANDS } from "../../src/faces/entry/all.ts";

/** A text as troff shows it: dashes as they are typed, and no line that is a request. */
const roff = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("`", "")
    .replaceAll("…", "...")
    .replace(/^[.']/gm, "\\&$&");

const bold = (text: string): string => `\\fB${roff(text)}\\fR`;
const sentence = (text: string): string => roff(`${text[0]?.toUpperCase()}${text.slice(1)}.`);

const optionList = (rows: readonly OptionRow[]): string[] =>
  rows.flatMap(([flags, about, repeat]) => [
    ".TP",
    bold(flags),
    `${roff(about)}${repeat ? " (repeatable)" : ""}`,
  ]);

const section = (entry: Entry): string[] => [
  ".TP",
  bold(`ekiden ${entry.usage}`),
  sentence(entry.about),
  ...(HOSTS.has(nameOf(entry)) ? ["Takes the options for a team at work."] : []),
  ".br",
  `Example: ${roff(entry.example)}`,
  ...(entry.options ? [".RS", ...optionList(entry.options), ".RE"] : []),
];

export const manual = (): string =>
  `${[
    '.\\" Made by `npm run reference` from the code. Change the code, not this file.',
    ".TH EKIDEN 1",
    ".SH NAME",
    "ekiden \\- autonomous teams of coding agents that pull their own work from a board",
    ".SH SYNOPSIS",
    ".B ekiden",
    "[\\fIcommand\\fR] [\\fIoptions\\fR]",
    ".SH DESCRIPTION",
    "A lead puts tasks on a board. Teammates claim the ready tasks, work, report, go idle and claim the next one.",
    "Without a command it is the conversation with the lead. Results go to stdout, progress to stderr.",
    ...GROUPS.flatMap((group) => [
      `.SH ${roff(group.replace(/:$/, "").toUpperCase())}`,
      ...COMMANDS.filter((entry) => entry.group === group).flatMap(section),
    ]),
    ".SH OPTIONS OF EVERY COMMAND",
    ...optionList(COMMON_OPTIONS),
    ".SH OPTIONS FOR A TEAM AT WORK",
    "For the commands that host a team. Each has a setting.",
    ...optionList(TEAM_OPTIONS),
    ".SH FILES",
    ".TP",
    bold(".ekiden/settings.json"),
    "Settings of the project. \\fBekiden init\\fR writes one with comments, \\fBekiden doctor\\fR names those of the person.",
    ".TP",
    bold(".ekiden/team.db"),
    "The store: board, mail, conversations, journal.",
  ].join("\n")}\n`;
