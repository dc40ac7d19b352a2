/** Reads Markdown files with a YAML head safely: bounded, regular, inside the folder they belong to. */
import { lstatSync, type Stats, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename } from "node:path";
import { checkData, DEPTH_MAX, TOO_DEEP, whyUnread } from "../../core/plain-data.ts";
import { looseHead, splitFrontMatter } from "../../core/project/front-matter.ts";
import { namesIn, readRegular, whyNotRead } from "../small-files.ts";

/** A file that could not be used, and why: shown to the person, never fatal. */
export type Problem = { readonly file: string; readonly why: string };
export type Loaded<T> = { readonly items: T[]; readonly problems: Problem[] };

const FILE_MAX = 256 * 1024;

/**
 * The text of a file that is really inside `root` (a link that leads out is refused), or null when there is none.
 * @throws Error with the reason when it exists and cannot be used.
 */
export function readInside(root: string, path: string): string | null {
  try {
    if (statSync(path).isDirectory()) return null;
    return readRegular(path, FILE_MAX, { within: root });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && lstatSync(path, { throwIfNoEntry: false }))
      throw new Error("it is a link to nothing");
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new Error(whyNotRead(error));
  }
}

/** The entries of a folder in order of name; none when the folder does not exist. */
export async function entriesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => !name.startsWith(".")).sort();
}

/** The same synchronously, for a quick look whether anything has changed. */
export const entriesNow = (folder: string): string[] =>
  namesIn(folder).filter((name) => !name.startsWith("."));

/** Kernels count the time of a change in ticks of up to 10 ms: two changes in one tick have the same time. */
const TICK_MS = 20;
let young = 0;

/** A text that differs after every change of a file or of a folder's list, and at every look at one that has just changed. */
function stampIn({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  if (Math.abs(Date.now() - ctimeMs) < TICK_MS) {
    young += 1;
    return `young ${young}`;
  }
  return [dev, ino, size, mtimeMs, ctimeMs].join();
}

/** "" when it does not exist. Takes microseconds, where a wait takes milliseconds. */
export function stampOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found) return stampIn(found);
    return lstatSync(path, { throwIfNoEntry: false }) ? "a link to nothing" : "";
  } catch {
    return "unreadable";
  }
}

export type Parsed = { readonly data: unknown; readonly body: string };

/** The head as data (null without one) and the rest. Nothing in a head is executed. @throws Error with the place where the YAML is wrong. */
export async function parseMarkdown(text: string): Promise<Parsed> {
  const { head, body } = splitFrontMatter(text);
  if (head === null) return { data: null, body };
  if (head.length > HEAD_MAX)
    throw new Error(`its head has ${head.length} characters; the limit is ${HEAD_MAX}`);
  refuseDeep(head);
  const { isMap, parseDocument } = await import("yaml"); // loaded only when there is a head to parse: it costs a start 20 ms
  // The parser compares each key with each other one.
  const document = parseDocument(head, { prettyErrors: true, uniqueKeys: false });
  const keys = isMap(document.contents) ? document.contents.items.map(({ key }) => String(key)) : [];
  const seen = new Set<string>();
  const twice = keys.find((key) => seen.has(key) || !seen.add(key));
  const error = document.errors[0]?.message ?? (twice && `Map keys must be unique: ${twice}`);
  const loose = error ? looseHead(head) : null;
  if (loose) return { data: loose, body };
  if (error) throw new Error(`its head is no YAML: ${error.split("\n")[0]}`);
  const data: unknown = document.toJS({ maxAliasCount: 20 });
  checkData(data);
  return { data, body };
}

const HEAD_MAX = 64 * 1024;

/** The parser calls itself for each level, and needs seconds to see that there are too many. @throws Error */
function refuseDeep(head: string): void {
  let depth = 0;
  for (const bracket of head.match(/[[\]{}]|(?:[-?:][ \t]+){50}/g) ?? []) {
    depth += bracket === "]" || bracket === "}" ? -1 : bracket.length > 1 ? 50 : 1;
    if (depth > DEPTH_MAX) throw new Error(TOO_DEEP);
  }
}

type File = { readonly root: string; readonly path: string; readonly name: string };
type Made = { readonly item: unknown } | { readonly why: string };

/** The results for files that have not changed: every member looks at each file before each of its stints. */
const made = new Map<string, { readonly stamp: string; readonly result: Made }>();
const MADE_MAX = 5_000;

/**
 * Reads files through `make`; an unusable file becomes a problem and the others continue. The first of a name wins, in any case
 * of letters. `make` must return the same for the same file.
 */
export async function loadEach<T extends { readonly name: string }>(
  files: readonly File[],
  make: (parsed: Parsed, name: string, path: string) => T,
): Promise<Loaded<T>> {
  const results = await Promise.all(
    files.map(async (file) => ({ file: file.path, made: await madeOf(file, make) })),
  );
  const items = new Map<string, T>();
  const problems: Problem[] = [];
  for (const { file, made } of results) {
    if (made === null) continue;
    if ("why" in made) {
      problems.push({ file, why: made.why });
      continue;
    }
    const item = made.item as T;
    const key = item.name.toLowerCase();
    if (!items.has(key)) items.set(key, item);
  }
  return { items: [...items.values()], problems };
}

async function madeOf<T>(
  { root, path, name }: File,
  make: (parsed: Parsed, name: string, path: string) => T,
): Promise<Made | null> {
  const found = await stat(path).catch(() => null);
  const stamp = found ? stampIn(found) : "";
  const known = made.get(path);
  if (known && stamp !== "" && known.stamp === stamp) return known.result;
  const result = await makeFrom(root, path, name, make);
  if (made.size >= MADE_MAX) made.clear();
  if (result && stamp !== "") made.set(path, { stamp, result });
  return result;
}

async function makeFrom<T>(
  root: string,
  path: string,
  name: string,
  make: (parsed: Parsed, name: string, path: string) => T,
): Promise<Made | null> {
  try {
    const text = readInside(root, path);
    return text === null ? null : { item: make(await parseMarkdown(text), name, path) };
  } catch (error) {
    return { why: whyUnread(error) };
  }
}

export const stem = (file: string): string => basename(file).replace(/\.md$/, "");
