/**
 * The last step of a landing: the target branch moves forward. If it is checked out, its files move too; local changes that would
 * be lost prevent it.
 *
 * Git writes the files first and the branch last, so a crash in between leaves changed files and an unheld lock. A note of each
 * process records the step that it has begun, and the next process finishes what a dead one has left.
 */
import { lstatSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { OWN_IDENTITY } from "../../process-identity.ts";
import { namesIn, replaceFile, textIn } from "../../small-files.ts";
import { isTicketHeld, newTicket, ticketIn } from "../../tickets.ts";
import { ownStateOf } from "../clones/own-state.ts";
import type { Git, Ran } from "../git.ts";
import { messageOfGit } from "../git.ts";
import { isKill } from "./despite-others.ts";
import { inTurn } from "./in-turn.ts";
import { gitGone, OWN_LOCKS, removeLocks } from "./stale-locks.ts";
import { tipOf } from "./target-tip.ts";

/** Somebody commits in the project: git's lock is held while their hooks run. */
const LOCKED_MAX_MS = 30_000;
const POLL_MS = 200;

export type FastForward = {
  readonly git: Git;
  readonly commonDir: string;
  /** Any worktree of the repository. */
  readonly root: string;
  readonly target: string;
  readonly signal: AbortSignal;
};

/** For the first in the queue. `raced`: another process moved the target; `why`: the reason why it cannot move now. */
export async function fastForward(
  { git, commonDir, root, target, signal }: FastForward,
  from: string,
  to: string,
): Promise<"moved" | "raced" | { readonly why: string }> {
  const found = await git.checkedOut(root, target);
  const at = found?.folder ?? null;
  const gitDir = found && (found.isMain ? commonDir : await git.gitDir(found.folder));
  if (at && gitDir && leftNotes(gitDir).length > 0) await finishOthers(git, at);
  const note = gitDir && join(ownStateOf(gitDir), `${NOTE}.${newTicket()}`);
  const ref = `refs/heads/${target}`;
  const tip = (): Promise<string> => tipOf({ git, commonDir, root }, ref);
  // A merge compares nothing: a branch that somebody has moved back would be moved over what they took away.
  const move = async (): Promise<Ran | null> => {
    if (at === null) return await git.try(root, "update-ref", "-m", "ekiden: landed", ref, to, from);
    const isThere = (await tip()) === from;
    return isThere ? await git.tryWith({ signal }, at, "merge", "--ff-only", "--quiet", to) : null;
  };
  let done: Ran | null;
  try {
    if (note) replaceFile(note, to);
    done = await move();
    for (
      let ms = 0;
      done && done.code !== 0 && ms < LOCKED_MAX_MS && /\.lock\b/.test(done.err);
      ms += POLL_MS
    ) {
      await new Promise((later) => setTimeout(later, POLL_MS));
      signal.throwIfAborted();
      done = await move();
    }
  } catch (error) {
    // The next try, or the next process, finishes the work of a git that was killed.
    if (note && !isKill(error)) rmSync(note, { force: true });
    throw error;
  }
  if (note) rmSync(note, { force: true });
  if (done?.code === 0) return "moved";
  if (done === null || (await tip()) !== from) return "raced";
  return {
    why: `${target} cannot be fast-forwarded in ${at ?? "the repository"}, where it is checked out; nothing was changed there:\n${messageOfGit(done)}`,
  };
}

/** Finishes the steps that dead processes began in the project. Does nothing without such a step or a repository. */
export async function finishFastForward(git: Git, project: string): Promise<void> {
  const dirs = await dirsOf(git, project);
  if (dirs !== null) await inTurn(dirs.commonDir, () => finishAll(git, dirs));
}

/** The same in the folder where the target is checked out, in its turn. */
export async function finishOthers(git: Git, folder: string): Promise<void> {
  const dirs = await dirsOf(git, folder);
  if (dirs !== null) await finishAll(git, dirs);
}

/** Programs of before had one note of this name, and a lock beside it. */
const NOTE = "landing";

/** The notes of processes that have ended, and of this one: in its turn nothing else of it is at work. */
function leftNotes(gitDir: string): string[] {
  const folder = ownStateOf(gitDir);
  return namesIn(folder).flatMap((name) => {
    const ticket = ticketIn(name, `${NOTE}.`);
    if (ticket === null && name !== NOTE) return [];
    const note = join(folder, name);
    const isOfOther = ticket !== null && !ticket.startsWith(`${OWN_IDENTITY}.`);
    return isOfOther && isTicketHeld(ticket, note) ? [] : [note];
  });
}

async function finishAll(git: Git, dirs: Dirs): Promise<void> {
  for (const note of leftNotes(dirs.gitDir)) await finish(git, dirs, note);
}

type Dirs = {
  readonly commonDir: string;
  readonly gitDir: string;
  readonly top: string;
};

async function dirsOf(git: Git, project: string): Promise<Dirs | null> {
  const dirs = await git.ask(
    project,
    "rev-parse",
    "--path-format=absolute",
    "--git-common-dir",
    "--git-dir",
    "--show-toplevel",
  );
  const [commonDir, gitDir, top] = dirs?.split("\n") ?? [];
  return commonDir && gitDir && top ? { commonDir, gitDir, top } : null;
}

async function finish(git: Git, { commonDir, gitDir, top }: Dirs, note: string): Promise<void> {
  const to = commitIn(note);
  if (to === null) return rmSync(note, { force: true });
  // The note is about a repository that was in this folder before.
  if ((await git.tip(top, to)) === null) return rmSync(note, { force: true });
  await gitGone(({ line }) => line.includes(to));
  const begun = statSync(note, { throwIfNoEntry: false })?.mtimeMs;
  if (begun === undefined) return; // another process has finished it
  // Git takes its lock at once. A newer one is the person's.
  removeLocks(gitDir, OWN_LOCKS, begun, begun + LOCKED_MS);
  const [, branch] = /^ref: (refs\/heads\/\S+)/.exec(textIn(join(gitDir, "HEAD"))) ?? [];
  if (branch !== undefined) removeLocks(commonDir, [`${branch}.lock`], begun, begun + LOCKED_MS);
  // The commands below may be killed, too.
  const now = new Date();
  utimesSync(note, now, now);
  const written = await filesWritten(git, top, to);
  for (let i = 0; i < written.length; i += BATCH)
    await git.try(top, "--literal-pathspecs", "reset", "--quiet", to, "--", ...written.slice(i, i + BATCH));
  await git.try(top, "merge", "--ff-only", "--quiet", to);
  rmSync(note, { force: true });
}

const BATCH = 100;
const LOCKED_MS = 10_000;

const commitIn = (note: string): string | null => /^[0-9a-f]{40,64}$/.exec(textIn(note))?.[0] ?? null;

/** The part of the commit's files that is in place already, by content: it contains no other changes. */
async function filesWritten(git: Git, top: string, to: string): Promise<string[]> {
  const raw = await git.run(top, "diff", "--raw", "-z", "--no-abbrev", "--no-renames", "HEAD", to);
  const fields = raw.split("\0"); // ":000000 100644 0000… 1234… A", the path, and so on
  const wanted = new Map<string, string>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [, , , oid = ""] = fields[i]?.split(" ") ?? [];
    const path = fields[i + 1] ?? "";
    if (lstatSync(join(top, path), { throwIfNoEntry: false })?.isFile()) wanted.set(path, oid);
  }
  const paths = [...wanted.keys()];
  const written: string[] = [];
  for (let i = 0; i < paths.length; i += BATCH) {
    const some = paths.slice(i, i + BATCH);
    const oids = (await git.run(top, "hash-object", "--", ...some)).split("\n");
    written.push(...some.filter((path, nth) => oids[nth] === wanted.get(path)));
  }
  return written;
}
