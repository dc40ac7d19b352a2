/** The pages of docs/reference, made from the code. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { PROVIDERS } from "../../src/adapters/models/index.ts";
import { EkidenError, type ErrorCode } from "../../src/core/errors.ts";
import { aboutSetting, SETTING_KEYS } from "../../src/core/settings/fields.ts";
import { DEFAULT_SETTINGS } from "../../src/core/settings/settings.ts";
import { type Entry, GROUPS, nameOf } from "../../src/faces/commands/entry.ts";
import { COMMON_OPTIONS, HOSTS, type OptionRow, TEAM_OPTIONS } from "../../src/faces/commands/options.ts";
import { SHARED } from "../../src/faces/commands/table.ts";
import { COMMANDS } from "../../src/faces/entry/all.ts";
import { variableName } from "../../src/project/settings.ts";
import { settingsSchema } from "../../src/project/settings-schema.ts";
import { cell, Declared } from "./declared.ts";
import { manual } from "./man.ts";
import { messages } from "./messages.ts";
import { WITHOUT_JSON } from "./shapes.ts";
import { allTools } from "./tools.ts";
import { OTHER_VARIABLES } from "./variables.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MADE = "<!-- Made by `npm run reference` from the code. Change the code, not this file. -->\n\n";
const SHOWN =
  "What a person may read, by the folder that says it, in the order of the code: for those who change words, so that they see their neighbours. … is a value. What models read is in [prompts](prompts.md) and [tools](tools.md).";
const EVENTS = "src/core/event.ts";
const SHAPES = "scripts/reference/shapes.ts";

/** Texts by file name, below docs/reference. */
export function pages(): Readonly<Record<string, string>> {
  const declared = new Declared([EVENTS, SHAPES]);
  return {
    "commands.md": commands(),
    "settings.md": settings(),
    "variables.md": variables(),
    "errors.md": errors(),
    "tools.md": tools(),
    "prompts.md": prompts(),
    "messages.md": page("Messages", SHOWN, ...messages(ROOT)),
    "journal.md": journal(declared),
    "json.md": json(declared),
    "ekiden.1": manual(),
  };
}

const page = (title: string, ...parts: readonly string[]): string =>
  `${MADE}# ${title}\n\n${parts.map((part) => part.trim()).join("\n\n")}\n`;

const optionTable = (rows: readonly OptionRow[]): string =>
  `| option | |\n|---|---|\n${rows
    .map(
      ([flags, about, repeat]) => `| \`${cell(flags)}\` | ${cell(about)}${repeat ? " (repeatable)" : ""} |`,
    )
    .join("\n")}`;

function commands(): string {
  const section = (entry: Entry): string => {
    const notes = [
      HOSTS.has(nameOf(entry)) ? "Takes the options for a team at work." : "",
      SHARED.includes(entry) ? `In the conversation: \`/${nameOf(entry)}\`.` : "",
    ].filter((note) => note !== "");
    return [
      `### ekiden ${entry.usage.replaceAll("<", "\\<")}`,
      `${entry.about[0]?.toUpperCase()}${entry.about.slice(1)}. ${notes.join(" ")}`.trim(),
      `\`\`\`sh\n${entry.example}\n\`\`\``,
      ...(entry.options ? [optionTable(entry.options)] : []),
    ].join("\n\n");
  };
  return page(
    "Commands",
    "`ekiden` without a command is the conversation with the lead. Results go to stdout, progress to stderr. For the exit codes see [errors](errors.md), for `--json` see [JSON](json.md).",
    "## Options of every command",
    optionTable(COMMON_OPTIONS),
    "## Options for a team at work",
    "For the commands that host a team. Each has a [setting](settings.md).",
    optionTable(TEAM_OPTIONS),
    ...GROUPS.flatMap((group) => [
      `## ${group.replace(/:$/, "")}`,
      ...COMMANDS.filter((entry) => entry.group === group).map(section),
    ]),
  );
}

/** The texts of `core/guidance/texts.ts`, each with the comment that says what it is for. */
function prompts(): string {
  const source = readFileSync(resolve(ROOT, "src/core/guidance/texts.ts"), "utf8");
  const parts = source.matchAll(/export const (\w+) = `((?:[^`\\]|\\.)*)`;/gs);
  const aboutAt = (at: number): string =>
    source.slice(source.lastIndexOf("/**", at) + 3, source.lastIndexOf("*/", at)).replace(/^ \* ?/gm, "");
  return page(
    "Guidance for models",
    "The fixed texts that an agent reads before anything else. The project's own rules, skills and roles come after them.",
    ...[...parts].flatMap(({ index, 1: name = "", 2: text = "" }) => [
      `## ${name}`,
      aboutAt(index),
      `\`\`\`\`text\n${text.replace(/\\(.)/g, "$1")}\n\`\`\`\``,
    ]),
  );
}

function settings(): string {
  const { properties } = settingsSchema() as { properties: Record<string, Record<string, unknown>> };
  const rows = SETTING_KEYS.map((key) => {
    const preset = (DEFAULT_SETTINGS as Record<string, unknown>)[key];
    const shown = preset === undefined ? "" : `\`${cell(JSON.stringify(preset))}\``;
    return `| \`${key}\` | ${cell(wordsOf(properties[key] ?? {}))} | ${shown} | ${cell(aboutSetting(key))} |`;
  });
  return page(
    "Settings",
    'A flag goes before the environment variable, that before your own settings for this project (`projects/…/settings.json` in the same folder, where the rules of an "always" are), those before `.ekiden/settings.json` of the project, and that before the user\'s own `settings.json` (`ekiden doctor` names its folder). Hooks and rules of all these places are joined. The files are JSON with comments. `ekiden init` writes one, and next to it the schema with which editors complete and check it; the package has the schema too, as `ekiden/settings.schema.json`. The variable of a setting is `EKIDEN_` and its name in capitals: `lead` is `EKIDEN_LEAD`.',
    `| setting | value | default | |\n|---|---|---|---|\n${rows.join("\n")}`,
  );
}

/** The values that a schema accepts, in words. */
function wordsOf(schema: Record<string, unknown>): string {
  const { type, anyOf, items, const: only, minimum, maximum } = schema;
  const choices = schema.enum;
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (Array.isArray(choices)) return choices.map((one) => `\`${JSON.stringify(one)}\``).join(" or ");
  if (Array.isArray(anyOf)) return anyOf.map((one) => wordsOf(one as Record<string, unknown>)).join(" or ");
  if (type === "array") return items ? `list of ${wordsOf(items as Record<string, unknown>)}` : "list";
  const bounds = [
    typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER ? `from ${minimum}` : "",
    typeof maximum === "number" && maximum < 2_147_483_647 ? `to ${maximum}` : "",
  ].filter((bound) => bound !== "");
  return [type === "integer" ? "whole number" : String(type ?? "object"), ...bounds].join(" ");
}

function variables(): string {
  const keys = PROVIDERS.filter(({ keyVariable }) => keyVariable !== "").map(
    ({ name, keyVariable }) => `| \`${keyVariable}\` | Key of the provider \`${name}\`. |`,
  );
  const own = SETTING_KEYS.map((key) => `| \`${variableName(key)}\` | Setting \`${key}\`. |`);
  const table = (rows: readonly string[]): string => `| variable | |\n|---|---|\n${rows.join("\n")}`;
  const others = (use: "read" | "given"): string[] =>
    OTHER_VARIABLES.filter((one) => one.use === use).map(
      ({ name, about }) => `| \`${name}\` | ${cell(about)} |`,
    );
  return page(
    "Environment variables",
    "## Read by Ekiden",
    table([...keys, ...others("read")]),
    "## Given to commands, hooks and gates",
    "Commands get no variable that may hold a secret; the setting `commandEnv` adds further ones.",
    table(others("given")),
    "## Settings",
    "A list is written `a,b`, or as a JSON array where an element holds a comma.",
    table(own),
  );
}

/** The codes with the comment behind each, in the order of the source. */
export function errorCodes(): { readonly code: ErrorCode; readonly about: string }[] {
  const text = readFileSync(resolve(ROOT, "src/core/errors.ts"), "utf8");
  const union = text.slice(text.indexOf("export type ErrorCode"), text.indexOf("/** The exit code"));
  return [...union.matchAll(/\| "(\w+)";?\s*(?:\/\/\s*(.*))?$/gm)].map(([, code = "", about = ""]) => ({
    code: code as ErrorCode,
    about,
  }));
}

const EXIT_CODES: readonly (readonly [code: number, about: string])[] = [
  [0, "Everything was completed."],
  [
    1,
    "A task failed, was cancelled or is unfinished; a check of `ekiden doctor` failed; a bug in Ekiden (`internal`).",
  ],
  [2, "The command line, the settings or another input is wrong."],
  [3, "No model, or the provider refused."],
  [4, "A budget or a limit of turns is used up."],
  [5, "The store cannot be opened, or is of another version."],
  [130, "Interrupted. The state is kept: `ekiden resume` continues."],
];

function errors(): string {
  const rows = errorCodes().map(
    ({ code, about }) => `| \`${code}\` | ${new EkidenError(code, "").exitCode} | ${cell(about)} |`,
  );
  return page(
    "Exit codes and error codes",
    `| exit code | |\n|---|---|\n${EXIT_CODES.map(([code, about]) => `| ${code} | ${about} |`).join("\n")}`,
    'With `--json` a command that fails prints `{"error":{"code":…,"message":…}}` on stdout. The code is one of these, or `internal`. The message is the same sentence as on stderr.',
    `| code | exit code | |\n|---|---|---|\n${rows.join("\n")}`,
  );
}

function tools(): string {
  const parts = allTools().map(({ name, description, access, schema }) => {
    const { properties = {}, required = [] } = schema as {
      properties?: Record<string, Record<string, unknown>>;
      required?: readonly string[];
    };
    const rows = Object.entries(properties).map(
      ([key, of]) =>
        `| \`${key}\`${required.includes(key) ? "" : "?"} | ${cell(wordsOf(of))} | ${cell(String(of.description ?? ""))} |`,
    );
    const inputs = rows.length > 0 ? `| input | type | |\n|---|---|---|\n${rows.join("\n")}` : "No input.";
    return `## ${name}\n\n${description}\n\nAccess: \`${access}\`.\n\n${inputs}`;
  });
  return page(
    "Tools of members",
    "As models are told of them. The names are those of permission rules, roles and hooks. A member has only the tools of its role and of its situation; the tools of MCP servers come besides.",
    ...parts,
  );
}

function journal(declared: Declared): string {
  const fact = declared.alias(EVENTS, "Fact");
  const facts = fact.isUnion() ? fact.types : [];
  const parts = facts.map((one) => {
    const type = declared.properties(one).find(({ name }) => name === "type");
    return `### ${type ? declared.text(type.type) : ""}\n\n${declared.table(one, ["type"])}`;
  });
  const rest = declared.rest();
  return page(
    "Facts of the journal",
    "`ekiden log --json` and `ekiden run --json` print one fact a line. Each has `seq` (a number that grows with time and is unique in a store), `at` (milliseconds since 1970) and `type`, and the fields below. `?` marks a field that may be missing.",
    ...parts,
    ...(rest === "" ? [] : ["## Types", rest]),
  );
}

function json(declared: Declared): string {
  const shapes = declared.properties(declared.alias(SHAPES, "Shapes"));
  const missing = COMMANDS.map(nameOf).filter(
    (name) => !WITHOUT_JSON.includes(name) && !shapes.some((shape) => shape.name === name),
  );
  if (missing.length > 0) throw new Error(`${SHAPES} does not say what ${missing.join(", ")} prints`);
  const parts = shapes.map(({ name, type, about }) => {
    const element = declared.element(type);
    const what = element ?? type;
    const isObject = !what.isUnion() && declared.element(what) === null;
    const body = isObject ? declared.table(what) : declared.words(what);
    return `## ${name === "a failure" ? "A failure" : `ekiden ${name}`}\n\n${about ? `${about}\n\n` : ""}${element ? "One value a line.\n\n" : ""}${body}`;
  });
  return page(
    "JSON",
    "What the commands print with `--json`: one object, or JSON Lines where it says so. Times are milliseconds since 1970, names that end in `Ms` are milliseconds. `?` marks a field that may be missing. The facts of the journal are on [their own page](journal.md).",
    ...parts,
    "## Types",
    declared.rest(),
  );
}
