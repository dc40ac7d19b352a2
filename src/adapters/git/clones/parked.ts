/**
 * Keeps on the remote what a task has not landed, so that another machine can continue with it. It is the task's branch, and on top of it one commit
 * with what is not committed. The branch on the remote only moves forward: a push names the commit that it follows, so two machines never overwrite
 * each other.
 *
 * The same branch tells that a task has landed. A landing moves it together with the target, so a machine that continues with a task
 * whose last owner was lost in between sees it.
 */
import { join } from "node:path";
import { branchOf } from "../../../core/board/worktree.ts";
import { DEFAULT_TEAM, type Instant, type Name, type TaskId } from "../../../core/ids.ts";
import type { Binding, Key } from "../bindings.ts";
import { NO_HOOKS } from "../hardening.ts";
import { identity } from "../landing/landing-commits.ts";
import type { Contact, Remote } from "../remote.ts";
import { bring, type Origin, ownTip, type Place } from "./bring.ts";
import { operationIn } from "./preflight.ts";
import { carries, trailerOf } from "./request-branch.ts";
import { snapshot, UNCOMMITTED, withChanges } from "./snapshot.ts";
import { workState } from "./uncommitted.ts";

const FOLLOWS = "ekiden: goes on from an earlier version";

export type OnRemote = { readonly branch: string; readonly tip: string };

export class ParkedWork {
  private readonly at: Origin;
  private readonly remote: Remote;
  private readonly prefix: string;
  private readonly team: Name;
  /** The branches of pull requests count, too. */
  private readonly isForge: boolean;

  constructor(at: Origin, remote: Remote, team: Name, isForge: boolean) {
    this.at = at;
    this.remote = remote;
    this.team = team;
    this.isForge = isForge;
    this.prefix = team === DEFAULT_TEAM ? "" : `${team}/`;
  }

  pattern({ id, createdAt }: Key): string {
    const end = this.isForge ? "*" : `-*${createdAt.toString(36)}`;
    return `refs/heads/${branchOf(`${this.prefix}${id}${end}`)}`;
  }

  /** What the remote has of the task: its pull request, or what was parked. */
  async find(contact: Contact, tips: ReadonlyMap<string, string>, task: Key): Promise<OnRemote | null> {
    return (this.isForge ? await this.requested(contact, tips, task) : null) ?? this.in(tips, task);
  }

  /** The branch of its pull request, by the trailer in its commits. */
  private async requested(
    contact: Contact,
    tips: ReadonlyMap<string, string>,
    task: Key,
  ): Promise<OnRemote | null> {
    const { git, project } = this.at;
    const start = `refs/heads/${branchOf(`${this.prefix}${task.id}`)}`;
    for (const [ref, tip] of tips) {
      const branch = ref.replace(/^refs\/heads\//, "");
      if (!(ref === start || ref.startsWith(`${start}-`)) || this.keyOf(branch)) continue;
      await this.remote.fetch(contact, tip);
      if (await carries(git, project, tip, trailerOf(this.team, task))) return { branch, tip };
    }
    return null;
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
  async unpacked(tip: string): Promise<{ readonly head: string; readonly changes: string | null }> {
    const { git, project } = this.at;
    const log = await git.run(project, "log", "-3", "--first-parent", "--format=%H %s", tip);
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
    const { at, remote } = this;
    const { git, project } = at;
    const { branch } = place;
    if (this.keyOf(branch) === null) return null; // it would show half of a work as a request
    const tip = await snapshot(at, place, this.team);
    if (await git.isAncestor(project, tip, ref)) return null;
    const own = await ownTip(at, place);
    const state = `${own} ${await git.run(project, "rev-parse", `${tip}^{tree}`)}`;
    if (binding.parkedState === state) return null;
    const from = binding.parked ?? null;
    const to = await this.following(tip, from);
    const why = await remote.push(contact, [{ ref: `refs/heads/${branch}`, from, to }]);
    if (why !== null) {
      const now = this.in(await remote.tips(contact, `refs/heads/${branch}`), this.keyOf(branch) as Key);
      if (now?.tip !== to)
        throw new Error(
          `The work on ${branch} was not pushed to ${remote.label}, so no other machine can continue with it:\n${why}`,
        );
    }
    return { parked: to, parkedState: state };
  }

  /** The commit, or one with the same files that also follows what the remote has: servers may refuse other moves. */
  async following(tip: string, from: string | null): Promise<string> {
    const { git, project } = this.at;
    if (from === null || (await git.isAncestor(project, from, tip))) return tip;
    const names = await identity(this.at, this.team);
    const parents = ["-p", tip, "-p", from];
    return await git.run(project, ...names, "commit-tree", `${tip}^{tree}`, ...parents, "-m", FOLLOWS);
  }

  /**
   * Brings a worktree to the state that another machine has pushed. Work that only this machine has stays on a branch of its own.
   * @returns the name of that branch, null if there was no such work
   */
  async adopt({ root, branch }: Place, tip: string): Promise<string | null> {
    const { at } = this;
    const { git, project } = at;
    const { inside } = git;
    const operation = operationIn(join(root, ".git"));
    if (operation) await inside.try(root, operation, "--abort");
    const { head, changes } = await this.unpacked(tip);
    const mine = await ownTip(at, { root, branch });
    const own = await withChanges(at, root, mine, await workState(inside, root), this.team);
    await bring(at, root, [own], "look");
    const isSame = async (): Promise<boolean> =>
      (await git.try(project, "diff", "--quiet", own, changes ?? head)).code === 0;
    const isKnown = (await git.isAncestor(project, own, head)) || (await isSame());
    const left = isKnown ? null : `${branch}-left-${own.slice(0, 7)}`;
    if (left) await git.run(project, "update-ref", "--no-deref", `refs/heads/${left}`, own);
    await inside.run(root, ...NO_HOOKS, "checkout", "--quiet", "--force", "-B", branch, changes ?? head);
    await inside.run(root, "clean", "--quiet", "--force", "-d");
    if (changes) await inside.run(root, "reset", "--quiet", "--mixed", head);
    return left;
  }
}
