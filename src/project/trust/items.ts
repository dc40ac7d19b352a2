/**
 * The items of a project that run programs, take rights or redirect data. Each item has a digest of what would
 * run: a change of the text, or of a script of the project that the text names, makes another item of it.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { PROJECT_FILE_MAX, readRegular } from "../../adapters/small-files.ts";
import type { Recruit } from "../../core/board/recruit.ts";
import { DEFAULT_RUN_USD } from "../../core/budget.ts";
import { isWithin, relativeTo } from "../../core/paths/paths.ts";
import type { OwnCommand } from "../../core/project/own-command.ts";
import type { Role } from "../../core/project/role.ts";
import type { SettingKey, Settings, SettingsLayer } from "../../core/settings/settings.ts";

export type TrustItem = {
  /** Stays the same when the item changes: `hooks.Stop 1 in .ekiden/settings.json`. */
  readonly id: string;
  /** The command that would run, or the value that would hold, in full. */
  readonly text: string;
  readonly digest: string;
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
  ...(["maxAttempts", "shutdownDeadlineMs", "planDeadlineMs", "bashTimeoutMs"] as const),
  ...([
    "permissionDeadlineMs",
    "questionDeadlineMs",
    "providerTimeoutMs",
    "contextShare",
    "contextTokens",
    "trimTokens",
  ] as const),
  ...(["keepResults", "shortResult", "notesTokens", "todoReminderRounds"] as const),
  ...([
    "deadline",
    "leadMayHoldSeveralTasks",
    "worktrees",
    "gateTimeoutMs",
    "targetBranch",
    "memory",
  ] as const),
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

/** `personal`: the settings as they would be without the project's file. */
export function settingItems(layer: SettingsLayer, personal: Settings, cwd: string): TrustItem[] {
  const items: TrustItem[] = [];
  const where = ` in ${SETTINGS_FILE}`;
  for (const [key, value] of Object.entries(layer) as [SettingKey, unknown][]) {
    if (value === undefined || isHarmless(key, value, personal)) continue;
    if (key === "hooks") items.push(...hookItems(layer.hooks ?? {}, cwd));
    else if (key === "mcpServers") items.push(...serverItems(value, SETTINGS_FILE, cwd));
    else if (key === "allow") items.push(...(layer.allow ?? []).map(allowRuleItem));
    else
      items.push(
        trustItem(key + where, `${key}: ${JSON.stringify(value)}`, key === "gate" ? String(value) : "", cwd),
      );
  }
  return items;
}

export const allowRuleItem = (rule: string): TrustItem => trustItem(allowId(rule), `allow ${rule}`);

export const allowId = (rule: string): string => `allow ${rule} in ${SETTINGS_FILE}`;

function isHarmless(key: SettingKey, value: unknown, personal: Settings): boolean {
  const own = personal[key] ?? (key === "budgetUsd" ? DEFAULT_RUN_USD : undefined);
  if (HARMLESS.has(key) || STRICTEST[key] === value) return true;
  if (CAPS.has(key)) return own === undefined || (value as number) <= (own as number);
  if (key === "teammates") {
    const mates = value as readonly Recruit[];
    return mates.length <= TEAMMATES_MAX && mates.every(({ agent }) => agent === undefined);
  }
  return key !== "hooks" && key !== "mcpServers" && JSON.stringify(own) === JSON.stringify(value);
}

function hookItems(hooks: Settings["hooks"], cwd: string): TrustItem[] {
  return Object.entries(hooks).flatMap(([event, list]) =>
    (list ?? []).map(({ matcher, command }, i) => {
      const text = `hook ${event}${matcher ? ` (${matcher})` : ""}: ${command}`;
      return trustItem(hookId(event, i), text, command, cwd);
    }),
  );
}
export const hookId = (event: string, index: number): string =>
  `hooks.${event} ${index + 1} in ${SETTINGS_FILE}`;

export const serverId = (name: string, file: string): string => `MCP server ${name} in ${file}`;

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
    return { ...trustItem(serverId(name, file), text), digest: trustItem("", rest, line, cwd).digest };
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

/** The programs that the project's own repository makes git run. They alone do not cause a question, and wait for an agreement. */
export function gitItem(cwd: string): TrustItem {
  const git = join(cwd, ".git");
  const lines = ["config", "config.worktree"].flatMap((name) => configLines(join(git, name)));
  const folders = lines.flatMap((line) => {
    const path = /^\s*hookspath\s*=\s*"?([^"]+?)"?\s*$/i.exec(line)?.[1];
    return path === undefined ? [] : [resolve(cwd, path)];
  });
  const scripts = [join(git, "hooks"), ...folders].flatMap(scriptsIn);
  const text = "the git hooks and git programs that this repository configures";
  return {
    id: "git",
    text,
    digest: sha([...lines.filter((line) => GIT_KEYS.test(line)), ...scripts].join("\0")),
  };
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** With those of the files that it includes: a file of the working tree changes with each pull. */
function configLines(path: string, depth = 0, seen = new Set<string>()): string[] {
  if (depth > INCLUDES_MAX || seen.has(path) || !isFile(path)) return [];
  seen.add(path);
  return readRegular(path, PROJECT_FILE_MAX)
    .split("\n")
    .flatMap((line) => {
      const included = /^\s*path\s*=\s*"?([^"~]+?)"?\s*$/i.exec(line)?.[1];
      const below =
        included === undefined ? [] : configLines(resolve(dirname(path), included), depth + 1, seen);
      return [line, ...below];
    });
}

const scriptsIn = (folder: string): string[] =>
  (statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [])
    .filter((name) => !name.endsWith(".sample") && isFile(join(folder, name)))
    .map((name) => `${name}\0${sha(readRegular(join(folder, name), Number.MAX_SAFE_INTEGER))}`);
