/**
 * The commits of a task's branch that will land: they are put on another commit, in the task's own worktree. HEAD is detached meanwhile, so
 * the branch keeps exactly the owner's commits until the landing has succeeded: those of other tasks, which a gate in advance
 * builds on, never get onto it.
 */
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { listed } from "../../../core/text/listed.ts";
import { replaceFile } from "../../small-files.ts";
import { bring, commitIn, ownTip, show, type Use } from "../clones/bring.ts";
import { commitWork } from "../clones/commit-work.ts";
import { filterFault } from "../clones/filters.ts";
import { atWorkFile } from "../clones/own-state.ts";
import { operationIn } from "../clones/preflight.ts";
import type { Candidate, TaskBranch } from "../clones/task-branch.ts";
import type { Git, Ran } from "../git.ts";
import { NO_HOOKS } from "../hardening.ts";
import { changesOf, faultOf } from "./branch-changes.ts";
import { apartOf, flattened, identity, named, squashed } from "./landing-commits.ts";
import type { LandingInput } from "./landing-job.ts";
import { type Refused, refused, refusedByGit } from "./refusal.ts";
import { nextSecond } from "./run-gate.ts";
import { gitGone, OWN_LOCKS, removeLocks } from "./stale-locks.ts";
import { looseTip } from "./target-tip.ts";

/** The worktree of a task while its branch lands. */
export class LandingTree {
  private readonly job: LandingInput;
  private readonly task: TaskBranch;
  private readonly names: readonly string[];
  private readonly gitDir: string;
  /** Tells after a crash that the landing, and not the member, began an operation here. */
  private readonly marker: string;
  private isDetached = false;
  /** The commit that may land by what it changes, and its diff to this commit of the target. */
  private checked: { commit: string; base: string; patch: string | null } | null = null;
  /** Git exchanges files for those of this commit, and may have ended between two of them: the disk was full, or git was killed. */
  private movingTo: string | null = null;
  /** When its files were last exchanged, or may have been. */
  private filesAt = Date.now();

  private constructor(job: LandingInput, names: readonly string[], gitDir: string) {
    this.job = job;
    this.task = job.work;
    this.names = names;
    this.gitDir = gitDir;
    this.marker = atWorkFile(gitDir);
  }

  static async open(job: LandingInput): Promise<LandingTree> {
    const gitDir = join(job.work.root, ".git");
    const tree = new LandingTree(job, await identity(job.work, job.by.seat.name), gitDir);
    if (existsSync(tree.marker)) await tree.recover(job.landing);
    return tree;
  }

  /** Commits everything. Null when the branch can land. */
  async commitAll(): Promise<Refused | null> {
    const { gitDir, marker, names } = this;
    return await commitWork(this.task, { gitDir, marker, names, signal: this.job.by.signal });
  }

  /** The number of commits that the target does not have. */
  async ahead(head: string): Promise<number> {
    const { git, project, ref } = this.task;
    return Number(await git.run(project, "rev-list", "--count", `${ref}..${head}`));
  }

  /** The last commit of the branch, brought to the project. */
  async head(): Promise<string> {
    const head = await ownTip(this.task, this.task);
    await this.bring(head, "branch");
    await show(this.task, this.task.branch, head);
    return head;
  }

  private get inside(): Git {
    return this.task.git.inside;
  }
  private async bring(commit: string, use: Use): Promise<void> {
    const { commonDir, branch, ref, root } = this.task;
    const known = [`refs/heads/${branch}`, ref].map((one) => looseTip(commonDir, one));
    if (!known.includes(commit)) await bring(this.task, root, [commit], use, this.job.by.signal);
  }

  /** The files that a commit changes since it left the base, where they may land. */
  async check(base: string, commit: string): Promise<readonly string[] | Refused> {
    const { git, project, branch, ref, onto } = this.task;
    const changes = await changesOf(git, project, [base, commit], this.job.options.tampering).catch(
      async (error: unknown) => {
        const isJoined = (await git.try(project, "merge-base", ref, commit)).code === 0;
        if (isJoined || (await git.tip(project, ref)) === null) throw error;
        return null;
      },
    );
    if (changes === null)
      return refused(
        "branch",
        `${branch} has no commit in common with ${onto}. Run git reset --soft ${onto}, then git status, and restore what is not your change: git checkout ${onto} -- FILE.`,
      );
    const fault = faultOf(this.job, changes) ?? (await filterFault(this.task, base, commit));
    if (fault === null) this.checked = { commit, base, patch: changes.patch };
    return fault ?? changes.paths;
  }

  /** Puts the task's commits on `base`. `asOne`: a gate will see only the last, so the target gets no others. */
  async putOn(base: string, asOne: boolean): Promise<Candidate | Refused> {
    const { git, project, root } = this.task;
    const head = await this.head();
    this.move(head, null);
    const isAttached = !this.isDetached;
    if (isAttached) await this.inside.run(root, "update-ref", "--no-deref", "HEAD", head);
    this.isDetached = true;
    let [own, apart] = [head, await apartOf(this.task, base, head)];
    if (apart.hasMerge) {
      own = await flattened(this.task, this.names, head);
      apart = await apartOf(this.task, base, own);
    }
    const { unseen, steps } = apart;
    const isOnBase = unseen.length === 0;
    if (!(isOnBase && isAttached && own === head)) {
      this.move(head, base);
      const stuck = await this.exchange(base, own, isOnBase);
      this.move(head, null);
      if (stuck) return stuck;
    }
    const tip = isOnBase
      ? own
      : (commitIn(root, "HEAD") ?? (await this.inside.run(root, "rev-parse", "HEAD")));
    if (!isOnBase) await this.bring(tip, "ahead");
    const asked = [tip, base].map((one) => `${one}^{tree}`);
    const [tree = "", before] = (await git.run(project, "rev-parse", ...asked)).split("\n");
    // A command in the background may have made other commits since the branch was looked at.
    const seen = tip === this.checked?.commit || tip === base ? [] : await this.check(base, tip);
    if ("kind" in seen) return seen;
    const patch = this.checked?.commit === tip && this.checked.base === base ? this.checked.patch : null;
    const made = { kind: "candidate", base, tip, tree, unseen, patch } as const;
    if (tip === base) return { ...made, commit: tip };
    // A later owner repeated work that had landed before a crash, or the commits undo each other.
    if (asOne && tree === before) return { ...made, commit: base };
    const commit = asOne && steps > 1 ? await squashed(this.task, this.names, base, tip) : tip;
    return { ...made, commit: await named(this.task, this.names, commit) };
  }

  /** The files of the worktree are those of `tree`, and no more those of the tip, while `work` runs. */
  async withFiles<T>(tip: string, tree: string, work: () => Promise<T>): Promise<T> {
    const { root } = this.task;
    const become = (what: string): Promise<string> =>
      this.inside.run(root, ...NO_HOOKS, "read-tree", "--reset", "-u", what);
    const head = await ownTip(this.task, this.task);
    this.filesAt = await nextSecond(this.filesAt);
    this.move(head, tree);
    try {
      await become(tree);
      return await work();
    } finally {
      this.filesAt = await nextSecond(this.filesAt);
      await become(tip);
      this.move(head, null);
    }
  }

  /** The branch becomes this commit, whose tree is in the worktree already: no file is touched. */
  async adopt(commit: string): Promise<void> {
    const { root, branch } = this.task;
    const moved = ["update-ref", "--no-deref", "-m", "ekiden: landing"];
    await this.inside.run(root, ...moved, `refs/heads/${branch}`, commit);
    await show(this.task, branch, commit);
    await this.attach();
  }

  /** The files of another commit, between two runs of the gate. False where a change that the gate made is in the way. */
  async show(commit: string): Promise<boolean> {
    const { root } = this.task;
    const head = await ownTip(this.task, this.task);
    this.filesAt = await nextSecond(this.filesAt);
    this.move(head, commit);
    const there = await this.inside.try(root, ...NO_HOOKS, "checkout", "--quiet", "--detach", commit);
    const isBlocked = there.code !== 0 && there.err.includes("would be overwritten");
    if (there.code !== 0 && !isBlocked) await this.makeWhole(commit);
    this.move(head, null);
    return !isBlocked;
  }

  /** The branch is checked out as its owner left it. Changes that a gate made of tracked files are kept. */
  async restore(): Promise<void> {
    if (!this.isDetached) return;
    const { root, branch } = this.task;
    if (this.movingTo !== null) await this.makeWhole(`refs/heads/${branch}`);
    else {
      const tip = await ownTip(this.task, this.task);
      this.move(tip, tip);
      const back = await this.inside.try(root, ...NO_HOOKS, "checkout", "--quiet", branch);
      if (back.code !== 0) await this.inside.run(root, ...NO_HOOKS, "checkout", "--quiet", "--merge", branch);
    }
    await this.attach();
  }

  /** Notes for which commit of the branch it lands, and the commit that the files of the worktree become now. */
  private move(head: string, to: string | null): void {
    // As a whole: a process that is killed in the middle of a write would leave an empty one.
    replaceFile(this.marker, to === null ? `rebase ${head}` : `rebase ${head} ${to}`);
    this.movingTo = to;
  }

  /**
   * The files of this commit, after git ended between two files of a checkout: absent files would be committed as deleted by the member.
   * All of its work is in the branch. First as at HEAD, where the checkout began, so that no file of its goal is left.
   */
  private async makeWhole(commit: string): Promise<void> {
    const { root } = this.task;
    this.removeLocks();
    if (this.movingTo !== null) await this.inside.run(root, "read-tree", this.movingTo);
    for (const one of ["HEAD", commit])
      await this.inside.run(root, ...NO_HOOKS, "reset", "--quiet", "--hard", one);
  }

  private async attach(): Promise<void> {
    const { root, branch } = this.task;
    await this.inside.run(root, "symbolic-ref", "-m", "ekiden: landing", "HEAD", `refs/heads/${branch}`);
    this.isDetached = false;
    rmSync(this.marker, { force: true });
  }

  /** After a crash: the member's own work is committed or still there, as it was before. */
  private async recover(landing: string | null): Promise<void> {
    const { git, project, root, ref } = this.task;
    await gitGone(({ cwd }) => cwd === root || cwd.startsWith(`${root}/`));
    this.removeLocks();
    const [began, , movingTo = null] = readFileSync(this.marker, "utf8").split(" ");
    // Of a marker that was cut off nothing is known but that the landing was at work.
    if (began !== "commit") {
      this.movingTo = movingTo;
      await this.endRebase();
      this.isDetached = (await this.inside.try(root, "symbolic-ref", "--quiet", "HEAD")).code !== 0;
      const hasLanded =
        this.isDetached &&
        landing !== null &&
        (await git.isAncestor(project, landing, ref)) &&
        (await this.inside.try(root, "diff", "--quiet", landing, "HEAD")).code === 0;
      if (hasLanded) {
        if (movingTo !== null) await this.makeWhole(landing);
        await this.adopt(landing);
      } else if (operationIn(this.gitDir) === null) await this.restore();
    }
    rmSync(this.marker, { force: true });
  }

  private removeLocks(): void {
    removeLocks(this.gitDir, OWN_LOCKS, statSync(this.marker).mtimeMs);
  }

  /** A git that was killed may not have noted what an abort needs. All work of the member is in its branch by then. */
  private async endRebase(): Promise<void> {
    const { root, branch } = this.task;
    if (operationIn(this.gitDir) !== "rebase") return;
    this.removeLocks();
    if ((await this.inside.try(root, "rebase", "--abort")).code === 0) return;
    for (const state of ["rebase-merge", "rebase-apply"])
      rmSync(join(this.gitDir, state), { recursive: true, force: true });
    await this.inside.run(root, "reset", "--quiet", "--hard", `refs/heads/${branch}`);
  }

  private as(...args: string[]): Promise<Ran> {
    // The signal ends a hook that hangs.
    return this.inside.tryWith({ signal: this.job.by.signal }, this.task.root, ...this.names, ...args);
  }

  /** The files of the worktree become those of its commits on the base. */
  private async exchange(base: string, own: string, isOnBase: boolean): Promise<Refused | null> {
    const { root, onto } = this.task;
    const { inside } = this;
    if (isOnBase) {
      const there = await inside.try(root, ...NO_HOOKS, "checkout", "--quiet", "--detach", own);
      if (there.code === 0) return null;
      await this.makeWhole(own);
      return refusedByGit("git checkout failed", there);
    }
    const done = await this.as("rebase", "--quiet", "--no-autostash", base, own).catch(async (error) => {
      await this.endRebase();
      throw error;
    });
    if (done.code === 0) return null;
    const conflicts = (await inside.run(root, "diff", "--name-only", "--diff-filter=U", "-z"))
      .split("\0")
      .filter(Boolean);
    const marks = conflicts.length > 0 ? await inside.run(root, "diff", "--no-color", "--no-ext-diff") : "";
    const told = `${done.out}\n${done.err}`.split("\n").filter((line) => line.startsWith("CONFLICT"));
    await this.endRebase();
    if (conflicts.length === 0) {
      // Files that a gate changed are kept: git says so, and begins nothing.
      if (!done.err.includes("cannot rebase: ")) await this.makeWhole(own);
      return refusedByGit(`git rebase ${onto} failed`, done);
    }
    return refused(
      "conflict",
      `Conflicts with ${onto} in ${listed(conflicts)}\n${told.join("\n")}\n${marks}`,
    );
  }
}
