/**
 * Keeps on the remote what a task has not landed, so that another machine can go on with it. It is the task's branch, and on top of it one commit
 * with what is not committed. The branch on the remote only moves forward: a push names the commit that it follows, so two machines never overwrite
 * each other.
 *
 * The same branch tells that a task has landed. A landing moves it together with the target, so a machine that goes on with a task
 * whose last owner was lost in between sees it.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { branchOf } from "../../core/board/worktree.ts";
import { DEFAULT_TEAM, type Instant, type Name, type TaskId } from "../../core/ids.ts";
import type { Binding, Key } from "./bindings.ts";
import type { Git } from "./git.ts";
import { NO_HOOKS } from "./hardening.ts";
import { identity } from "./landing-commits.ts";
import { atWorkFile } from "./own-state.ts";
import { operationIn } from "./preflight.ts";
import { newTicket } from "./queue.ts";
import type { Contact, Remote } from "./remote.ts";
import { addAll, type WorkState, workState } from "./uncommitted.ts";
import { copyIndex } from "./work-diff.ts";

const UNCOMMITTED = "ekiden: not committed yet";
const FOLLOWS = "ekiden: goes on from an earlier version";

/** Boards count from 1 again, and a remote serves many: the time of creation makes a branch of one task only. */
export const stamped = (slug: string, { createdAt }: Pick<Key, "createdAt">): string =>
  [slug, createdAt.toString(36)].filter(Boolean).join("-");

export type OnRemote = { readonly branch: string; readonly tip: string };
export type Place = { readonly root: string; readonly branch: string };

export class ParkedWork {
  private readonly git: Git;
  private readonly remote: Remote;
  private readonly prefix: string;
  private readonly team: Name;

  constructor(git: Git, remote: Remote, team: Name) {
    this.git = git;
    this.remote = remote;
    this.team = team;
    this.prefix = team === DEFAULT_TEAM ? "" : `${team}/`;
  }

  pattern({ id, createdAt }: Key): string {
    return `refs/heads/${branchOf(`${this.prefix}${id}-*${createdAt.toString(36)}`)}`;
  }

  in(tips: ReadonlyMap<string, string>, task: Key): OnRemote | null {
    for (const [ref, tip] of tips) {
      const branch = ref.replace(/^refs\/heads\//, "");
      const found = this.keyOf(branch);
      if (found?.id === task.id && found.createdAt === task.createdAt) return { branch, tip };
    }
    return null;
  }

  /** The tasks of this team that have a branch on the remote. */
  async all(contact: Contact): Promise<Key[]> {
    const tips = await this.remote.tips(contact, `refs/heads/${branchOf(`${this.prefix}*`)}`);
    return [...tips.keys()].flatMap((ref) => this.keyOf(ref.replace(/^refs\/heads\//, "")) ?? []);
  }

  private keyOf(branch: string): Key | null {
    const start = branchOf(this.prefix);
    const rest = branch.startsWith(start) ? branch.slice(start.length) : "";
    const [, id, stamp = ""] = /^(\d+)-(?:[^/]*-)?([0-9a-z]{8,9})$/.exec(rest) ?? [];
    if (id === undefined) return null;
    return { id: Number(id) as TaskId, createdAt: Number.parseInt(stamp, 36) as Instant };
  }

  /** The task's own last commit in a branch of the remote, and the commit above it with what was not committed. */
  async unpacked(
    at: string,
    tip: string,
  ): Promise<{ readonly head: string; readonly changes: string | null }> {
    const log = await this.git.run(at, "log", "-3", "--first-parent", "--format=%H %s", tip);
    const commits = log.split("\n").map((line) => line.split(/ (.*)/));
    if (commits[0]?.[1] === FOLLOWS) commits.shift();
    const [[own = tip, subject] = [], [before] = []] = commits;
    return subject === UNCOMMITTED && before ? { head: before, changes: own } : { head: own, changes: null };
  }

  /**
   * Pushes what is in a worktree, its files included that git does not ignore. The worktree stays as it is.
   * Null: the target has all of it, or the remote does. @throws EkidenError `tool_failed`
   */
  async park(
    contact: Contact,
    place: Place,
    binding: Binding,
    ref: string,
  ): Promise<Partial<Binding> | null> {
    const { git, remote } = this;
    const { root, branch } = place;
    const tip = await this.tipOf(place);
    if (await git.isAncestor(root, tip, ref)) return null;
    const asked = [`refs/heads/${branch}`, `${tip}^{tree}`];
    const state = (await git.run(root, "rev-parse", ...asked)).replace("\n", " ");
    if (binding.parkedState === state) return null;
    const from = binding.parked ?? null;
    const to = await this.following(place, tip, from);
    const why = await remote.push(contact, [{ ref: `refs/heads/${branch}`, from, to }]);
    if (why !== null) {
      const now = this.in(await remote.tips(contact, `refs/heads/${branch}`), this.keyOf(branch) as Key);
      if (now?.tip !== to)
        throw new Error(
          `The work on ${branch} was not pushed to ${remote.label}, so no other machine can go on with it:\n${why}`,
        );
    }
    return { parked: to, parkedState: state };
  }

  /** The commit, or one with the same files that also follows what the remote has: servers may refuse other moves. */
  async following({ root }: Pick<Place, "root">, tip: string, from: string | null): Promise<string> {
    const { git } = this;
    if (from === null || (await git.isAncestor(root, from, tip))) return tip;
    return await this.commit(root, `${tip}^{tree}`, FOLLOWS, tip, from);
  }

  /** The branch with what is not committed. Where an operation is under way, or the branch lands, only the branch. */
  private async tipOf(place: Place): Promise<string> {
    const { git } = this;
    const { root, branch } = place;
    const gitDir = await git.gitDir(root);
    const state = await workState(git, root);
    const isBusy = state.branch !== branch || operationIn(gitDir) !== null || existsSync(atWorkFile(gitDir));
    return isBusy || state.head === null
      ? await git.run(root, "rev-parse", `refs/heads/${branch}`)
      : await this.withChanges(root, gitDir, state.head, state);
  }

  private async withChanges(root: string, gitDir: string, head: string, state: WorkState): Promise<string> {
    const { git } = this;
    if (state.isClean) return head;
    // Beside the index: git makes a lock there.
    const index = join(gitDir, `ekiden-index.${newTicket()}`);
    try {
      copyIndex(join(gitDir, "index"), index);
      if ((await addAll(git, root, state.paths, { index })).code !== 0) return head;
      const tree = (await git.tryWith({ index }, root, "write-tree")).out.trim();
      return await this.commit(root, tree, UNCOMMITTED, head);
    } finally {
      rmSync(index, { force: true });
    }
  }

  private async commit(root: string, tree: string, message: string, ...parents: string[]): Promise<string> {
    const names = await identity({ git: this.git, root }, this.team);
    const after = parents.flatMap((parent) => ["-p", parent]);
    return await this.git.run(root, ...names, "commit-tree", tree, ...after, "-m", message);
  }

  /**
   * Brings a worktree to the state that another machine has pushed. Work that only this machine has stays on a branch of its own.
   * @returns the name of that branch, null if there was no such work
   */
  async adopt({ root, branch }: Place, tip: string): Promise<string | null> {
    const { git } = this;
    const gitDir = await git.gitDir(root);
    const operation = operationIn(gitDir);
    if (operation) await git.try(root, operation, "--abort");
    const { head, changes } = await this.unpacked(root, tip);
    const mine = await git.run(root, "rev-parse", `refs/heads/${branch}`);
    const own = await this.withChanges(root, gitDir, mine, await workState(git, root));
    const isKnown =
      (await git.isAncestor(root, own, head)) || (await this.isSame(root, own, changes ?? head));
    const left = isKnown ? null : `${branch}-left-${own.slice(0, 7)}`;
    if (left) await git.run(root, "update-ref", "--no-deref", `refs/heads/${left}`, own);
    await git.run(root, ...NO_HOOKS, "checkout", "--quiet", "--force", "-B", branch, changes ?? head);
    await git.run(root, "clean", "--quiet", "--force", "-d");
    if (changes) await git.run(root, "reset", "--quiet", "--mixed", head);
    return left;
  }

  private async isSame(root: string, one: string, other: string): Promise<boolean> {
    return (await this.git.try(root, "diff", "--quiet", one, other)).code === 0;
  }
}
