/**
 * The values that may follow words of a command line, for the completion of a shell: `ekiden completion values -- WORDS…`, of which the last one
 * is being typed. It reads files and the team of this machine; it changes nothing and asks nobody.
 */

import { isFinished } from "../../core/board/task.ts";
import { MODES } from "../../core/permission/mode.ts";
import { EFFORTS } from "../../core/settings/effort.ts";
import { oneLine } from "../../core/text/one-line.ts";
import type { Store } from "../../ports/index.ts";
import { withTeam } from "../../project/open.ts";
import { userFolder } from "../../project/own-folders.ts";
import { nameOf } from "../commands/entry.ts";
import { COMMON_OPTIONS, type OptionRow, TEAM_OPTIONS } from "../commands/options.ts";
import { type CommonOptions, type Invocation, prepare } from "../kit/invocation.ts";
import { COMMANDS } from "./all.ts";

export type Value = { readonly value: string; readonly about: string };
type Values = (call: Invocation, begun: string) => Promise<readonly Value[]>;

/** In the order in which people look for them. */
const these =
  (...values: readonly string[]): Values =>
  async () =>
    values.map((value) => ({ value, about: "" }));

const ofTeam =
  (read: (store: Store) => Promise<readonly Value[]>): Values =>
  (call) =>
    withTeam(call, "look", read);

const members = ofTeam(async ({ roster }) =>
  (await roster.members()).map(({ name, role }) => ({ value: name, about: role })),
);
const tasks = ofTeam(async ({ board }) =>
  (await board.tasks())
    .toSorted((a, b) => Number(isFinished(a)) - Number(isFinished(b)) || b.id - a.id)
    .map(({ id, status, subject }) => ({ value: String(id), about: `${status}: ${oneLine(subject)}` })),
);
const questions = ofTeam(async ({ requests }) =>
  (await requests.open()).map(({ id, by, ask }) => ({ value: id, about: `${by}: ${ask.kind}` })),
);

const teams: Values = async (call) => {
  const { teamsHere } = await import("../commands/setup/teams.ts");
  return (await teamsHere(call)).map((value) => ({ value, about: "" }));
};

/** Of all projects. */
const known: Values = async () => {
  const { knownTeams } = await import("../../project/known-teams.ts");
  return knownTeams().map(({ team, cwd }) => ({ value: team, about: cwd }));
};

const roles: Values = async ({ cwd }) => {
  const { loadRoles } = await import("../../adapters/disk/library.ts");
  const { items } = await loadRoles(cwd, userFolder());
  return items.map(({ name, description }) => ({ value: name, about: oneLine(description) }));
};

/** The models that members use come first. */
const models: Values = async (call) => {
  const { modelsHere } = await import("../../project/models-here.ts");
  const { PROVIDERS } = await import("../../adapters/models/index.ts");
  const used = withTeam(call, "look", async ({ roster }) =>
    (await roster.members()).map(({ model }) => model),
  );
  const here = await modelsHere(await call.settings(), await used.catch(() => []));
  const others = PROVIDERS.map(({ name }) => `${name}/`).filter(
    (begin) => !here.some((one) => one.startsWith(begin)),
  );
  return [...here, ...others].map((value) => ({ value, about: "" }));
};

const recipients: Values = async (call, begun) => [
  ...(await members(call, begun)),
  { value: "all", about: "everybody" },
];

/** Behind an option. */
export const OF_OPTIONS: Readonly<Record<string, Values>> = {
  "--model": models,
  "--lead": models,
  "--effort": these(...EFFORTS),
  "--permission-mode": these(...MODES),
  "--sandbox": these("required", "auto", "off"),
  "--team": teams,
  "--role": roles,
  "--assign": members,
  "--owner": members,
  "--who": members,
  "--to": members,
  "--after": tasks,
  "--status": these("pending", "ready", "in_progress", "completed", "failed", "cancelled"),
};

/** The words of a command, in order. */
export const OF_COMMANDS: Readonly<Record<string, readonly Values[]>> = {
  ...Object.fromEntries(
    ["edit", "tasks", "retry", "cancel", "release", "take", "done", "fail"].map((word) => [word, [tasks]]),
  ),
  landings: [tasks, these("move", "drop", "land")],
  inbox: [members],
  transcript: [members],
  send: [recipients],
  stop: [recipients],
  answer: [questions, these("yes", "no", "always", "session", "all")],
  attach: [known],
  teams: [these("list", "create", "delete"), teams],
  cron: [these("list", "add", "cancel")],
  completion: [these(..."bash zsh fish".split(" "))], // shells, and no tools
};

/** Flags of options that a value follows: "--team" of "--team <name>". */
export const valued = (rows: readonly OptionRow[]): readonly string[] =>
  rows.flatMap(([flags]) => (flags.includes("<") ? (flags.match(/(?<!\S)--?[\w-]+/g) ?? []) : []));

/** Empty where nothing is known of the place, or it cannot be read. */
export async function valuesFor(call: Invocation, typed: readonly string[]): Promise<readonly Value[]> {
  // Bash takes "--team=x" apart.
  const words = typed.flatMap((word) =>
    word === "=" ? [] : (/^(--[\w-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word]),
  );
  const begun = words.at(-1) ?? "";
  const { command, args, options, open } = read(words.slice(0, -1));
  const values = open !== "" ? OF_OPTIONS[open] : OF_COMMANDS[command]?.[args];
  try {
    const at = prepare({ cwd: call.cwd, ...options }, "nothing", call.env);
    const found = (await values?.(at, begun)) ?? [];
    return found.filter(({ value }) => value.startsWith(begun));
  } catch {
    return []; // nobody has asked for a message
  }
}

type Read = {
  readonly command: string;
  /** How many words of the command are there. */
  readonly args: number;
  readonly options: Pick<CommonOptions, "cwd" | "team" | "store">;
  /** The option whose value is being typed. */
  readonly open: string;
};

function read(words: readonly string[]): Read {
  let [command, args, open] = ["", 0, ""];
  let takes = new Set(valued([...COMMON_OPTIONS, ...TEAM_OPTIONS]));
  const options: Record<string, string> = {};
  for (const word of words) {
    if (open !== "") {
      options[open] = word;
      open = "";
    } else if (takes.has(word)) open = word;
    else if (word.startsWith("-")) continue;
    else if (command === "") {
      command = word;
      const own = COMMANDS.find((entry) => nameOf(entry) === word)?.options ?? [];
      takes = new Set([...takes, ...valued(own)]);
    } else args += 1;
  }
  const { "--cwd": cwd, "--team": team, "--store": store } = options;
  return {
    command,
    args,
    open,
    options: { ...(cwd && { cwd }), ...(team && { team }), ...(store && { store }) },
  };
}
