/** The workspaces of the tasks of a team in one project. A removal checks first that nothing is lost, and git checks again: nothing here is ever forced. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { branchOf } from "../../core/board/worktree.ts";
import { notFound, toolFailed } from "../../core/errors.ts";
import type { Contact, Landing, Removal, Which, Worktree, Worktrees } from "../../ports/worktrees.ts";
import { type Binding, type Bindings, bindingsOf, folderOf, type Key, keyOf } from "./bindings.ts";
import { lost } from "./clones/clone.ts";
import { firstOn, landedAs, takeAway } from "./clones/contents.ts";
import { tellLeftOut } from "./clones/filters.ts";
import { freePath } from "./clones/free-path.ts";
import type { Repository } from "./clones/preflight.ts";
import { trailerOf } from "./clones/request-branch.ts";
import { TaskClones } from "./clones/task-clones.ts";
import type { Git } from "./git.ts";
import { despiteOthers, NotesGone } from "./landing/despite-others.ts";
import { landBranch } from "./landing/land.ts";
import type { LandingInput } from "./landing/landing-job.ts";
import { AgreedFiles } from "./landing/protected-changes.ts";
import { diskFault } from "./landing/refusal.ts";
import { noticeMoves } from "./landing/target-moves.ts";
import { proposalOf } from "./landing/way-out.ts";
import type { WorktreeOptions } from "./options.ts";
import { ALONE, AT_ONCE, type Remote, remoteFault } from "./remote.ts";
import { foldersOf } from "./shared.ts";
import { type Opened, type SharedTarget, wasLanded } from "./shared-target.ts";

export class GitWorktrees implements Worktrees {
  readonly target: string;
  readonly onto: string;
  readonly gate: string | undefined;
  private readonly options: WorktreeOptions;
  private readonly git: Git;
  private readonly repository: Repository;
  private readonly remote: Remote | null;
  private readonly sharedTarget: SharedTarget | null;
  private readonly folder: string;
  private readonly bindings: Bindings;
  /** Worktrees that are being created: calls that only read run in parallel. */
  private readonly opening = new Map<number, Promise<Worktree>>();
  /** Tasks whose worktrees this process has used: somebody may remove them with all that is noted about them. */
  private readonly opened = new Set<string>();
  private readonly agreed: AgreedFiles;
  private readonly clones: TaskClones;
  private hasTold = false;

  constructor(options: WorktreeOptions, git: Git, { repository, remote, shared }: Opened) {
    this.options = options;
    this.git = git;
    this.repository = repository;
    this.remote = remote;
    this.sharedTarget = shared;
    this.target = repository.target;
    this.onto = shared?.onto ?? repository.target;
    this.gate = options.gate;
    this.folder = folderOf(options.project);
    this.bindings = bindingsOf(options);
    this.agreed = new AgreedFiles(this.folder, options.mayChange);
    const { project, share } = options;
    this.clones = new TaskClones({ git, project, share, ...repository }, this.folder);
  }

  get remoteLabel(): string | null {
    return this.sharedTarget?.remote.label ?? null;
  }

  get shared(): string[] {
    return foldersOf(this.options);
  }

  workspaceOf(task: Which): string {
    return this.clones.workspaceOf(
      this.bindings.read(task)?.path ?? this.freePath(task, undefined, () => false),
    );
  }

  find(task: Which): Worktree | null {
    const binding = this.bindings.read(task);
    return binding && this.clones.isThere(binding.path) ? this.shown(task, binding) : null;
  }

  async open(task: Which, slug?: string, contact: Contact = ALONE): Promise<Worktree> {
    const opening = this.opening.get(task.id) ?? despiteOthers(() => this.openOnce(task, contact, slug));
    this.opening.set(task.id, opening);
    return await opening.finally(() => this.opening.delete(task.id));
  }

  private async openOnce(task: Which, contact: Contact, slug?: string): Promise<Worktree> {
    await this.prepare(task, true);
    const [found, binding] = [this.find(task), this.bindings.read(task)];
    if (found) this.opened.add(keyOf(task));
    if (found && binding) await this.clones.follow(binding, this.targetOf(binding.target).ref);
    const tree = found && !this.isStale(task) ? found : await this.make(task, contact, slug);
    await this.options.setUp?.(tree, contact, task.attempt ?? 0);
    return tree;
  }

  private async prepare(task: Which, isOwner = false): Promise<void> {
    const binding = this.bindings.read(task);
    const isTakenOver = isOwner && !this.opened.has(keyOf(task));
    if (binding) await this.clones.prepare(binding, this.targetOf(binding.target).ref, isTakenOver);
  }

  /** Another machine may have had the task since this one did. */
  private isStale(task: Which): boolean {
    return this.sharedTarget !== null && this.bindings.read(task)?.attempt !== (task.attempt ?? 0);
  }

  async park(task: Which, contact: Contact): Promise<void> {
    const binding = this.bindings.read(task);
    if (!binding || !this.find(task)) return;
    await this.prepare(task);
    await this.clones.checkpoint(binding);
    if (!this.sharedTarget || binding.proposed) return; // its request would show half of a work
    const { parked, ref } = this.sharedTarget;
    const place = this.clones.placeOf(binding);
    const now = await parked.park({ ...contact, patienceMs: 0 }, place, binding, ref);
    if (now) this.bindings.update(task, binding, now);
  }

  async diff(task: Which): Promise<string> {
    const binding = this.bindings.read(task);
    if (!binding || !this.find(task)) return "";
    await this.prepare(task);
    return await this.clones.diff(binding, this.targetOf(binding.target).ref, this.options.team);
  }

  async follow(contact: Contact): Promise<void> {
    const why = await this.sharedTarget?.follows({ ...contact, patienceMs: 0 });
    if (why) await contact.tell(`Your working copy is not updated with what lands on ${this.onto}: ${why}`);
  }

  readonly land = (task: Which, by: LandingInput["by"]): Promise<Landing> =>
    despiteOthers(() => this.landOnce(task, by));

  private async landOnce(task: Which, by: LandingInput["by"]): Promise<Landing> {
    const { git, options, sharedTarget: shared } = this;
    const contact = { signal: by.signal, tell: by.onMoved };
    const known = await this.goOnFirst(task, contact);
    if (known) return known;
    await this.prepare(task, true);
    const binding = this.bindings.read(task);
    if (!binding)
      return this.opened.has(keyOf(task)) ? await this.refuseLost(task, contact) : { kind: "nothing" };
    const { branch, target, path, landing } = binding;
    const [where, attempt] = [this.targetOf(target), task.attempt ?? 0];
    const onTarget = (commits: readonly (string | null)[]) =>
      firstOn(git, options.project, where.ref, commits);
    // An owner that died or was fenced after its landing could not say so: the repeated work of a later one does not land, too.
    const earlier = () => onTarget(this.bindings.landingsBefore(task, attempt));
    const own = () => onTarget([this.bindings.read(task)?.landing ?? landing]);
    const before = (await earlier()) ?? (this.find(task) ? null : await own());
    if (before !== null) return { kind: "landed", branch, target, commit: before };
    if (!this.find(task)) return await this.refuseLost(task, contact);
    this.opened.add(keyOf(task));
    const root = join(this.folder, path);
    const landed = await landBranch({
      ...{ task, by, options, workspace: this.clones.workspaceOf(path), agreed: this.agreed },
      work: {
        ...{ git, project: options.project, commonDir: this.repository.commonDir, root, branch, target },
        ...where,
        message: task.subject,
        trailer: options.wayOut?.isForge ? trailerOf(options.team, task) : null,
      },
      ...{ landing, earlier, shared, parked: binding.parked ?? null },
      proposal: proposalOf(options.wayOut, this.remote, binding, (change) =>
        this.bindings.update(task, binding, change),
      ),
      willLand: (commit) => this.bindings.willLand(task, binding, commit, attempt),
    }).catch(async (error: unknown) => {
      const isThere = this.find(task) !== null;
      const isWhole = isThere && (await git.inside.tip(root, `refs/heads/${branch}`)) !== null;
      if (by.signal.aborted || isWhole) throw error;
      if (isThere) throw new NotesGone(root);
      await by.stillMine(); // Somebody removed its folder.
      return { kind: "nothing" } as const;
    });
    const isBack = landed.kind === "refused" || landed.kind === "held" || landed.kind === "doubted";
    if (isBack && this.find(task)) return { ...landed, branch };
    if (landed.kind === "landed" || landed.kind === "proposed") return { branch, ...landed, target };
    const done = await own();
    if (done) return { kind: "landed", branch, target, commit: done };
    return await this.refuseLost(task, contact);
  }

  /** Its branch may hold less than was done. A completion with nothing is refused once for each loss, whatever was told before. */
  private async refuseLost(task: Which, contact: Contact): Promise<Landing> {
    if (!this.find(task))
      await this.open(task, undefined, contact).catch((error: unknown) => {
        if (!this.find(task)) throw error; // no fault of the work: it does not count
      });
    const { branch = "", isLost } = this.bindings.takeLoss(task) ?? {};
    if (!isLost) return { kind: "nothing" };
    return { kind: "refused", why: "branch", evidence: lost(task.id, branch, this.onto), branch };
  }

  /** The new owner of a task completes it at once: an earlier one on another machine may have landed or parked it. */
  private async goOnFirst(task: Which, contact: Contact): Promise<Landing | null> {
    if (!this.isStale(task)) return null;
    try {
      const there = await this.sharedTarget?.follow(contact, task);
      if (!there) return null;
      if (wasLanded(there, this.bindings.read(task)))
        return { kind: "landed", branch: there.branch, target: this.target, commit: there.head };
      await this.open(task, undefined, contact);
      return null;
    } catch (error) {
      const evidence = remoteFault(error);
      if (evidence === null) throw error;
      return { kind: "refused", why: "target", evidence, branch: this.bindings.read(task)?.branch ?? "" };
    }
  }

  /** A worktree keeps the target that it was made for. */
  private targetOf(target: string): { readonly ref: string; readonly onto: string } {
    return this.sharedTarget?.remote.noteOf(target) ?? { ref: `refs/heads/${target}`, onto: target };
  }

  async noticeMoves(tell: (text: string) => Promise<void>): Promise<void> {
    const [git, { project }] = [this.git, this.options];
    const { commonDir, uncommitted } = this.repository;
    if (!this.hasTold) await tellLeftOut(git, project, uncommitted, tell);
    this.hasTold = true;
    const where = { git, project, commonDir, isShared: this.sharedTarget !== null };
    await noticeMoves({ ...where, ...this.targetOf(this.target) }, tell);
  }

  readonly accept = (path: string): void => this.agreed.accept(path);

  readonly landedAs: Worktrees["landedAs"] = (task) =>
    landedAs(this.git, this.options.project, this.bindings.read(task), (target) => this.targetOf(target).ref);

  async remove(task: Which): Promise<Removal> {
    const { folder, options } = this;
    const binding = this.bindings.read(task);
    // Its branch on a remote that is away goes later; one that is proposed stays.
    if (options.wayOut?.kind === "push") await this.sharedTarget?.forget(AT_ONCE, task).catch(() => {});
    if (!binding) return { kind: "missing" };
    await despiteOthers(() => this.prepare(task));
    const about = { origin: this.clones.origin, folder, binding, ref: this.targetOf(binding.target).ref };
    const why = await takeAway(about, this.shown(task, binding), options.tearDown);
    if (why !== null) return { kind: "kept", why };
    this.bindings.remove(task);
    this.opened.delete(keyOf(task));
    return { kind: "removed" };
  }

  keep(task: Which): Worktree {
    const binding = this.bindings.read(task);
    if (!binding) throw notFound(`#${task.id} has no worktree. create_worktree makes one.`);
    this.bindings.update(task, binding, { kept: true });
    return this.shown(task, { ...binding, kept: true });
  }

  async list(): Promise<Key[]> {
    const here = this.bindings.list();
    const there = (await this.sharedTarget?.parked.all(AT_ONCE).catch(() => [])) ?? [];
    const known = new Set(here.map(keyOf));
    return [...here, ...there.filter((one) => !known.has(keyOf(one)))];
  }

  /** Bound before it is created: after a crash the worktree is found again and completed. */
  private async make(task: Which, contact: Contact, wanted?: string): Promise<Worktree> {
    const { folder, clones, target, sharedTarget: shared } = this;
    const there = (await shared?.follow(contact, task)) ?? null;
    const refs = await clones.refs();
    const branches = new Set(refs.map((line) => line.replace(/^\w+ refs\/heads\//, "")));
    const fresh = (): Binding => {
      const path = this.freePath(task, wanted, (name) => branches.has(branchOf(name)));
      return { path, branch: there?.branch ?? branchOf(path), target, kept: false, landing: null };
    };
    const known = this.bindings.read(task);
    const binding = known ?? fresh();
    const root = join(folder, binding.path);
    const isLost = (this.opened.has(keyOf(task)) || known?.isMade) && !clones.isThere(binding.path);
    this.bindings.write(task, isLost ? { ...binding, isLost } : binding);
    mkdirSync(folder, { recursive: true });
    const why = await clones.make(binding, this.targetOf(binding.target).ref, refs);
    if (why !== null)
      throw toolFailed(
        `The worktree of #${task.id} cannot be made in ${root}: ${why}${diskFault(why, "try again")}`,
      );
    const parked = await shared?.goOn(contact, task, clones.placeOf(binding), binding, there);
    if (parked) this.bindings.update(task, binding, { ...parked, attempt: task.attempt ?? 0 });
    await clones.share(binding.path);
    this.opened.add(keyOf(task));
    this.bindings.update(task, binding, { isMade: true });
    if (isLost) throw toolFailed(lost(task.id, binding.branch, this.onto));
    return this.shown(task, binding);
  }

  private freePath(task: Which, wanted: string | undefined, taken: (path: string) => boolean): string {
    const { team } = this.options;
    return freePath({ folder: this.folder, team, isShared: this.sharedTarget !== null }, task, wanted, taken);
  }

  private shown({ id }: Which, { branch, target, path, kept }: Binding): Worktree {
    return { task: id, branch, target, kept, workspace: this.clones.workspaceOf(path) };
  }
}
