/**
 * Takes the git objects that confined commands have made into the real folder of objects. Git reads their folder in the sandbox and prints
 * what it finds; git outside reads that alone, as it reads a fetch, and computes the name of each object from its content.
 */
import { spawn } from "node:child_process";
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { tried } from "../../core/tried.ts";
import type { Program } from "../../ports/shell.ts";
import { inHeldFolder } from "../held-folder.ts";
import { removeTree } from "../remove-tree.ts";
import { foldersIn, namesIn } from "../small-files.ts";
import type { Reads } from "./reads.ts";

const TIME_MS = 120_000;
/** For a shell whose `$0` is git: the objects whose names it reads, without those that are none. */
const PACKED = `"$0" cat-file --batch-check='%(objecttype) %(objectname)' | sed -n 's/^[blobtrecmiag]* \\([0-9a-f]*\\)$/\\1/p' |
  exec "$0" pack-objects --stdout -q --threads=1 --compression=1`;

/**
 * `own`: a git directory without a work tree, in which commands write the objects alone. Moves what is whole to the folder of objects `to`, and
 * returns the names of those whose content is another one. Files that git is still writing stay. @throws an error where the objects cannot be stored
 */
export async function importObjects(
  own: string,
  to: string,
  { git, confine }: Reads,
): Promise<readonly string[]> {
  if (git === null) return [];
  const from = join(own, "objects");
  const refused: string[] = [];
  const env = { PATH: process.env.PATH ?? "", LC_ALL: "C", GIT_DIR: own, ...WITHOUT };
  const bring = async (args: readonly string[], names: readonly string[], take: readonly string[]) => {
    const reads = await confine({ file: "/bin/sh", args: ["-c", ...args], cwd: own, env });
    const stores = { file: git, args: take, cwd: "/", env: { ...env, GIT_OBJECT_DIRECTORY: to } };
    await piped(reads, names.join("\n"), stores).finally(reads.ended);
  };
  const loose = foldersIn(from)
    .filter((folder) => /^[0-9a-f]{2}$/.test(folder))
    .flatMap((folder) => namesHeld(from, folder).map((name) => `${folder}/${name}`))
    .filter((name) => /^..\/[0-9a-f]{38}(?:[0-9a-f]{24})?$/.test(name));
  const files = loose.filter((name) => isFile(from, name));
  if (files.length > 0)
    await bring(
      [PACKED, git],
      files.map((name) => name.replace("/", "")),
      ["unpack-objects", "-q"],
    );
  for (const name of loose) {
    if (!existsSync(join(to, name))) refused.push(name.replace("/", ""));
    removeHeld(from, name);
  }
  for (const name of namesHeld(from, "pack")) {
    const pack = /^(pack-[0-9a-f]{40,64})\.idx$/.exec(name)?.[1];
    if (pack === undefined) continue;
    const isPromised = isFile(from, `pack/${pack}.promisor`);
    const take = ["index-pack", "--stdin", ...(isPromised ? ["--promisor"] : [])];
    const before = packsIn(to);
    if (isFile(from, `pack/${pack}.pack`)) await bring(["cat <objects/pack/$0.pack", pack], [], take);
    if (packsIn(to) === before && !existsSync(join(to, "pack", name))) refused.push(pack);
    for (const kind of KINDS) removeHeld(from, `pack/${pack}.${kind}`);
  }
  return refused;
}

const WITHOUT = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_NO_REPLACE_OBJECTS: "1" };
const KINDS = ["idx", "rev", "bitmap", "mtimes", "pack", "promisor"];
const packsIn = (objects: string): string => namesIn(join(objects, "pack")).join("/");

const namesHeld = (root: string, folder: string): string[] =>
  tried(() => inHeldFolder(root, `${folder}/x`, (path) => namesIn(path.slice(0, -2))), []);
/** Git would wait for a pipe. */
const isFile = (root: string, name: string): boolean =>
  tried(() => inHeldFolder(root, name, (path) => lstatSync(path).isFile()), false);
/** The command may have put something else there. */
const removeHeld = (root: string, name: string): void =>
  tried(() => inHeldFolder(root, name, (path) => removeTree(path)), undefined);

/** Git that cannot read what the other prints ends with an error: what it has not stored is missing afterwards. */
async function piped(reads: Program, input: string, stores: Program): Promise<void> {
  const limits = { timeout: TIME_MS, killSignal: "SIGKILL" } as const;
  const start = ({ file, args, cwd, env }: Program) => spawn(file, args, { cwd, env, ...limits });
  const [one, other] = [start(reads), start(stores)];
  const ended = [one, other].map(
    (child) =>
      new Promise<string | null>((resolve, reject) => {
        child.once("error", reject).once("close", (_, signal) => resolve(signal));
      }),
  );
  let said = "";
  other.stderr.on("data", (chunk: Buffer) => {
    said = (said + String(chunk)).slice(0, 2_000);
  });
  for (const unread of [one.stderr, other.stdout]) unread.resume();
  one.stdin.on("error", () => {}).end(input);
  await pipeline(one.stdout, other.stdin).catch(() => {}); // it ended before it had read all
  const signals = await Promise.all(ended);
  if (signals.some((signal) => signal !== null)) throw new Error("git took too long, or was killed");
  if (NOT_STORED.test(said)) throw new Error(said.trim());
}
const NOT_STORED =
  /No space left|quota exceeded|write error|unable to (?:write|create|open)|Permission denied/i;
