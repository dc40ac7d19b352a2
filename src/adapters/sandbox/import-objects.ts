/**
 * Takes the git objects that confined commands have made into the real folder of objects. Everything in their folder is hostile: no link
 * is followed, the name of an object is computed from its content, and a file that is there already is never replaced.
 */

import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { createInflate, inflateSync } from "node:zlib";
import { tried } from "../../core/tried.ts";
import { inHeldFolder } from "../held-folder.ts";
import { removeTree } from "../remove-tree.ts";
import { foldersIn, isMade, namesIn } from "../small-files.ts";

/** Bytes of a compressed object that is read whole; a larger one is read in pieces. */
const SMALL = 2 ** 20;
const SMALL_CONTENT = 2 ** 26;
/** The number of objects after which the program goes on with other work. */
const AT_ONCE = 64;
const PACK_MS = 600_000;

/**
 * Moves all complete objects and packs of `from` to `to`. Files that git is still writing stay. `git`: reads packs; without it they stay.
 * Returns the names of those whose content is another one.
 */
export async function importObjects(
  from: string,
  to: string,
  git: string | null,
): Promise<readonly string[]> {
  const refused: string[] = [];
  let looked = 0;
  for (const folder of foldersIn(from)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of namesHeld(from, folder)) {
      if (!/^[0-9a-f]{38}(?:[0-9a-f]{24})?$/.test(name)) continue;
      if (!(await importLoose(from, to, `${folder}/${name}`))) refused.push(folder + name);
      looked += 1;
      if (looked % AT_ONCE === 0) await setImmediate();
    }
  }
  for (const name of namesHeld(from, "pack")) {
    const pack = /^(pack-[0-9a-f]{40,64})\.idx$/.exec(name)?.[1];
    if (pack === undefined || git === null) continue;
    if (!(await importPack(from, to, pack, git))) refused.push(pack);
  }
  return refused;
}

const namesHeld = (root: string, folder: string): string[] =>
  tried(() => inHeldFolder(root, `${folder}/x`, (path) => namesIn(path.slice(0, -2))), []);

/** An open file of a command. `link`: it is none, but something else. */
function openHeld(root: string, name: string): number | "gone" | "link" {
  try {
    const file = inHeldFolder(root, name, (path) =>
      openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW),
    );
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
    return "link";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : "link";
  }
}

/** The command may have put something else there. */
const removeHeld = (root: string, name: string): void =>
  tried(() => inHeldFolder(root, name, (path) => removeTree(path)), undefined);

/** Where the real folder cannot be written, the object stays for a later try. */
async function importLoose(from: string, to: string, name: string): Promise<boolean> {
  const file = openHeld(from, name);
  let isSound = file === "gone";
  if (typeof file === "number")
    try {
      const id = name.replace("/", "");
      isSound = isThere(join(to, name)) || (await store(file, to, name, id));
    } finally {
      closeSync(file);
    }
  removeHeld(from, name);
  return isSound;
}

/** Its time says that it was used: git removes objects that nobody needed for long. */
function isThere(path: string): boolean {
  if (!existsSync(path)) return false;
  const now = new Date();
  tried(() => lutimesSync(path, now, now), null); // another user's
  return true;
}

/** Writes the file under a name of its own first, checks what was written, and then gives it its name. */
async function store(file: number, to: string, name: string, id: string): Promise<boolean> {
  const folder = name.slice(0, 2);
  const bytes = fstatSync(file).size <= SMALL ? readFileSync(file) : null;
  const content = bytes && contentOf(bytes);
  if (bytes && content) {
    if (!isWhole(content, content.length) || hashOf(id).update(content).digest("hex") !== id) return false;
    place(to, folder, name.slice(3), (path) => writeFileSync(path, bytes, { flag: "wx", mode: 0o444 }));
    return true;
  }
  const temporary = `tmp_obj_${randomBytes(8).toString("hex")}`;
  const path = join(to, temporary);
  try {
    await copy(file, path);
    if (!(await isLargeObject(path, id))) return false;
    place(to, folder, name.slice(3), (own) => linkSync(path, own));
    return true;
  } finally {
    rmSync(path, { force: true });
  }
}

/** @throws an error of the system when the real folder cannot be written */
function place(to: string, folder: string, name: string, write: (path: string) => void): void {
  isMade(() => mkdirSync(join(to, folder), { mode: statSync(to).mode & 0o7777 }));
  inHeldFolder(to, `${folder}/${name}`, (path) => {
    const temporary = join(path.slice(0, -name.length), `tmp_obj_${randomBytes(8).toString("hex")}`);
    try {
      write(temporary);
      isMade(() => linkSync(temporary, path)); // else another process has just brought the same object
    } finally {
      rmSync(temporary, { force: true });
    }
  });
}

function copy(file: number, to: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const write = createWriteStream(to, { flags: "wx", mode: 0o444 });
    createReadStream("", { fd: file, autoClose: false, start: 0 })
      .once("error", reject)
      .pipe(write)
      .once("error", reject)
      .once("finish", resolve);
  });
}

const hashOf = (id: string) => createHash(id.length === 40 ? "sha1" : "sha256");
/** Git's own form: the type, the length of the content, a zero byte. */
const HEADER = /^(?:blob|tree|commit|tag) (\d{1,15})\0/;
const HEADER_MAX = 32;

/** Null for a large one, and for what is none. */
const contentOf = (bytes: Buffer): Buffer | null =>
  tried(() => inflateSync(bytes, { maxOutputLength: SMALL_CONTENT }), null);

const isWhole = (start: Buffer, length: number): boolean => {
  const [header, size] = HEADER.exec(start.subarray(0, HEADER_MAX).toString("latin1")) ?? [];
  return header !== undefined && header.length + Number(size) === length;
};

function isLargeObject(path: string, id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const hash = hashOf(id);
    let [start, length] = [Buffer.alloc(0), 0];
    createReadStream(path)
      .once("error", () => resolve(false))
      .pipe(createInflate())
      .on("data", (chunk: Buffer) => {
        if (start.length < HEADER_MAX) start = Buffer.concat([start, chunk.subarray(0, HEADER_MAX)]);
        length += chunk.length;
        hash.update(chunk);
      })
      .once("error", () => resolve(false))
      .once("end", () => resolve(isWhole(start, length) && hash.digest("hex") === id));
  });
}

/** Git computes the names of all its objects anew, outside of any repository. */
async function importPack(from: string, to: string, name: string, git: string): Promise<boolean> {
  const file = openHeld(from, `pack/${name}.pack`);
  const promised = openHeld(from, `pack/${name}.promisor`);
  const isPromised = typeof promised === "number";
  const temporary = join(to, "pack", `tmp_pack_${randomBytes(8).toString("hex")}`);
  let hash: string | null = null;
  try {
    if (typeof file === "number") {
      mkdirSync(join(to, "pack"), { recursive: true });
      await copy(file, `${temporary}.pack`);
      hash = await indexed(git, temporary, name.length === "pack-".length + 40 ? "sha1" : "sha256");
    }
    const own = join(to, "pack", `pack-${hash}`);
    if (hash !== null && !existsSync(`${own}.idx`)) {
      if (isPromised) writeFileSync(`${own}.promisor`, "");
      for (const kind of ["pack", "idx"]) isMade(() => linkSync(`${temporary}.${kind}`, `${own}.${kind}`));
    }
  } finally {
    for (const one of [file, promised]) if (typeof one === "number") closeSync(one);
    for (const kind of ["pack", "idx", "rev"]) rmSync(`${temporary}.${kind}`, { force: true });
  }
  for (const kind of ["idx", "rev", "bitmap", "mtimes", "pack", "promisor"])
    removeHeld(from, `pack/${name}.${kind}`);
  return hash !== null || file === "gone";
}

/** The name of the pack; null for a damaged one. @throws an error of the system, or of git where the disk is full */
async function indexed(git: string, path: string, format: string): Promise<string | null> {
  const args = ["index-pack", `--object-format=${format}`, "-o", `${path}.idx`, `${path}.pack`];
  const env = { PATH: process.env.PATH, LC_ALL: "C", GIT_DIR: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  try {
    const { stdout } = await promisify(execFile)(git, args, { cwd: "/", env, timeout: PACK_MS });
    return /^[0-9a-f]{40,64}$/m.exec(stdout)?.[0] ?? null;
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (typeof code !== "number" || /No space left|quota exceeded|write error/i.test(message)) throw error;
    return null;
  }
}
