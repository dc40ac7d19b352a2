/**
 * Worktrees with plain git: `.ekiden/worktrees/<id>-<slug>` on a branch `ekiden/<id>-<slug>`. A removal checks first that nothing
 * is lost, and git checks again: nothing here is ever forced.
 */
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { EkidenError } from "../../core/errors.ts";
import type { Name } from "../../core/ids.ts";
import { branchOf, slugOf, worktreePath } from "../../core/worktree.ts";
import type { Shell } from "../../ports/shell.ts";
import type { Landing, Removal, Which, Worktree, Worktrees } from "../../ports/worktrees.ts";
import { type Binding, type Bindings, bindingsOf, folderOf } from "./bindings.ts";
import { finishFastForward } from "./fast-forward.ts";
import { type Env, Git, messageOfGit, type Ran } from "./git.ts";
import { landBranch } from "./land.ts";
import { LandingLine } from "./landing-line.ts";
import { checkShared, listed, operationIn, type Repository, repositoryOf } from "./preflight.ts";
import { linkShared, unlinkShared } from "./shared.ts";
import { noticeMoves } from "./target-moves.ts";
import { checkWayOut, type WayOut } from "./way-out.ts";
import { withWorktreeLock } from "./worktree-lock.ts";
import { clearHalfMade, isWhole } from "./worktree-state.ts";

export type WorktreeOptions = {
  /** Absolute, without symlinks. */
  readonly project: string;
  readonly team: Name;
  /** The environment of git and of the person's git hooks; without secrets. */
  readonly env: Env;
  readonly shell: Shell;
  readonly target?: string | undefined;
  readonly gate?: string | undefined;
  readonly gateTimeoutMs: number;
  /** Gates that may run at once. Default 1. */
  readonly gateParallel?: number;
  /** Default: the target moves forward here, and nowhere else. */
  readonly wayOut?: WayOut;
  /** How long others wait for a landing that was refused. */
  readonly reservationMs?: number;
  readonly share: readonly string[];
  /** The person agreed to the git hooks and git programs of this repository. */
  readonly trusted?: boolean;
};

/** Long enough for a model to resolve a conflict, short enough for the others to wait for one that has given up. */
const RESERVATION_MS = 300_000;
const FAST_FORWARD: WayOut = { kind: "fast-forward", remote: "" };

/** @throws EkidenError `bad_input` if the project cannot have worktrees now | `settings_invalid` */
export async function openWorktrees(options: WorktreeOptions): Promise<Worktrees> {
  const git = new Git(options.env, options.trusted);
  const share = checkShared(options.share);
  await finishFastForward(git, options.project);
  const repository = await repositoryOf(git, options.project, options.target);
  if (options.wayOut) await checkWayOut(git, options.project, options.wayOut);
  bindingsOf(options).inUse = true;
  return new GitWorktrees({ ...options, share }, git, repository);
}

class GitWorktrees implements Worktrees {
  readonly target: string;
  readonly gate: string | undefined;
  private readonly options: WorktreeOptions;
  private readonly git: Git;
  private readonly repository: Repository;
  private readonly folder: string;
  private readonly bindings: Bindings;
  /** Worktrees that are being created: calls that only read run in parallel. */
  private readonly opening = new Map<number, Promise<Worktree>>();

  constructor(options: WorktreeOptions, git: Git, repository: Repository) {
    this.options = options;
    this.git = git;
    this.repository = repository;
    this.target = repository.target;
    this.gate = options.gate;
    this.folder = folderOf(options.project);
    this.bindings = bindingsOf(options);
  }

  get shared(): string[] {
    const { project, share } = this.options;
    return share
      .map((path) => join(project, path))
      .flatMap((path) => (existsSync(path) ? [realpathSync(path)] : []));
  }

  workspaceOf(task: Which): string {
    return this.workspace(
      this.bindings.read(task)?.path ?? this.freePath(task, slugOf(task.subject), () => false),
    );
  }

  find(task: Which): Worktree | null {
    const binding = this.bindings.read(task);
    return binding && isWhole(join(this.folder, binding.path)) ? this.shown(task, binding) : null;
  }

  async open(task: Which, slug?: string): Promise<Worktree> {
    const underWay = this.opening.get(task.id);
    if (underWay !== undefined) return await underWay;
    const found = this.find(task);
    if (found) return found;
    const opening = this.make(task, slug).finally(() => this.opening.delete(task.id));
    this.opening.set(task.id, opening);
    return await opening;
  }

  async land(task: Which, { name, ...by }: Parameters<Worktrees["land"]>[1]): Promise<Landing> {
    const { git, options, repository, gate } = this;
    const binding = this.bindings.read(task);
    if (!binding || !this.find(task)) return { kind: "nothing" };
    const { branch, target, path } = binding;
    const landed = await landBranch({
      git,
      gate,
      branch,
      target,
      ...by,
      by: name,
      team: options.team,
      task: task.id,
      createdAt: task.createdAt,
      landing: binding.landing,
      shell: options.shell,
      commonDir: repository.commonDir,
      root: join(this.folder, path),
      workspace: this.workspace(path),
      gateTimeoutMs: options.gateTimeoutMs,
      gateParallel: options.gateParallel ?? 1,
      reservationMs: options.reservationMs ?? RESERVATION_MS,
      message: task.subject,
      author: name,
      wayOut: options.wayOut ?? FAST_FORWARD,
      proposed: binding.proposed ?? null,
      hasProposed: (commit) => this.bindings.write(task, { ...this.bound(task, binding), proposed: commit }),
      willLand: (commit) => this.bindings.write(task, { ...this.bound(task, binding), landing: commit }),
    });
    if (landed.kind === "landed") return { ...landed, branch, target, before: false };
    if (landed.kind === "refused") return { ...landed, branch };
    if (landed.kind === "proposed") return { ...landed, branch, target };
    const commit = binding.landing;
    return commit !== null && (await git.isAncestor(options.project, commit, `refs/heads/${target}`))
      ? { kind: "landed", branch, target, commit, before: true }
      : landed;
  }

  noticeMoves(tell: (text: string) => Promise<void>): Promise<void> {
    const { git, options, repository, target } = this;
    const { commonDir } = repository;
    const line = new LandingLine(commonDir);
    return noticeMoves({ git, root: options.project, commonDir, target, line }, tell);
  }

  async remove(task: Which): Promise<Removal> {
    const { git, folder, options } = this;
    const binding = this.bindings.read(task);
    if (!binding) return { kind: "missing" };
    const root = join(folder, binding.path);
    const held = await this.contents(root, binding);
    if (held !== null) return { kind: "kept", why: held };
    const tip = await git.ask(
      options.project,
      "rev-parse",
      "--verify",
      "--quiet",
      `refs/heads/${binding.branch}`,
    );
    if (existsSync(root)) {
      unlinkShared({ workspace: this.workspace(binding.path), paths: options.share });
      const gone = await this.apart("remove", root);
      if (gone.code !== 0) return { kind: "kept", why: messageOfGit(gone) };
    } else await this.apart("prune");
    // A branch that waits for its pull request stays.
    if (tip !== null && tip !== binding.proposed) {
      const unmerged = await this.unmerged(options.project, tip, binding);
      if (unmerged) return { kind: "kept", why: unmerged };
      await git.try(options.project, "update-ref", "-d", `refs/heads/${binding.branch}`, tip);
    }
    this.bindings.remove(task);
    return { kind: "removed" };
  }

  keep(task: Which): Worktree {
    const binding = this.bindings.read(task);
    if (!binding)
      throw new EkidenError("not_found", `#${task.id} has no worktree. create_worktree makes one.`);
    const kept = { ...binding, kept: true };
    this.bindings.write(task, kept);
    return this.shown(task, kept);
  }

  list(): Pick<Which, "id" | "createdAt">[] {
    return this.bindings.list();
  }

  /** Bound before it is created: after a crash the worktree is found again and completed. */
  private async make(task: Which, wanted?: string): Promise<Worktree> {
    const { git, folder, options, repository, target } = this;
    const branches = new Set(
      (
        await git.run(options.project, "for-each-ref", "--format=%(refname:short)", "refs/heads/ekiden/")
      ).split("\n"),
    );
    const fresh = (): Binding => {
      const path = this.freePath(task, wanted ?? slugOf(task.subject), (name) =>
        branches.has(branchOf(name)),
      );
      return { path, branch: branchOf(path), target, kept: false, landing: null };
    };
    const binding = this.bindings.read(task) ?? fresh();
    this.bindings.write(task, binding);
    const root = join(folder, binding.path);
    mkdirSync(folder, { recursive: true });
    const args = branches.has(binding.branch)
      ? [root, binding.branch]
      : ["--no-track", "-b", binding.branch, root, `refs/heads/${binding.target}`];
    await clearHalfMade(git, { project: options.project, commonDir: repository.commonDir }, root);
    let added = await this.apart("add", ...args);
    if (added.code !== 0 && /already registered/.test(added.err))
      // somebody removed its folder
      added = await this.apart("add", "--force", ...args);
    // A failing hook of the person (post-checkout) does not prevent a worktree.
    if (added.code !== 0 && !isWhole(root))
      throw new EkidenError(
        "tool_failed",
        `The worktree of #${task.id} cannot be made in ${root}: ${messageOfGit(added)}`,
      );
    const workspace = this.workspace(binding.path);
    mkdirSync(workspace, { recursive: true });
    await linkShared(git, repository.commonDir, {
      project: options.project,
      workspace,
      paths: options.share,
    });
    return this.shown(task, binding);
  }

  private apart(...args: string[]): Promise<Ran> {
    const { git, options, repository } = this;
    return withWorktreeLock(repository.commonDir, () => git.try(options.project, "worktree", ...args));
  }

  /** Adds a number to a name that a task of an older board has taken. */
  private freePath(task: Which, slug: string, taken: (path: string) => boolean): string {
    for (let nth = 1; ; nth += 1) {
      const path = worktreePath(this.options.team, task.id, nth === 1 ? slug : `${slug || "task"}-${nth}`);
      if (!existsSync(join(this.folder, path)) && !taken(path)) return path;
    }
  }

  /** What its removal would lose, in words; null for nothing. */
  private async contents(root: string, binding: Binding): Promise<string | null> {
    const { git } = this;
    if (!existsSync(root)) return null;
    const changes = await git.changes(root);
    if (changes.length > 0) return `uncommitted: ${listed(changes.map((line) => line.slice(3)))}`;
    const gitDir = await git.run(root, "rev-parse", "--path-format=absolute", "--git-dir");
    const operation = operationIn(gitDir);
    if (operation) return `a ${operation} is under way in it`;
    return (
      (await this.unmerged(root, "HEAD", binding)) ??
      (await this.unmerged(root, `refs/heads/${binding.branch}`, binding))
    );
  }

  private async unmerged(at: string, tip: string, { target, proposed }: Binding): Promise<string | null> {
    const range = [`refs/heads/${target}..${tip}`, ...(proposed ? [`^${proposed}`] : [])];
    const { code, out } = await this.git.try(at, "log", "--format=%h %s", ...range);
    if (code !== 0) return `git cannot tell whether ${tip} is on ${target}`;
    const commits = out.split("\n").filter(Boolean);
    return commits.length === 0 ? null : `not on ${target}: ${listed(commits)}`;
  }

  private bound(task: Which, otherwise: Binding): Binding {
    return this.bindings.read(task) ?? otherwise;
  }

  private workspace(path: string): string {
    return join(this.folder, path, this.repository.prefix).replace(/[\\/]$/, "");
  }

  private shown({ id }: Which, { branch, target, path, kept }: Binding): Worktree {
    return { task: id, branch, target, kept, workspace: this.workspace(path) };
  }
}
