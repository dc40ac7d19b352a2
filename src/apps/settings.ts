/**
 * Reads the settings: flag > environment (`EKIDEN_…`) > project > user > default. Each source is checked by itself, so that
 * a message can name the file, the line and the key.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import envPaths from "env-paths";
import type { z } from "zod";
import { EkidenError } from "../core/errors.ts";
import { quote } from "../core/ids.ts";
import { didYouMean } from "../core/nearest.ts";
import {
  mergeSettings,
  SETTING_KEYS,
  type SettingKey,
  type Settings,
  type SettingsLayer,
  settingShape,
  settingsLayer,
} from "../core/settings.ts";

/** What the command line gave: texts as typed; a list for what may be repeated. */
export type Flags = Partial<Record<SettingKey, string | readonly string[] | boolean>>;
export type Sources = { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly flags: Flags };

/** @throws EkidenError `settings_invalid`; `facts.problems` lists every fault, the message says the first. */
export async function loadSettings(sources: Sources): Promise<Settings> {
  const { layers, problems } = await readLayers(sources);
  const [first, ...others] = problems;
  if (first === undefined) return mergeSettings(layers);
  const more = others.length > 0 ? ` (${others.length} more: see ekiden doctor)` : "";
  throw new EkidenError("settings_invalid", first + more, { details: { problems } });
}

async function readLayers({
  cwd,
  env,
  flags,
}: Sources): Promise<{ layers: SettingsLayer[]; problems: string[] }> {
  const problems: string[] = [];
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
      else problems.push(`${source(key)}: ${fault(read.issue, value)}`);
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

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter}`);
export const variableName = (key: SettingKey): string => `EKIDEN_${snakeCase(key).toUpperCase()}`;
const flagName = (key: SettingKey): string => `--${snakeCase(key).toLowerCase().replaceAll("_", "-")}`;

type Issue = z.core.$ZodIssue;
type Read = { ok: true; value: unknown } | { ok: false; issue: Issue };

const LISTS: ReadonlySet<SettingKey> = new Set(["allow", "ask", "deny", "worktreeShare", "mailAcrossTeams"]);

/** A text may mean a number, a switch, a list or itself: the first that this setting accepts counts. */
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
  let issue: Issue | undefined;
  for (const candidate of candidates) {
    const read = shape.safeParse(candidate);
    if (read.success) return { ok: true, value: read.data };
    // The number is what was meant, if there is one: its complaint is the useful one.
    issue ??= read.error.issues[0];
  }
  return { ok: false, issue: issue as Issue };
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
    if (issue.code === "unrecognized_keys")
      for (const key of issue.keys)
        problems.push(
          `${at([...issue.path, key])}: unknown setting ${quote(key)}.${didYouMean(key, SETTING_KEYS)}`,
        );
    else problems.push(`${at(issue.path)}: ${fault(issue, inside(value, issue.path))}`);
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

/** "leaseMs: expected a whole number, found "soon"." Names bring a whole sentence of their own. */
function fault(issue: Issue, value: unknown): string {
  const sentence = ownSentence(issue);
  const key = issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  if (sentence) return `${key}${sentence}`;
  const expected =
    issue.code === "invalid_type" && issue.path.length === 0 && issue.expected === "object"
      ? "an object"
      : issue.message;
  return `${key}expected ${expected}, found ${quote(typeof value === "string" ? value : JSON.stringify(value))}.`;
}

/** The message of one of our own readers, wherever zod has put it. */
function ownSentence(issue: Issue): string | null {
  if (issue.code === "custom") return issue.message;
  if (issue.code !== "invalid_union") return null;
  for (const inner of issue.errors.flat()) {
    const found = ownSentence(inner);
    if (found) return found;
  }
  return null;
}
