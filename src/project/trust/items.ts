/**
 * The items of a project that run programs, take rights or redirect data. Each item has a digest of what would run: a change of the text,
 * or of a script of the project that the text names, gives another digest. The digest of a folder is that of all that it brings.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { jsonIn, namesIn, PROJECT_FILE_MAX, readRegular, textIn } from "../../adapters/small-files.ts";
import type { Recruit } from "../../core/board/recruit.ts";
import { DEFAULT_RUN_USD } from "../../core/budget.ts";
import { isWithin, relativeTo } from "../../core/paths/paths.ts";
import type { OwnCommand } from "../../core/project/own-command.ts";
import type { Role } from "../../core/project/role.ts";
import { type FoundFile, type SetUp, setUpIn } from "../../core/project/set-up.ts";
import type { SettingKey, Settings, SettingsLayer } from "../../core/settings/settings.ts";
import { tried } from "../../core/tried.ts";

export type TrustItem = {
  /** Stays the same when the item changes: `hooks.Stop 1 in .ekiden/settings.json`. */
  readonly id: string;
  /** The command that would run, or the value that would hold, in full. */
  readonly text: string;
  readonly digest: string;
  /** The setting of the project that it is of. */
  readonly key?: SettingKey;
};

/** Settings that run nothing, allow nothing, send nothing anywhere and cost little. Every other one needs the person's word. */
const HARMLESS: ReadonlySet<SettingKey> = new Set<SettingKey>([
  ...([
    "ask",
    "deny",
    "team",
    "turnsPerStint",
    "idleTimeoutMs",
    "idlePollMs",
    "jobWaitMs",
    "leaseMs",
  ] as const),
  ...([
    "maxAttempts",
    "shutdownDeadlineMs",
    "planDeadlineMs",
    "bashTimeoutMs",
    "memory",
    "deadline",
  ] as const),
  ...(["permissionDeadlineMs", "questionDeadlineMs", "providerTimeoutMs", "gateTimeoutMs"] as const),
  ...(["contextShare", "contextTokens", "trimTokens", "keepResults", "shortResult", "notesTokens"] as const),
  ...(["todoReminderRounds", "leadMayHoldSeveralTasks", "worktrees", "targetBranch"] as const),
]);
/** A project may lower these without a question. */
const CAPS: ReadonlySet<SettingKey> = new Set<SettingKey>([
  ...(["maxTurns", "budgetTokens", "budgetUsd", "teammateBudgetTokens", "teammateBudgetUsd"] as const),
  ...(["callsPerTask", "taskBudgetUsd", "maxMembers", "taskDepth"] as const),
]);
/** The strictest value of a setting needs no question either. */
const STRICTEST: Partial<Record<SettingKey, unknown>> = {
  permissionMode: "plan",
  permissionsTo: "nobody",
  sandbox: "required",
  confinedCommands: "ask",
  notify: "off",
};
/** More teammates than this cost real money. */
const TEAMMATES_MAX = 8;

export const SETTINGS_FILE = ".ekiden/settings.json";
export const MCP_FILE = ".mcp.json";

const sha = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");

/** `named`: words that may name scripts of the project. */
export function trustItem(id: string, text: string, named = "", cwd = ""): TrustItem {
  const files = named === "" ? [] : filesNamed(named, cwd);
  return { id, text, digest: sha([text, ...files].join("\0")) };
}

const HASHED_MAX = 8 * 1024 * 1024;

/** Content hashes of the project's files that a command line names. */
function filesNamed(line: string, cwd: string): string[] {
  const words = line.split(/[\s'"`;&|()<>=,[\]{}]+/).filter((word) => word !== "");
  const paths = new Map(words.map((word) => [resolve(cwd, word), word]).reverse() as [string, string][]);
  return [...paths].reverse().flatMap(([path, word]) => {
    if (!isWithin(cwd, path) || path === cwd || !existsSync(path)) return [];
    const found = statSync(path);
    if (!found.isFile()) return [];
    return `${word}\0${found.size > HASHED_MAX ? `${found.size} ${found.mtimeMs}` : sha(readRegular(path, HASHED_MAX))}`;
  });
}

export const digestOf = (items: readonly TrustItem[]): string =>
  sha(JSON.stringify(items.map(({ id, digest }) => `${id}\0${digest}`).sort()));

/** All of the project's settings that could do harm, whatever the person's own are. */
export const settingItems = (layer: SettingsLayer, cwd: string): TrustItem[] =>
  (Object.entries(layer) as [SettingKey, unknown][]).flatMap(([key, value]) =>
    value === undefined || isHarmless(key, value)
      ? []
      : itemsOf(key, value, layer, cwd).map((item) => ({ ...item, key })),
  );

function itemsOf(key: SettingKey, value: unknown, { hooks, allow }: SettingsLayer, cwd: string): TrustItem[] {
  const where = ` in ${SETTINGS_FILE}`;
  if (key === "hooks") return hookItems(hooks ?? {}, cwd);
  if (key === "mcpServers") return serverItems(value, SETTINGS_FILE, cwd);
  if (key === "allow")
    return (allow ?? []).map((rule) => trustItem(`allow ${rule}${where}`, `allow ${rule}`));
  const text = `${key}: ${JSON.stringify(value)}`;
  return [trustItem(key + where, text, key === "gate" ? String(value) : "", cwd)];
}

function isHarmless(key: SettingKey, value: unknown): boolean {
  if (key !== "teammates") return HARMLESS.has(key) || STRICTEST[key] === value;
  const mates = value as readonly Recruit[];
  return mates.length <= TEAMMATES_MAX && mates.every(({ agent }) => agent === undefined);
}

/** `personal`: the settings as they would be without the project's file. What they say too, or more strictly, needs no word. */
export function needsWord({ key }: TrustItem, layer: SettingsLayer, personal: Settings): boolean {
  if (key === undefined) return true;
  const value = layer[key];
  if (value === undefined) return false;
  const own = personal[key] ?? (key === "budgetUsd" ? DEFAULT_RUN_USD : undefined);
  if (CAPS.has(key)) return own !== undefined && (value as number) > (own as number);
  return key === "hooks" || key === "mcpServers" || JSON.stringify(own) !== JSON.stringify(value);
}

function hookItems(hooks: Settings["hooks"], cwd: string): TrustItem[] {
  return Object.entries(hooks).flatMap(([event, list]) =>
    (list ?? []).map(({ matcher, command }, i) => {
      const text = `hook ${event}${matcher ? ` (${matcher})` : ""}: ${command}`;
      return trustItem(`hooks.${event} ${i + 1} in ${SETTINGS_FILE}`, text, command, cwd);
    }),
  );
}

export function serverItems(servers: unknown, file: string, cwd: string): TrustItem[] {
  if (typeof servers !== "object" || servers === null) return [];
  return Object.entries(servers).flatMap(([name, entry]) => {
    if ((entry as { disabled?: unknown } | null)?.disabled === true) return [];
    const { command, args, url } = (entry ?? {}) as Record<string, unknown>;
    const line = [command, ...(Array.isArray(args) ? args : [])]
      .filter((part) => typeof part === "string")
      .join(" ");
    const text = `MCP server ${name}: ${line || (typeof url === "string" ? url : JSON.stringify(entry))}`;
    const rest = JSON.stringify(entry);
    return {
      ...trustItem(`MCP server ${name} in ${file}`, text),
      digest: trustItem("", rest, line, cwd).digest,
    };
  });
}

/** A program of another vendor as a teammate, by its spec: that the person, or settings that the person agreed to, named it here. */
export const agentItem = (spec: string): TrustItem => trustItem(`teammate ${spec}`, `teammate ${spec}`);

/** A role of the project that chooses its model. `source`: the file, absolute. */
export function roleItem({ source, model }: Pick<Role, "source" | "model">, cwd: string): TrustItem {
  const file = relativeTo(cwd, source);
  return trustItem(`model of ${file}`, `${file}: model ${model}`);
}

/** A command of the project: its text becomes the words of the person who types its name. `source`: the file, absolute. */
export function commandItem({ source, body }: Pick<OwnCommand, "source" | "body">, cwd: string): TrustItem {
  const file = relativeTo(cwd, source);
  return trustItem(`command ${file}`, `${file}: ${body}`);
}

const GIT_KEYS =
  /hookspath|fsmonitor|command|program|helper|driver|clean|smudge|process|textconv|include|path/i;

const INCLUDES_MAX = 5;

/** `whole` is what is agreed to; `parts` are shown, one for each program. `setUp`: of worktrees; null for none. */
export type GitItems = {
  readonly whole: TrustItem;
  readonly parts: readonly TrustItem[];
  readonly setUp: SetUp | null;
};

/**
 * The programs that the project's own repository makes git run, and the set-up of its worktrees. They alone do not cause a question, and wait
 * for an agreement.
 */
export function gitItems(cwd: string, parseToml: ParseToml = () => null): GitItems {
  const { top, dirs } = repositoryOf(cwd);
  const lines = dirs.flatMap((git) =>
    ["config", "config.worktree"].flatMap((name) => configLines(join(git, name))),
  );
  const folders = lines.flatMap((line) => {
    const path = /^\s*hookspath\s*=\s*"?([^"]+?)"?\s*$/i.exec(line.text)?.[1];
    return path === undefined ? [] : [resolve(top, path)];
  });
  const programs = lines.filter(({ text }) => GIT_KEYS.test(text));
  const scripts = [...dirs.map((git) => join(git, "hooks")), ...folders].flatMap(scriptsIn);
  const hashes = scripts.map(([path, hash]) => `${basename(path)}\0${hash}`);
  const setUp = setUpIn((name) => foundFile(cwd, name, parseToml), process.platform);
  const setUps = (["command", "teardown"] as const).flatMap((key) => {
    const what = key === "command" ? "set-up" : "teardown";
    const line = setUp?.[key];
    return setUp && line
      ? [trustItem(`${what} in ${setUp.file}`, `${what} of worktrees: ${line}`, line, cwd)]
      : [];
  });
  const all = [...programs, ...hashes, ...setUps.map(({ digest }) => digest)];
  return {
    setUp,
    whole: { id: "git", text: "", digest: sha(all.join("\0")) },
    parts: [
      ...setUps,
      ...programs.map(({ section, text }) => {
        const shown = `git: ${section} ${text.trim()}`;
        return trustItem(shown, shown);
      }),
      ...scripts.map(([path, digest]) => {
        const text = `git hook ${relativeTo(cwd, path)}`;
        return { id: text, text, digest };
      }),
    ],
  };
}

/** A text in TOML. The library for it is loaded only where a project has such a file. */
export type ParseToml = (text: string) => unknown;

/** A folder that ends with a slash stands for its first file. */
function foundFile(cwd: string, name: string, parseToml: ParseToml): FoundFile | null {
  if (!name.endsWith("/")) {
    const content = jsonIn(join(cwd, name));
    return content === null ? null : { file: name, content };
  }
  const [first] = tomlFiles(join(cwd, name));
  if (first === undefined) return null;
  return { file: name + first, content: tried(() => parseToml(textIn(join(cwd, name, first))), null) };
}

/** That of the app first, which it names so. */
export const tomlFiles = (folder: string): string[] =>
  namesIn(folder)
    .filter((name) => name.endsWith(".toml"))
    .sort((a, b) => Number(b === "environment.toml") - Number(a === "environment.toml") || (a < b ? -1 : 1));

/**
 * The git directories of the repository that a folder is in, and the top of its files. In a submodule, and in a worktree that the person made,
 * `.git` is a file that names the first, which names the second. None for a folder in no repository.
 */
export function repositoryOf(folder: string): { readonly top: string; readonly dirs: readonly string[] } {
  for (let top = folder; ; top = dirname(top)) {
    const git = join(top, ".git");
    // As git does, it looks further up from a folder without a HEAD, which may be a link to nothing yet.
    if (isFolder(git) && readdirSync(git).includes("HEAD")) return { top, dirs: [git] };
    const named = /^gitdir: (.+)$/m.exec(textIn(git))?.[1];
    if (named !== undefined) {
      const own = resolve(top, named);
      return { top, dirs: [...new Set([own, resolve(own, textIn(join(own, "commondir")).trim())])] };
    }
    if (dirname(top) === top) return { top: folder, dirs: [] };
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

type ConfigLine = { readonly section: string; readonly text: string };

/** With those of the files that it includes: a file of the working tree changes with each pull. */
function configLines(path: string, depth = 0, seen = new Set<string>()): ConfigLine[] {
  if (depth > INCLUDES_MAX || seen.has(path) || !isFile(path)) return [];
  seen.add(path);
  let section = "";
  return readRegular(path, PROJECT_FILE_MAX)
    .split("\n")
    .flatMap((line) => {
      const included = /^\s*path\s*=\s*"?([^"~]+?)"?\s*$/i.exec(line)?.[1];
      const below =
        included === undefined ? [] : configLines(resolve(dirname(path), included), depth + 1, seen);
      section = /^\s*(\[[^\]]*\])/.exec(line)?.[1] ?? section;
      return [{ section, text: line }, ...below];
    });
}

const scriptsIn = (folder: string): (readonly [path: string, hash: string])[] =>
  (isFolder(folder) ? readdirSync(folder) : [])
    .filter((name) => !name.endsWith(".sample") && isFile(join(folder, name)))
    .map((name) => [join(folder, name), sha(readRegular(join(folder, name), Number.MAX_SAFE_INTEGER))]);
