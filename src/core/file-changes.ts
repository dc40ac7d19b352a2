/**
 * Judges what a change of a file adds to what lasts. It keeps, for each file, how far it is from its origin: the lines that came and the
 * lines that went. A change lasts when the file is further away than ever before. A file that is overwritten again and again, or that has
 * two contents in turn, stays at the same distance.
 */
import { hashOf } from "./hash.ts";
import { figures } from "./volatile.ts";

/** A call that wrote a file, as its tool was asked: the whole content, or one text in place of another. */
export type FileWrite =
  | { readonly path: string; readonly content: string }
  | { readonly path: string; readonly old: string; readonly new: string };

/** `counted`: in place, with higher numbers than before, such as the next version. */
export type Change = "lasting" | "counted" | "nothing";

/** Larger distances of one file that count. A file that grows without an end is no progress for ever. */
const STEPS_MAX = 400;
/** Lines of one change that are compared. */
const LINES_MAX = 5_000;

/** A file that is this far away may have a new origin, so that a second pass over it counts too: with small edits only. */
const PASS_LINES = 20;
const SMALL_EDIT = 10;

type Known = {
  /** The lines of the origin; null as long as the file was only edited in parts. */
  origin: ReadonlySet<string> | null;
  readonly added: Set<string>;
  readonly removed: Set<string>;
  furthest: number;
  steps: number;
  /** The highest number that was ever written in place. */
  highest: number;
};

const fresh = (): Known => ({
  ...{ origin: null, added: new Set<string>(), removed: new Set<string>(), furthest: 0, steps: 0 },
  highest: Number.NEGATIVE_INFINITY,
});

export class FileChanges {
  private readonly files = new Map<string, Known>();

  judge(write: FileWrite): Change {
    const path = fileOf(write.path);
    const known = this.files.get(path) ?? fresh();
    this.files.set(path, known);
    if ("content" in write) return this.rewritten(known, linesOf(write.content));
    const [old, now] = [linesOf(write.old), linesOf(write.new)];
    const isSmall = old.length + now.length <= SMALL_EDIT;
    if (isSmall && known.furthest >= PASS_LINES && distanceAfter(known, old, now) <= known.furthest)
      rebase(known);
    replace(known, old, now);
    if (grew(known)) return "lasting";
    return counts(known, write.old, write.new) ? "counted" : "nothing";
  }

  private rewritten(known: Known, lines: readonly string[]): Change {
    const now = new Set(lines);
    if (known.origin === null) {
      known.origin = now;
      known.furthest = 0;
      known.steps += 1;
      forget(known);
      return now.size > 0 ? "lasting" : "nothing";
    }
    forget(known);
    for (const line of now) if (!known.origin.has(line)) known.added.add(line);
    for (const line of known.origin) if (!now.has(line)) known.removed.add(line);
    return grew(known) ? "lasting" : "nothing";
  }

  /** The person said something, or a change landed: what was written until now is settled. */
  settle(): void {
    for (const known of this.files.values()) known.steps = 0;
  }
}

function grew(known: Known): boolean {
  const distance = known.added.size + known.removed.size;
  if (distance <= known.furthest || known.steps >= STEPS_MAX) return false;
  known.furthest = distance;
  known.steps += 1;
  return true;
}

function forget({ added, removed }: Known): void {
  added.clear();
  removed.clear();
}

/** The file as it is now becomes its origin. */
function rebase(known: Known): void {
  const { origin, added, removed } = known;
  if (origin) known.origin = new Set([...[...origin].filter((line) => !removed.has(line)), ...added]);
  forget(known);
  known.furthest = 0;
}

function distanceAfter(known: Known, old: readonly string[], now: readonly string[]): number {
  const copy = { ...known, added: new Set(known.added), removed: new Set(known.removed) };
  replace(copy, old, now);
  return copy.added.size + copy.removed.size;
}

/** A file with a random name is the same file as the next one with a random name. */
const fileOf = (path: string): string =>
  path
    .replace(/^\.\//, "")
    .replace(/(?=[\w-]*\d)[\da-f]{8,}(?:-[\da-f]{4,})*/gi, "<id>")
    .replace(/0\.\d{4,}/g, "<id>");

/** Without blanks, so that more white space is no change. */
const linesOf = (text: string): string[] =>
  text
    .split("\n", LINES_MAX)
    .map((line) => line.replace(/\s+/g, ""))
    .filter((line) => line !== "")
    .map((line) => (line.length > 80 ? `${line.length} ${hashOf(line)}` : line));

function replace({ added, removed }: Known, old: readonly string[], now: readonly string[]): void {
  const stays = new Set(now);
  const was = new Set(old);
  for (const line of was) if (!stays.has(line) && !added.delete(line)) removed.add(line);
  for (const line of stays) if (!was.has(line) && !removed.delete(line)) added.add(line);
}

/** Whether only numbers differ, and one is higher than any before. */
function counts(known: Known, old: string, now: string): boolean {
  const bare = (text: string): string => text.replace(/\d+(?:\.\d+)?/g, "#");
  if (bare(old) !== bare(now)) return false;
  const before = figures(old);
  const risen = figures(now).filter((figure, at) => figure !== before[at]);
  const least = Math.min(...risen);
  if (risen.length === 0 || least <= known.highest) return false;
  known.highest = Math.max(...risen);
  return true;
}
