/** The table of habits, read and ready to be looked up. */
import { ASIDE, TABLE } from "./tool-habits.ts";
import type { Fields } from "./tool-values.ts";

export type Words = {
  /** Each field of the tool, with its names elsewhere. "@…" is no field of ours: `tool-values.ts` makes ours of it. */
  readonly fields: Record<string, readonly string[]>;
  /** Words that only describe the call. `word=value`: left aside only with that value, as JSON. */
  readonly aside: readonly string[];
};

export type Habit = Words & {
  /** The names of the tool elsewhere, and the fields that a name stands for. */
  readonly names: readonly string[];
  readonly stands: Record<string, Readonly<Record<string, unknown>>>;
  /** The words of the objects in a list. */
  readonly lists: Record<string, Words>;
  /** For a word that cannot be ours: the way to the same end. */
  readonly instead: Record<string, string>;
};

export const HABITS: Readonly<Record<string, Habit>> = read();

function read(): Record<string, Habit> {
  const words = (): Words => ({ fields: {}, aside: ASIDE.split(" ") });
  const habits: Record<string, Habit> = {};
  let habit: Habit | undefined;
  for (const line of TABLE.replaceAll(" | ", "\n  ").split("\n")) {
    const [, indent = "", key = "", colon = "", rest = ""] = /^( *)(\S+?)(:|(?= |$)) *(.*)$/.exec(line) ?? [];
    const list = rest.split(" ").filter(Boolean);
    const [, items, field = key] = /^(\w+)\[\]\.?(\S*)$/.exec(key) ?? [];
    if (key === "") continue;
    if (indent === "") {
      habit = { ...words(), names: list, stands: {}, lists: {}, instead: {} };
      habits[key] = habit;
      continue;
    }
    if (!habit) continue;
    if (items !== undefined) habit.lists[items] ??= words();
    const of = (items === undefined ? habit : habit.lists[items]) as {
      fields: Words["fields"];
      aside: string[];
    };
    if (field === "-") of.aside.push(...list);
    else if (field.startsWith("?")) habit.instead[field.slice(1)] = rest;
    else if (field.startsWith("+"))
      habit.stands[field.slice(1)] = JSON.parse(rest) as Record<string, unknown>;
    else if (colon === ":") of.fields[field] = list;
  }
  return habits;
}

/** A word in snake_case: `blockedBy` and `blocked-by` are blocked_by. Flags such as `-i` stay. */
export const folded = (word: string): string =>
  word
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_")
    .replace(/(?<=\w)-/g, "_")
    .toLowerCase();

export const isFields = (input: unknown): input is Fields =>
  typeof input === "object" && input !== null && !Array.isArray(input);

/**
 * With our names of the fields. A second word for the same field with another value stays: it is refused as a contradiction. What is null
 * was not given: providers fill optional fields with it.
 */
export function renamed(
  input: Fields,
  habit: Words,
): { fields: Record<string, unknown>; words: Map<string, string> } {
  const { ours, aside } = dictionaryOf(habit);
  const fields = new Map<string, unknown>();
  const words = new Map<string, string>();
  const given = Object.entries(input).filter(([, value]) => value !== null && value !== undefined);
  const isOwn = (name: string): boolean => Object.hasOwn(habit.fields, name);
  for (const [name, value] of given) if (isOwn(name)) fields.set(name, value);
  for (const [word, value] of given) {
    if (isOwn(word)) continue;
    const name = ours.get(word) ?? ours.get(folded(word));
    if (name !== undefined && !fields.has(name)) {
      fields.set(name, value);
      words.set(name, word);
    } else if (name === undefined ? !isAside(aside, word, value) : !areEqual(fields.get(name), value))
      fields.set(word, value);
  }
  return { fields: Object.fromEntries(fields), words };
}

type Dictionary = {
  readonly ours: ReadonlyMap<string, string>;
  /** Each word with the values that are left aside; undefined: any. */
  readonly aside: ReadonlyMap<string, readonly string[] | undefined>;
};
const dictionaries = new WeakMap<Words, Dictionary>();

/** The words of a tool, ready to be looked up. */
export function dictionaryOf(habit: Words): Dictionary {
  const known = dictionaries.get(habit);
  if (known) return known;
  const ours = new Map(
    Object.entries(habit.fields).flatMap(([name, words]) =>
      [name, ...words].map((word) => [word, name] as const),
    ),
  );
  const aside = new Map<string, readonly string[] | undefined>();
  for (const one of habit.aside) {
    const [, word = one, value] = /^(\w+)=(.*)$/.exec(one) ?? [];
    aside.set(word, value === undefined ? undefined : [...(aside.get(word) ?? []), value]);
  }
  const dictionary = { ours, aside };
  dictionaries.set(habit, dictionary);
  return dictionary;
}

function isAside(aside: Dictionary["aside"], word: string, value: unknown): boolean {
  const name = aside.has(word) ? word : folded(word);
  const values = aside.get(name);
  // Some models write "false" for false.
  const forms = [JSON.stringify(value), String(value)];
  return aside.has(name) && (values === undefined || forms.some((form) => values.includes(form)));
}

/** Also `[2]` and `"#2"`. */
const areEqual = (one: unknown, other: unknown): boolean => bare(one) === bare(other);
const bare = (value: unknown): string => JSON.stringify(value).replace(/["#[\]\s]/g, "");
