/**
 * Judges what a change of a file adds to what lasts. It keeps, for each file, how far it is from its origin: the lines that came and the
 * lines that went. A change lasts when the file is further away than ever before, and when more such changes stand than ever before: a file
 * that is overwritten again and again, one that has two contents in turn, and one that is removed again add nothing.
 */
import { hashOf } from "../text/hash.ts";
import { NewLines } from "./new-lines.ts";
import { figures, timeless } from "./volatile.ts";

/** A call that wrote a file, as its tool was asked: the whole content, or one text in place of another. */
export type FileWrite =
  | { readonly path: string; readonly content: string }
  | { readonly path: string; readonly old: string; readonly new: string };

/** `counted`: in place, with higher numbers than before, such as the next version. `copied`: a file with a content that another one has. */
export type Change = "lasting" | "counted" | "copied" | "nothing";

/** Lines that were never there before. `grown`: of a file from which nothing went. */
export type Found = { readonly changed: number; readonly grown: number };

/** Larger distances of one file that count. A file that grows without an end is no progress for ever. */
const STEPS_MAX = 400;
/** Lines of one change that are compared. */
const LINES_MAX = 5_000;

/** A file that is this far away may have a new origin, so that a second pass over it counts too: with small edits only. */
const PASS_LINES = 20;
const SMALL_EDIT = 10;

/** The share of what the last version of a file added that must be left in the next one. */
const LEFT_LEAST = 0.1;

/** Files whose changes still count when they are removed so many rounds later. */
const SHORT_LIFE = 100;
/** Files that are looked at whether they are still there: those that were changed last. */
const STANDING_MAX = 256;

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

const NONE: Found = { changed: 0, grown: 0 };

const blank = (): Known => ({
  ...{ origin: null, added: new Set<string>(), removed: new Set<string>(), furthest: 0, steps: 0 },
  highest: Number.NEGATIVE_INFINITY,
});

export class FileChanges {
  private readonly files = new Map<string, Known>();
  /** The same for what was found: calls show parts of lines, files whole ones. */
  private readonly disk = new Map<string, Known>();
  /** Files that calls changed since they were last looked at: their changes count already. */
  private readonly shown = new Set<string>();
  private readonly contents = new Set<number>();
  private readonly lines = new NewLines();
  /** By path, that of the last change at the end. */
  private readonly standing = new Map<string, { changes: number; round: number }>();
  private stand = 0;
  private most = 0;
  private round = 0;

  judge(write: FileWrite): Change {
    this.shown.add(fileOf(write.path));
    const change = this.judged(write);
    return change === "lasting" && !this.stands(write.path) ? "nothing" : change;
  }

  /** A further round of calls begins. */
  tick(): void {
    this.round += 1;
  }

  /** Files with changes that count, as their paths were written. */
  get paths(): string[] {
    return [...this.standing.keys()].slice(-STANDING_MAX);
  }

  /** The number of changes of the file that count. */
  changesOf(path: string): number {
    return this.standing.get(path)?.changes ?? 0;
  }

  /** The file is as it was when only so many of its changes counted. 0: it is not there any more. */
  takenBack(path: string, changes = 0): void {
    const changed = this.standing.get(path);
    if (!changed || changes >= changed.changes) return;
    const fewer = changed.changes - changes;
    if (changes === 0) this.standing.delete(path);
    else changed.changes = changes;
    this.stand -= fewer;
    if (this.round - changed.round > SHORT_LIFE) this.most -= fewer;
  }

  /** A file was found with this content; a command may have written it. Of a new file one line is a change, and counts half: one command may make many files. */
  found(path: string, content: string): Found {
    const key = fileOf(path);
    const known = this.disk.get(key);
    const lines = linesOf(content);
    const fresh = this.newLines(lines);
    const isShown = this.takeShown(key);
    if (!known) {
      this.disk.set(key, { ...blank(), origin: new Set(lines) });
      return this.isCopy(lines) || fresh === 0 || isShown ? NONE : { changed: 0.5, grown: fresh - 1 };
    }
    const [added, removed] = [known.added.size, known.removed.size];
    if (!grewTo(known, lines) || isShown) return NONE;
    // A log that commands fill with random numbers only grows; lines that are replaced are work, also where only their digits differ.
    const replaced = known.removed.size - removed;
    if (replaced <= 0) return { changed: 0, grown: fresh };
    return { changed: replaced + Math.max(0, known.added.size - added), grown: 0 };
  }

  /** Calls may have named the file by its whole path. */
  private takeShown(key: string): boolean {
    const shown = [...this.shown].filter((path) => path === key || path.endsWith(`/${key}`));
    for (const path of shown) this.shown.delete(path);
    return shown.length > 0;
  }

  /** The person said something, or a change landed: all writes until now are settled. */
  settle(): void {
    for (const known of [...this.files.values(), ...this.disk.values()]) known.steps = 0;
    this.standing.clear();
    this.stand = 0;
    this.most = 0;
  }

  private known(path: string): Known {
    const key = fileOf(path);
    const known = this.files.get(key) ?? blank();
    this.files.set(key, known);
    return known;
  }

  /** Whether more changes stand now than ever before. */
  private stands(path: string): boolean {
    const changes = (this.standing.get(path)?.changes ?? 0) + 1;
    this.standing.delete(path);
    this.standing.set(path, { changes, round: this.round });
    this.stand += 1;
    if (this.stand <= this.most) return false;
    this.most = this.stand;
    return true;
  }

  private judged(write: FileWrite): Change {
    const known = this.known(write.path);
    if ("content" in write) return this.rewritten(known, linesOf(write.content));
    const [old, now] = [linesOf(write.old), linesOf(write.new)];
    this.newLines(now);
    const isSmall = old.length + now.length <= SMALL_EDIT;
    if (isSmall && known.furthest >= PASS_LINES && distanceAfter(known, old, now) <= known.furthest)
      rebase(known);
    replace(known, old, now);
    if (grew(known)) return "lasting";
    return counts(known, write.old, write.new) ? "counted" : "nothing";
  }

  private newLines(lines: readonly string[]): number {
    const newness = lines.map((line) => this.lines.of(line));
    return newness.filter((one) => one === "new" || one === "risen").length;
  }

  /** Whether another file has these lines. */
  private isCopy(lines: readonly string[]): boolean {
    const content = hashOf(lines.join("\n"));
    const isKnown = this.contents.has(content);
    this.contents.add(content);
    return isKnown;
  }

  private rewritten(known: Known, lines: readonly string[]): Change {
    if (known.origin !== null) {
      const before = [...known.added];
      const grew = grewTo(known, lines);
      const left = before.filter((line) => known.added.has(line)).length;
      // A file that is written anew each time may grow without an end.
      return grew && left >= before.length * LEFT_LEAST ? "lasting" : "nothing";
    }
    const isCopy = this.isCopy(lines);
    this.newLines(lines);
    known.origin = new Set(lines);
    known.furthest = 0;
    known.steps += 1;
    forget(known);
    if (lines.length === 0) return "nothing";
    return isCopy ? "copied" : "lasting";
  }
}

/** The whole file is these lines now. Whether it is further away from its origin than ever. */
function grewTo(known: Known, lines: readonly string[]): boolean {
  const now = new Set(lines);
  const origin = known.origin ?? new Set();
  forget(known);
  for (const line of now) if (!origin.has(line)) known.added.add(line);
  for (const line of origin) if (!now.has(line)) known.removed.add(line);
  return grew(known);
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

/** Without blanks and times, so that more white space and another time are no change. */
const linesOf = (text: string): string[] =>
  text
    .split("\n", LINES_MAX)
    .map((line) => timeless(line).replace(/\s+/g, ""))
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
