/** Finds the place on the disk that a word of a command names: globs are expanded, links and `..` are followed as the system does. */
import { pathPattern } from "../paths/path-pattern.ts";
import { isWithin, resolvePath } from "../paths/paths.ts";
import type { Word } from "./plain.ts";

/** The part of the disk that the judge reads. Answers are as of now; a race is the sandbox's business. */
export type Disk = {
  /** Where an absolute path leads through symbolic links, as far as it exists. */
  real(path: string): string;
  /** The names in a folder; null when it is not a folder that can be read. */
  entries(folder: string): readonly string[] | null;
  /** Whether both absolute paths are one existing file, through links or by a hard link. Without it only names are compared. */
  isSame?(one: string, other: string): boolean;
};

export type Place = {
  /** The folder commands run in, absolute. */
  readonly workspace: string;
  readonly home?: string | undefined;
  /** Further folders that may be read. */
  readonly readable?: readonly string[] | undefined;
  /** Without it paths are compared as text. */
  readonly disk?: Disk | undefined;
  /** The line will run in a sandbox, and is asked about only where it wants out. */
  readonly confined?: boolean | undefined;
};

const GLOB_MAX = 2_000;
const PATH_MAX = 4_096;

/** The absolute path to which the system would resolve `path`: `link/..` is the parent of the link's target. */
export function physical(path: string, folder: string, disk: Disk | undefined): string {
  if (!disk || path.length > PATH_MAX) return resolvePath(folder, path);
  let at = path.startsWith("/") ? "/" : disk.real(folder);
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    at = part === ".." ? resolvePath(at, "..") : disk.real(at === "/" ? `/${part}` : `${at}/${part}`);
  }
  return at;
}

/** The paths a word stands for; null when they cannot be known. */
export function pathsOf(word: Word, folder: string, { disk, home }: Place): readonly string[] | null {
  if (word.glob === undefined) {
    const path = word.text.replace(/^~(?=\/|$)/, home ?? "~");
    return !word.exact || path.startsWith("~") ? null : [path];
  }
  // Brackets mean other names in other locales and shells.
  if (!disk || word.glob.startsWith("~") || /(?<!\\)\[/.test(word.glob)) return null;
  let found: string[] = [word.glob.startsWith("/") ? "/" : ""];
  for (const part of word.glob.split("/").filter((one) => one !== "")) {
    const next: string[] = [];
    for (const before of found) {
      const names = /(?<!\\)[*?]/.test(part)
        ? matching(part, disk.entries(physical(before === "" ? "." : before, folder, disk)) ?? [])
        : [part.replace(/\\(.)/g, "$1")];
      next.push(
        ...names.map((name) => (before === "" || before === "/" ? before + name : `${before}/${name}`)),
      );
      if (next.length > GLOB_MAX) return null;
    }
    found = next;
  }
  return found.length > 0 ? found : [word.text];
}

/** A leading dot matches only itself; before bash 5.2 `.*` also matches `.` and `..`. */
function matching(part: string, names: readonly string[]): string[] {
  const pattern = pathPattern(part.replace(/\*+/g, "*"));
  const isDotted = part.startsWith(".");
  return [...names, ...(isDotted ? [".", ".."] : [])].filter(
    (name) => name.startsWith(".") === isDotted && pattern.test(name),
  );
}

/** Files of the system that hold nothing of the person and are asked for often. */
const OF_ALL =
  /^\/(?:dev\/(?:null|stdin|stdout|stderr)|proc\/(?:cpuinfo|meminfo|version|loadavg|uptime)|etc\/(?:os-release|debian_version|issue))$/;

/** Whether reading `path` stays in the workspace or in a readable folder. */
export function isReadable(path: string, folder: string, place: Place): boolean {
  if (OF_ALL.test(path)) return true;
  const { disk, workspace, readable = [] } = place;
  const full = physical(path, folder, disk);
  return [workspace, ...readable].some((root) => isWithin(disk?.real(root) ?? root, full));
}

/** Whether everything that a word may name is readable, and none of it can be taken for an option. */
export function wordIsReadable(word: Word, folder: string, place: Place): boolean {
  const paths = pathsOf(word, folder, place);
  return (
    paths?.every(
      (path) => (word.glob === undefined || !path.startsWith("-")) && isReadable(path, folder, place),
    ) ?? false
  );
}

/** Whether a folder is, or may be in, a repository other than the workspace's own: its configuration names programs to run. */
export function isForeignRepository(folder: string, { workspace, disk }: Place): boolean {
  if (!disk) return folder !== workspace;
  const top = disk.real(workspace);
  for (let at = disk.real(folder); at !== top; at = resolvePath(at, "..")) {
    if (!isWithin(top, at)) return true;
    const names = disk.entries(at) ?? [];
    if (names.includes(".git") || looksBare(names)) return true;
  }
  const names = disk.entries(top) ?? [];
  return !names.includes(".git") && looksBare(names);
}

const looksBare = (names: readonly string[]): boolean =>
  names.includes("HEAD") &&
  (names.includes("objects") || names.includes("refs") || names.includes("commondir"));
