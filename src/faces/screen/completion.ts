/** The menus of the editor: commands behind `/`, what may follow some of them, names behind `/to` and `@`, files of the project behind `@`. */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
  fuzzyFilter,
} from "@earendil-works/pi-tui";
import { childEnvironment } from "../../adapters/shell/environment.ts";
import { mention } from "../../core/conversation/image.ts";
import { ownNames } from "../repl/own-commands.ts";
import { valuesBehind } from "../repl/values.ts";

export type Offered = { readonly name: string; readonly about: string };

const SHOWN = 20;
const FILES_MAX = 20_000;
/** A list of files is made anew after this time. */
const FRESH_MS = 5_000;
const DEPTH_MAX = 6;

export class Completion implements AutocompleteProvider {
  private readonly cwd: string;
  private readonly commands: readonly Offered[];
  private readonly names: () => readonly string[];
  private readonly models: () => Promise<readonly string[]>;
  /** What the menu that was offered last completes. */
  prefix = "";
  private files: { readonly at: number; readonly paths: Promise<readonly string[]> } | null = null;

  constructor(
    cwd: string,
    commands: readonly Offered[],
    names: () => readonly string[],
    models: () => Promise<readonly string[]> = () => Promise.resolve([]),
  ) {
    this.cwd = cwd;
    this.commands = commands;
    this.names = names;
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
      const members = isFirst ? this.names().filter((one) => one.startsWith(file.slice(1))) : [];
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
    const name = /^\/(?:to|story|transcript|inbox|stop|compact|clear|send|copy)\s+(\S*)$/.exec(before)?.[1];
    if (name !== undefined)
      return this.list(
        name,
        this.names()
          .filter((one) => one.startsWith(name))
          .map((one) => ({ value: one, label: one })),
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
        .slice(0, SHOWN)
        .map((one) => ({ value: `/${one.name}`, label: `/${one.name}`, description: one.about })),
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

/** What git knows or would add; without git what lies in the folder, apart from hidden files and packages. */
async function filesOf(cwd: string): Promise<readonly string[]> {
  const args = ["ls-files", "-co", "--exclude-standard", "-z"];
  const { Git } = await import("../../adapters/git/git.ts");
  // The repository may configure programs that run at each look.
  const listed = await new Git(childEnvironment(process.env)).try(cwd, ...args).catch(() => null);
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
