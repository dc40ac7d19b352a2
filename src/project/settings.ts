/**
 * Reads the settings: flag > environment (`EKIDEN_…`) > the person's for this project > project > user > default. Each source is checked alone, so that a message
 * can name the file, the line and the key.
 */

import { join, relative } from "node:path";
import type { z } from "zod";
import { MEMBER_VARIABLE } from "../core/board/member.ts";
import { EkidenError } from "../core/errors.ts";
import { SETTING_KEYS, settingShape } from "../core/settings/fields.ts";
import { mergeSettings } from "../core/settings/merge.ts";
import {
  REMOVED_SETTINGS,
  RENAMED_SETTINGS,
  type SettingKey,
  type Settings,
  type SettingsLayer,
} from "../core/settings/settings.ts";
import { nearest } from "../core/text/nearest.ts";
import { tried } from "../core/tried.ts";
import { personalFile, userFile } from "./own-folders.ts";
import { fault, type Issue, inside } from "./settings-faults.ts";
import { settingsIn } from "./settings-file.ts";
import { type ProjectTrust, weighProject } from "./trust/weigh.ts";

/** Settings from the command line: texts as typed; a list where a flag may be repeated. */
export type Flags = Partial<Record<SettingKey, string | readonly string[] | boolean>>;
export type Sources = { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly flags: Flags };

export type Loaded = { readonly settings: Settings; readonly trust: ProjectTrust };

/**
 * `trusted`: the person's word for all items of the project, in this process only. Without it, an item without a recorded word is
 * left out of the settings. @throws EkidenError `settings_invalid`; `details.problems` lists every fault, the message has the first.
 */
export async function loadSettings(sources: Sources, { trusted = false } = {}): Promise<Loaded> {
  const { layers, problems } = await readLayers(sources);
  const [first, ...others] = problems;
  if (first === undefined) {
    const [flags = {}, variables = {}, project = {}, user = {}, personal = {}] = layers;
    const { cwd, env } = sources;
    const above = [flags, variables, personal];
    const { layer, trust } = await weighProject({
      cwd,
      layer: project,
      above,
      below: [user],
      env,
      all: trusted,
    });
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
    await settingsIn(projectFile(cwd), relative(cwd, projectFile(cwd)), problems),
  ];
  const user = userFile();
  layers.push(await settingsIn(user, user, problems));
  const personal = personalFile(cwd);
  layers.push(await settingsIn(personal, personal, problems));
  return { layers, problems };
}

export const projectFile = (cwd: string): string => join(cwd, ".ekiden", "settings.json");

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter}`);
const nameOfVariable = (key: string): string => `EKIDEN_${snakeCase(key).toUpperCase()}`;
export const variableName: (key: SettingKey) => string = nameOfVariable;
const flagName = (key: SettingKey): string => `--${snakeCase(key).toLowerCase().replaceAll("_", "-")}`;

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

const parsed = (json: string): unknown => tried(() => JSON.parse(json), json);

/** Set by this program for its commands, so not settings. */
const OWN_VARIABLES =
  /^EKIDEN_(?:JOB|HOOK|PROJECT_DIR|ROOT|WORKTREE|PORT|DB|TASK|ATTEMPT|IDEMPOTENCY_KEY|TRUST|WEB_TOKEN)(?:_|$)/;

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
    const gone = Object.keys(REMOVED_SETTINGS).find((key) => nameOfVariable(key) === name);
    if (gone) return [`the variable ${name} ${REMOVED_SETTINGS[gone]} Unset it.`];
    if (now) return [`the variable ${name} is now called ${variableName(now)}.`];
    const near = nearest(word, [...known.keys(), "TRUST"]);
    return near === null ? [] : [`unknown variable ${name}. Did you mean EKIDEN_${near}?`];
  });
}
