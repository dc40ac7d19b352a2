/** What a task has done so far, as one commit in the project: its branch, and above it what is not committed. The workspace stays as it is. */
import { existsSync, lstatSync, lutimesSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inHeldFolder } from "../../held-folder.ts";
import { readRegularBytes } from "../../small-files.ts";
import { newTicket } from "../../tickets.ts";
import { identity } from "../landing/landing-commits.ts";
import { bring, type Origin, ownTip, type Place } from "./bring.ts";
import { atWorkFile } from "./own-state.ts";
import { operationIn } from "./preflight.ts";
import { addAll, type WorkState, workState } from "./uncommitted.ts";

export const UNCOMMITTED = "ekiden: not committed yet";

/** Where an operation is under way, or the branch lands, only the branch. `author`: who commits where git knows nobody. */
export async function snapshot(origin: Origin, place: Place, author: string): Promise<string> {
  const { root, branch } = place;
  const gitDir = join(root, ".git");
  const state = await workState(origin.git.inside, root);
  const isBusy = state.branch !== branch || operationIn(gitDir) !== null || existsSync(atWorkFile(gitDir));
  const tip =
    isBusy || state.head === null
      ? await ownTip(origin, place)
      : await withChanges(origin, root, state.head, state, author);
  await bring(origin, root, [tip], "look");
  return tip;
}

/** The commit itself where nothing is uncommitted. It is in the workspace, and not yet in the project. */
export async function withChanges(
  origin: Origin,
  root: string,
  head: string,
  state: WorkState,
  author: string,
): Promise<string> {
  if (state.isClean) return head;
  const { inside } = origin.git;
  // Beside the index: git makes a lock there.
  const name = `ekiden-index.${newTicket()}`;
  const index = join(root, ".git", name);
  const held = (use: (path: string) => void): void => inHeldFolder(root, join(".git", name), use);
  try {
    held((path) => copyIndex(join(dirname(path), "index"), path));
    if ((await addAll(inside, root, state.paths, { index })).code !== 0) return head;
    const tree = (await inside.tryWith({ index }, root, "write-tree")).out.trim();
    const names = await identity(origin, author);
    return await inside.run(root, ...names, "commit-tree", tree, "-p", head, "-m", UNCOMMITTED);
  } finally {
    held((path) => rmSync(path, { force: true }));
  }
}

/**
 * The copy lies where commands of a member write, so a link that one has put in the place of the index is not followed. It keeps the time of
 * the index: git reads the content of files that are not older, because their size and time may be as before a change. @throws Error
 */
export function copyIndex(from: string, to: string): void {
  const at = Math.floor(lstatSync(from, { throwIfNoEntry: false })?.mtimeMs ?? 0) / 1_000;
  writeFileSync(to, readRegularBytes(from, INDEX_MAX, { noLink: true }), { flag: "wx", mode: 0o600 });
  lutimesSync(to, at, at);
}
const INDEX_MAX = 1024 * 1024 * 1024;
