/**
 * Reads the paths of a git index. Git checks a path when it adds it and not when it writes the file, so an index that a command has made
 * can name `.git/hooks/x` or `../x`, and the next `git checkout .` of the person makes that file.
 */
import { join } from "node:path";
import { tried } from "../../core/tried.ts";
import { bytesIn, foldersIn, namesIn } from "../small-files.ts";

const BYTES_MAX = 1024 * 1024 * 1024;
const HEAD = 12;
/** Times, device, number, mode, owner, size: what is before the id of an entry. */
const FIELDS = 40;
const [EXTENDED, NAME_LENGTH] = [0x4000, 0xfff];
/** Also as file systems that fold names call it. */
const GIT = /^(?:\.git[ .]*|git~1)$/i;
const MODULES_DEPTH = 6;

/** The index of a git directory, its shared parts, and those of its submodules. */
export function indexesOf(git: string, depth = 0): string[] {
  const own = namesIn(git).filter((name) => name === "index" || name.startsWith("sharedindex."));
  const modules = depth === 0 ? join(git, "modules") : git;
  const below =
    depth > MODULES_DEPTH ? [] : foldersIn(modules).filter((name) => depth === 0 || !INNER.has(name));
  return [
    ...own.map((name) => join(git, name)),
    ...below.flatMap((name) => indexesOf(join(modules, name), depth + 1)),
  ];
}
/** Folders of a git directory that hold no other ones. */
const INNER = new Set(["objects", "refs", "logs", "hooks", "info"]);

/** The first path that may not be in it; null for none. A file that cannot be read as an index has one, too. */
export function strayPath(file: string, isSha256: boolean): string | null {
  const bytes = bytesIn(file, BYTES_MAX);
  if (bytes === null || bytes.length === 0) return null;
  return tried(() => strayIn(bytes, isSha256 ? 32 : 20), "(it cannot be read)");
}

function strayIn(bytes: Buffer, idSize: number): string | null {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return "(it cannot be read)";
  let before = Buffer.alloc(0);
  let at = HEAD;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flags = bytes.readUInt16BE(at + FIELDS + idSize);
    let name = at + FIELDS + idSize + 2 + (flags & EXTENDED ? 2 : 0);
    let kept = 0;
    if (version === 4) [kept, name] = shared(bytes, name);
    const end = bytes.indexOf(0, name);
    if (end < 0 || kept > before.length) return "(it cannot be read)";
    const path = Buffer.concat([before.subarray(0, before.length - kept), bytes.subarray(name, end)]);
    const size = flags & NAME_LENGTH;
    // Git takes the length that the entry says, where it says one.
    if (version < 4 && size < NAME_LENGTH && size !== path.length) return "(it cannot be read)";
    const text = path.toString();
    if (isStray(text)) return text;
    if (version === 4) [before, at] = [path, end + 1];
    else at += (name - at + path.length + 8) & ~7;
  }
  return null;
}

/** The number of bytes that the path before this one has more, in git's own form of numbers, and where it ends. */
function shared(bytes: Buffer, from: number): [value: number, end: number] {
  let [at, byte] = [from, bytes.readUInt8(from)];
  let value = byte & 0x7f;
  while (byte & 0x80) {
    at += 1;
    byte = bytes.readUInt8(at);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return [value, at + 1];
}

/** A folder of a sparse index ends in a slash. */
const isStray = (path: string): boolean =>
  path === "" ||
  path
    .replace(/\/$/, "")
    .split("/")
    .some((part) => part === "" || part === "." || part === ".." || GIT.test(part));
