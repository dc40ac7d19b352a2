/** Reads Markdown files with a YAML head safely: bounded, regular, inside the folder they belong to. */
import { lstatSync, type Stats, statSync } from "node:fs";
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, relative, sep } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { looseHead, splitFrontMatter } from "../../core/project/front-matter.ts";
import { namesIn } from "../small-files.ts";

/** A file that could not be used, and why: shown to the person, never fatal. */
export type Problem = { readonly file: string; readonly why: string };
export type Loaded<T> = { readonly items: T[]; readonly problems: Problem[] };

const FILE_MAX = 256 * 1024;

/**
 * The text of a file that is really inside `root` (a link that leads out is refused), or null when there is none.
 * @throws Error with the reason when it exists and cannot be used.
 */
export async function readInside(root: string, path: string): Promise<string | null> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
  if (!found) {
    const link = await lstat(path).catch(() => null);
    if (link) throw new Error("it is a link to nothing");
    return null;
  }
  if (!found.isFile()) return null;
  const way = relative(await realpath(root), await realpath(path));
  if (way === ".." || way.startsWith(`..${sep}`)) throw new Error("it is a link out of its folder");
  if (found.size > FILE_MAX) throw new Error(`it has ${found.size} bytes; at most ${FILE_MAX} are read`);
  return await readFile(path, "utf8");
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
  const { parseDocument } = await import("yaml"); // loaded only when there is a head to parse: it costs a start 20 ms
  const document = parseDocument(head, { prettyErrors: true, uniqueKeys: true });
  const [error] = document.errors;
  const loose = error ? looseHead(head) : null;
  if (loose) return { data: loose, body };
  if (error) throw new Error(`its head is no YAML: ${error.message.split("\n")[0]}`);
  return { data: document.toJS({ maxAliasCount: 20 }), body };
}

type File = { readonly root: string; readonly path: string; readonly name: string };
type Made = { readonly item: unknown } | { readonly why: string };

/** The results for files that have not changed: every member looks at each file before each of its stints. */
const made = new Map<string, { readonly stamp: string; readonly result: Made }>();
const MADE_MAX = 5_000;

/**
 * Reads files through `make`; an unusable file becomes a problem and the others go on. The first of a name wins, in any case
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
    const text = await readInside(root, path);
    return text === null ? null : { item: make(await parseMarkdown(text), name, path) };
  } catch (error) {
    return { why: messageOf(error) };
  }
}

export const stem = (file: string): string => basename(file).replace(/\.md$/, "");
