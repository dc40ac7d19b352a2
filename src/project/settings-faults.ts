/** Says what is wrong with a value of the settings, in our own words. */
import type { z } from "zod";
import { quote } from "../core/ids.ts";
import { HOOK_EVENTS } from "../core/project/hooks.ts";
import { SETTING_KEYS } from "../core/settings/fields.ts";
import { REMOVED_SETTINGS, RENAMED_SETTINGS } from "../core/settings/settings.ts";
import { didYouMean } from "../core/text/nearest.ts";

export type Issue = z.core.$ZodIssue;

export const inside = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);

export function unknownKey(key: string, { path }: Issue): string {
  if (path.length > 0) {
    const isHook = path.length === 1 && path[0] === "hooks";
    const hint = isHook ? didYouMean(key, HOOK_EVENTS) || ` The hooks: ${HOOK_EVENTS.join(", ")}.` : "";
    return `${placeOf(path)}: unknown ${isHook ? "hook" : "key"} ${quote(key)}.${hint}`;
  }
  if (Object.hasOwn(REMOVED_SETTINGS, key))
    return `the setting ${quote(key)} ${REMOVED_SETTINGS[key]} Remove the line.`;
  const renamed = Object.hasOwn(RENAMED_SETTINGS, key) ? RENAMED_SETTINGS[key] : undefined;
  return renamed
    ? `the setting ${quote(key)} is now called ${quote(renamed)}.`
    : `unknown setting ${quote(key)}.${didYouMean(key, SETTING_KEYS)}`;
}

/** "leaseMs: expected a whole number, found "soon"." Names have a whole sentence as their message. */
export function fault(issue: Issue, value: unknown): string {
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
