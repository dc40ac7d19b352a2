/**
 * Reads the settings: flag > environment (`EKIDEN_…`) > project > user > default. Each source is checked alone, so that a message
 * can name the file, the line and the key.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import envPaths from "env-paths";
import type { z } from "zod";
import { EkidenError } from "../core/errors.ts";
import { quote } from "../core/ids.ts";
import { MEMBER_VARIABLE } from "../core/member.ts";
import { didYouMean, nearest } from "../core/nearest.ts";
import { HOOK_EVENTS } from "../core/project/hooks.ts";
import {
  RENAMED_SETTINGS,
  SETTING_KEYS,
  type SettingKey,
  type Settings,
  type SettingsLayer,
  settingShape,
  settingsLayer,
} from "../core/settings.ts";
import { mergeSettings } from "../core/settings-merge.ts";
import { type ProjectTrust, weighProject } from "./trust/weigh.ts";

/** Settings from the command line: texts as typed; a list where a flag may be repeated. */
export type Flags = Partial<Record<SettingKey, string | readonly string[] | boolean>>;
export type Sources = { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly flags: Flags };

export type Loaded = { readonly settings: Settings; readonly trust: ProjectTrust };

/**
 * `trusted`: the person's word for all that the project brings, in this process only. Without it, what has no recorded word is
 * left out of the settings. @throws EkidenError `settings_invalid`; `details.problems` lists every fault, the message has the first.
 */
export async function loadSettings(sources: Sources, { trusted = false } = {}): Promise<Loaded> {
  const { layers, problems } = await readLayers(sources);
  const [first, ...others] = problems;
  if (first === undefined) {
    const [flags = {}, variables = {}, project = {}, user = {}] = layers;
    const { cwd, env } = sources;
    const above = [flags, variables];
    const { layer, trust } = weighProject({ cwd, layer: project, above, below: [user], env, all: trusted });
    return { settings: mergeSettings([...above, layer, user]), trust };
  }
  const more = others.length > 0 ? ` (${others.length} more: see ekiden doctor)` : "";
  throw new EkidenError("settings_invalid", first + more, { details: { problems } });
}

async function readLayers({
  cwd,
  env,
  flags,
}: Sources): Promise<{ layers: SettingsLayer[]; problems: string[] }> {
  const problems: string[] = unknownVariables(env);
  const texts = (
    source: (key: SettingKey) => string,
    values: (key: SettingKey) => Flags[SettingKey],
  ): SettingsLayer => {
    const layer: Record<string, unknown> = {};
    for (const key of SETTING_KEYS) {
      const value = values(key);
      if (value === undefined || value === "") continue;
      const read = fromText(key, value);
      if (read.ok) layer[key] = read.value;
      else problems.push(`${source(key)}: ${fault(read.issue, read.value)}`);
    }
    return layer as SettingsLayer;
  };
  const layers = [
    texts(flagName, (key) => flags[key]),
    texts(variableName, (key) => env[variableName(key)]),
    await fromFile(projectFile(cwd), relative(cwd, projectFile(cwd)), problems),
  ];
  const user = userFile();
  layers.push(await fromFile(user, user, problems));
  return { layers, problems };
}

export const projectFile = (cwd: string): string => join(cwd, ".ekiden", "settings.json");

export function userFile(): string {
  return join(envPaths("ekiden", { suffix: "" }).config, "settings.json");
}

/** Where the sandbox keeps its proofs and the caches of a project's commands, and which folders those must not see. */
export function sandboxFolders(workspace: string): {
  readonly stateFolder: string;
  readonly cacheFolder: string;
  readonly ownFolders: readonly string[];
} {
  const { config, data, log: state, cache } = envPaths("ekiden", { suffix: "" });
  const project = createHash("sha256").update(workspace).digest("hex").slice(0, 16);
  return {
    stateFolder: state,
    cacheFolder: join(cache, "sandbox", project),
    ownFolders: [config, data, state],
  };
}

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter}`);
const nameOfVariable = (key: string): string => `EKIDEN_${snakeCase(key).toUpperCase()}`;
export const variableName: (key: SettingKey) => string = nameOfVariable;
const flagName = (key: SettingKey): string => `--${snakeCase(key).toLowerCase().replaceAll("_", "-")}`;

type Issue = z.core.$ZodIssue;
type Read =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issue: Issue; readonly value: unknown };

const LISTS: ReadonlySet<SettingKey> = new Set(["allow", "ask", "deny", "worktreeShare", "mailAcrossTeams"]);

/** A text may be a number, a switch, a list or plain text: the first reading that the setting accepts counts. */
function fromText(key: SettingKey, value: string | readonly string[] | boolean): Read {
  const shape: z.ZodType = settingShape(key);
  const candidates: unknown[] = [];
  if (typeof value === "string") {
    if (/^-?\d+(\.\d+)?$/.test(value.trim())) candidates.push(Number(value));
    if (value === "true" || value === "1") candidates.push(true);
    if (value === "false" || value === "0") candidates.push(false);
    if (value.trim().startsWith("{")) candidates.push(parsed(value));
    if (key === "teammates" || LISTS.has(key)) candidates.push(list(value));
    else candidates.push(value);
  } else candidates.push(value);
  let first: Read | undefined;
  for (const candidate of candidates) {
    const read = shape.safeParse(candidate);
    if (read.success) return { ok: true, value: read.data };
    const issue = read.error.issues[0] as Issue;
    // A value that looks like a number was meant as one, so the first candidate has the useful complaint.
    first ??= { ok: false, issue, value: issue.path.length > 0 ? inside(candidate, issue.path) : value };
  }
  return first as Read;
}

/** `a,b` or, where an element holds a comma, a JSON array. */
function list(text: string): unknown {
  if (text.trim().startsWith("[")) return parsed(text);
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

async function fromFile(path: string, shown: string, problems: string[]): Promise<SettingsLayer> {
  if (!existsSync(path)) return {};
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    problems.push(`${shown}: is not a regular file.`);
    return {};
  }
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    problems.push(`${shown}: cannot be read (${(error as NodeJS.ErrnoException).code}).`);
    return {};
  }
  const jsonc = await import("jsonc-parser");
  const line = (offset: number): string => `${shown}:${text.slice(0, offset).split("\n").length}`;
  const errors: import("jsonc-parser").ParseError[] = [];
  const tree = jsonc.parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [broken] = errors;
  if (broken) {
    const what = jsonc.printParseErrorCode(broken.error).replace(/([a-z])([A-Z])/g, "$1 $2");
    problems.push(
      `${line(broken.offset)}: is not valid JSON: ${what.toLowerCase()}. Comments and trailing commas are fine.`,
    );
    return {};
  }
  const value: unknown = tree ? jsonc.getNodeValue(tree) : {};
  const read = settingsLayer().safeParse(withoutSchema(value));
  if (read.success) return read.data;
  const at = (place: readonly PropertyKey[]): string => {
    const node = tree && jsonc.findNodeAtLocation(tree, place as (string | number)[]);
    return line((node?.parent?.type === "property" ? node.parent.offset : node?.offset) ?? 0);
  };
  for (const issue of read.error.issues) {
    if (issue.code !== "unrecognized_keys")
      problems.push(`${at(issue.path)}: ${fault(issue, inside(value, issue.path))}`);
    else
      for (const key of issue.keys) problems.push(`${at([...issue.path, key])}: ${unknownKey(key, issue)}`);
  }
  return {};
}

/** `$schema` is for editors. */
function withoutSchema(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const { $schema, ...rest } = value as Record<string, unknown>;
  return rest;
}

const inside = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);

function unknownKey(key: string, { path }: Issue): string {
  if (path.length > 0) {
    const isHook = path.length === 1 && path[0] === "hooks";
    const hint = isHook ? didYouMean(key, HOOK_EVENTS) || ` The hooks: ${HOOK_EVENTS.join(", ")}.` : "";
    return `${placeOf(path)}: unknown ${isHook ? "hook" : "key"} ${quote(key)}.${hint}`;
  }
  const renamed = Object.hasOwn(RENAMED_SETTINGS, key) ? RENAMED_SETTINGS[key] : undefined;
  return renamed
    ? `the setting ${quote(key)} is now called ${quote(renamed)}.`
    : `unknown setting ${quote(key)}.${didYouMean(key, SETTING_KEYS)}`;
}

/** Set by this program for its commands, so not settings. */
const OWN_VARIABLES = /^EKIDEN_(?:JOB|HOOK|PROJECT_DIR|TASK|ATTEMPT|IDEMPOTENCY_KEY|TRUST)(?:_|$)/;

/** Old and mistyped names of variables. A name that resembles none may be the person's own. */
function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = new Map(SETTING_KEYS.map((key) => [variableName(key).slice(7), key]));
  const renamed = new Map(Object.entries(RENAMED_SETTINGS).map(([old, key]) => [nameOfVariable(old), key]));
  return Object.keys(env).flatMap((name) => {
    const word = name.slice(7);
    if (
      !name.startsWith("EKIDEN_") ||
      known.has(word) ||
      OWN_VARIABLES.test(name) ||
      name === MEMBER_VARIABLE
    )
      return [];
    const now = renamed.get(name);
    if (now) return [`the variable ${name} is now called ${variableName(now)}.`];
    const near = nearest(word, [...known.keys(), "TRUST"]);
    return near === null ? [] : [`unknown variable ${name}. Did you mean EKIDEN_${near}?`];
  });
}

/** "leaseMs: expected a whole number, found "soon"." Names have a whole sentence as their message. */
function fault(issue: Issue, value: unknown): string {
  const sentence = ownSentence(issue);
  const key = issue.path.length > 0 ? `${placeOf(issue.path)}: ` : "";
  if (sentence) return `${key}${sentence}`;
  const found =
    value === undefined ? "nothing" : quote(typeof value === "string" ? value : JSON.stringify(value));
  return `${key}expected ${expectation(issue)}, found ${found}.`;
}

/** "hooks.Stop, entry 2.timeout" */
const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .join(".")
    .replace(/(^|\.)(\d+)(?=\.|$)/g, (_, dot: string, n: string) => `${dot && ", "}entry ${Number(n) + 1}`);

const SHAPES: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  record: "an object",
  string: "a text",
  number: "a number",
  boolean: "true or false",
};

/** Our own words for what a schema wants, where it has none. */
function expectation(issue: Issue): string {
  if (!issue.message.startsWith("Invalid input")) return issue.message;
  if (issue.code === "invalid_type") return SHAPES[issue.expected] ?? issue.expected;
  return "another value";
}

/** The message of one of our own readers, at any depth of a union. */
function ownSentence(issue: Issue): string | null {
  if (issue.code === "custom") return issue.message;
  if (issue.code !== "invalid_union") return null;
  for (const inner of issue.errors.flat()) {
    const found = ownSentence(inner);
    if (found) return found;
  }
  return null;
}
