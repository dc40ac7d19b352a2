/** The menus of the editor: commands behind `/`, what may follow some of them, names behind `/to` and `@`, files of the project behind `@`. */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
  fuzzyFilter,
} from "@earendil-works/pi-tui";
import { mention } from "../../../core/conversation/image.ts";
import { listed } from "../../../core/picture/looks.ts";
import { ownNames } from "../../commands/slash/own-commands.ts";
import { valuesBehind } from "../../commands/slash/values.ts";
import { oneLine } from "../draw/style.ts";
import { THEMES } from "../draw/theme.ts";
import { inOrder } from "../panels/board.ts";
import { PANEL_NAMES } from "../panels/names.ts";
import type { TeamModel } from "../story/team.ts";

export type Offered = { readonly name: string; readonly about: string; readonly usage?: string };

const SHOWN = 20;
const FILES_MAX = 20_000;
/** A list of files is made again after this time. */
const FRESH_MS = 5_000;
const DEPTH_MAX = 6;

type Shown = Pick<TeamModel, "names" | "picture">;
type Value = { readonly value: string; readonly description?: string };
type Values = (team: Shown | null) => readonly Value[];

const members: Values = (team) => (team?.names ?? []).map((value) => ({ value }));
/** Open tasks first. */
const tasks: Values = (team) =>
  inOrder(team ? listed(team.picture, Date.now()) : []).map(({ id, subject }) => ({
    ...{ value: String(id), description: oneLine(subject) },
  }));
/** The oldest first. */
const questions: Values = (team) =>
  (team?.picture.questions.list ?? []).map(({ id, kind, by }) => ({
    value: id,
    description: `${by}: ${kind}`,
  }));
const these =
  (values: readonly string[]): Values =>
  () =>
    values.map((value) => ({ value }));

/** The values that may follow a command. */
const VALUES: Readonly<Record<string, Values>> = {
  ...Object.fromEntries(
    ["to", "story", "transcript", "context", "inbox", "stop", "compact", "clear", "send", "copy"].map(
      (word) => [word, members],
    ),
  ),
  ...Object.fromEntries(
    ["task", "tasks", "edit", "take", "release", "retry", "cancel", "landings"].map((word) => [word, tasks]),
  ),
  answer: questions,
  panel: these(PANEL_NAMES),
  theme: these(Object.keys(THEMES)),
};

const isIn = (words: string, text: string): boolean =>
  words !== "" && text.toLowerCase().includes(words.toLowerCase());

export class Completion implements AutocompleteProvider {
  private readonly cwd: string;
  private readonly commands: readonly Offered[];
  private readonly team: () => Shown | null;
  private readonly models: () => Promise<readonly string[]>;
  /** The text that the last menu completes. */
  prefix = "";
  private files: { readonly at: number; readonly paths: Promise<readonly string[]> } | null = null;

  constructor(
    cwd: string,
    commands: readonly Offered[],
    team: () => Shown | null,
    models: () => Promise<readonly string[]> = () => Promise.resolve([]),
  ) {
    this.cwd = cwd;
    this.commands = commands;
    this.team = team;
    this.models = models;
  }

  async getSuggestions(
    lines: string[],
    line: number,
    column: number,
    { signal }: { signal: AbortSignal },
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[line] ?? "").slice(0, column);
    const file = /(?:^|\s)(@[^\s@]*)$/.exec(before)?.[1];
    if (file !== undefined) {
      const paths = await this.paths();
      if (signal.aborted) return null;
      const isFirst = line === 0 && before.trim() === file;
      const names = this.team()?.names ?? [];
      const members = isFirst ? names.filter((one) => one.startsWith(file.slice(1))) : [];
      const found = file === "@" ? paths : fuzzyFilter([...paths], file.slice(1), (path) => path);
      return this.list(
        file,
        [
          ...members.map((one) => ({ value: `@${one}`, label: one, description: "a member" })),
          ...found.map((path) => ({ value: mention(path), label: path })),
        ].slice(0, SHOWN),
      );
    }
    if (line > 0) return null;
    const [, word = "", begun = ""] = /^\/(\w+)\s+(\S*)$/.exec(before) ?? [];
    const values = Object.hasOwn(VALUES, word) ? VALUES[word]?.(this.team()) : undefined;
    if (values)
      return this.list(
        begun,
        values
          .filter(({ value, description = "" }) => value.startsWith(begun) || isIn(begun, description))
          .slice(0, SHOWN)
          .map((one) => ({ ...one, label: one.value })),
      );
    const behind = await valuesBehind(before, this.models);
    if (behind)
      return this.list(
        behind.begun,
        behind.values.slice(0, SHOWN).map((value) => ({ value, label: value })),
      );
    const command = /^\/(\S*)$/.exec(before)?.[1];
    if (command === undefined) return null;
    const taken = new Set(this.commands.map((one) => one.name));
    const own = (await ownNames(this.cwd).catch(() => [])).filter((one) => !taken.has(one.name));
    if (signal.aborted) return null;
    const found = fuzzyFilter([...this.commands, ...own], command, (one) => one.name);
    return this.list(
      `/${command}`,
      found
        // What is to follow the name of an own command, only its author knows.
        .map((one) => ({
          value: `/${one.name}`,
          label: one.usage ?? `/${one.name}`,
          description: one.about,
        })),
    );
  }

  private list(prefix: string, items: AutocompleteItem[]): AutocompleteSuggestions | null {
    if (items.length === 0) return null;
    this.prefix = prefix;
    return { items, prefix };
  }

  applyCompletion(
    lines: string[],
    cursorLine: number,
    column: number,
    item: AutocompleteItem,
    prefix: string,
  ): { lines: string[]; cursorLine: number; cursorCol: number } {
    const text = lines[cursorLine] ?? "";
    const before = text.slice(0, column - prefix.length);
    const put = `${item.value} `;
    const changed = [...lines];
    changed[cursorLine] = before + put + text.slice(column).replace(/^ /, "");
    return { lines: changed, cursorLine, cursorCol: before.length + put.length };
  }

  private paths(): Promise<readonly string[]> {
    if (!this.files || Date.now() - this.files.at > FRESH_MS)
      this.files = { at: Date.now(), paths: filesOf(this.cwd) };
    return this.files.paths;
  }
}

/** The files that git tracks or would add; without git all files in the folder, apart from hidden files and packages. */
async function filesOf(cwd: string): Promise<readonly string[]> {
  const args = ["ls-files", "-co", "--exclude-standard", "-z"];
  const { withGit } = await import("../../../project/own-git.ts");
  const listed = await withGit(cwd, (git) => git.try(cwd, ...args)).catch(() => null);
  if (listed?.code === 0) return listed.out.split("\0").filter(Boolean).slice(0, FILES_MAX);
  const found: string[] = [];
  const walk = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (found.length >= FILES_MAX || entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = join(folder, entry.name);
      if (entry.isFile()) found.push(relative(cwd, path));
      else if (entry.isDirectory() && depth < DEPTH_MAX) await walk(path, depth + 1);
    }
  };
  await walk(cwd, 0);
  return found;
}
