/** The clones of the tasks of one project: made, kept in step with the target of the project, and their branches shown there. */
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../core/errors.ts";
import { removeTree } from "../../remove-tree.ts";
import { textIn } from "../../small-files.ts";
import type { Binding } from "../bindings.ts";
import { removeLeftLocks } from "../landing/stale-locks.ts";
import { looseTip } from "../landing/target-tip.ts";
import { linkShared } from "../shared.ts";
import { commitsDiff } from "../work-diff.ts";
import { bring, commitIn, keepBase, ownTip, type Place, show, startAt } from "./bring.ts";
import { finishDrafts, isHalfMade, isWhole, makeClone, notesOf, type Origin, takeOver } from "./clone.ts";
import { atWorkFile } from "./own-state.ts";
import { snapshot } from "./snapshot.ts";

type Of = Pick<Binding, "path" | "branch">;

export class TaskClones {
  readonly origin: Origin;
  private readonly folder: string;
  /** By clone: the commit of the target that it knows. */
  private readonly known = new Map<string, string>();
  private readonly packed = new Map<string, { readonly tip: string | null; readonly at: number }>();

  constructor(origin: Origin, folder: string) {
    this.origin = origin;
    this.folder = folder;
  }

  placeOf({ path, branch }: Of): Place {
    return { root: join(this.folder, path), branch };
  }

  /** The folder of the project in it. */
  workspaceOf(path: string): string {
    return join(this.folder, path, this.origin.prefix).replace(/[\\/]$/, "");
  }

  isThere(path: string): boolean {
    const root = join(this.folder, path);
    const notes = notesOf(root, this.origin.commonDir);
    return isWhole(root) || (notes !== null && !isHalfMade(notes));
  }

  /** Commits and names of the branches, tags and remote branches of the project. */
  async refs(): Promise<string[]> {
    const { git, project } = this.origin;
    const kinds = ["refs/heads", "refs/tags", "refs/remotes"];
    const all = await git.run(project, "for-each-ref", "--format=%(objectname) %(refname)", ...kinds);
    return all.split("\n").filter(Boolean);
  }

  /** Returns why it cannot be made; null when it is there. `target`: where a new branch begins, a ref in full. */
  async make(of: Of, target: string, refs: readonly string[]): Promise<string | null> {
    const { origin, folder } = this;
    const { root, branch } = this.placeOf(of);
    const tipIn = (ref: string): string | undefined =>
      refs.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0];
    const commit = tipIn(`refs/heads/${branch}`) ?? tipIn(target);
    if (commit === undefined) return `there is no branch ${target}`;
    const why =
      (await startAt(origin, { branch, path: of.path, commit })) ??
      (await makeClone(origin, { folder, root, branch, commit, refs }).catch(whyNotWritten));
    this.known.set(root, tipIn(target) ?? "");
    return why;
  }

  /** Before it is used: of the present form, and with its branch. `isTakenOver`: an earlier owner may have been killed. */
  async prepare(of: Of, target: string, isTakenOver: boolean): Promise<void> {
    await this.renew(of, target);
    const place = this.placeOf(of);
    if (isTakenOver && isWhole(place.root)) await removeLeftLocks(place.root);
    if (isWhole(place.root)) await this.mendBranch(place, target);
  }

  private async renew(of: Of, target: string): Promise<void> {
    const { origin, folder } = this;
    const { root, branch } = this.placeOf(of);
    if (!existsSync(join(root, ".git"))) return finishDrafts(folder);
    const notes = notesOf(root, origin.commonDir);
    if (notes === null) return;
    if (isHalfMade(notes)) {
      removeTree(root);
      removeTree(notes);
      return;
    }
    const { git, project } = origin;
    const tip =
      (await git.tip(project, `refs/heads/${branch}`)) ?? (await git.run(project, "rev-parse", target));
    const [before, now] = [atWorkFile(notes), atWorkFile(join(root, ".git"))];
    if (existsSync(before)) renameSync(before, now);
    await keepBase(origin, of.path, tip);
    await takeOver(origin, { folder, root, branch, commit: tip, refs: await this.refs() }, notes);
  }

  /** A command may have removed it: it comes back where the project saw it last, and what came after is not committed. */
  private async mendBranch({ root, branch }: Place, target: string): Promise<void> {
    const { git, project } = this.origin;
    const ref = `refs/heads/${branch}`;
    if (commitIn(root, ref) !== null || (await git.inside.tip(root, ref)) !== null) return;
    const tip = (await git.tip(project, ref)) ?? (await git.run(project, "rev-parse", target));
    await git.inside.try(root, "update-ref", "--no-deref", "-m", "ekiden: made again", ref, tip);
  }

  /** Members compare with the target and rebase on it. One that works on a branch of that name in its clone keeps it. */
  async follow(of: Of, target: string): Promise<void> {
    const { origin } = this;
    const { root } = this.placeOf(of);
    const tip = await this.tipOf(target);
    if (tip === null || this.known.get(root) === tip) return;
    if (commitIn(root, target) !== tip) {
      if (textIn(join(root, ".git", "HEAD")).trim() === `ref: ${target}`) return;
      await keepBase(origin, of.path, tip);
      await origin.git.inside.try(root, "update-ref", "--no-deref", "-m", "ekiden: follows", target, tip);
    }
    this.known.set(root, tip);
  }

  private async tipOf(ref: string): Promise<string | null> {
    const { git, project, commonDir } = this.origin;
    const loose = looseTip(commonDir, ref);
    const asked = this.packed.get(ref);
    if (loose !== null) return loose;
    if (asked && performance.now() - asked.at < KEEP_MS) return asked.tip;
    const tip = await git.tip(project, ref);
    this.packed.set(ref, { tip, at: performance.now() });
    return tip;
  }

  /** Links to the folders of the project that are shared. */
  async share(path: string): Promise<void> {
    const { git, project, share } = this.origin;
    const workspace = this.workspaceOf(path);
    mkdirSync(workspace, { recursive: true });
    await linkShared(git, { project, workspace, paths: share });
  }

  /** What the task has changed on its branch and not committed, since it left the target. */
  async diff(of: Of, target: string, author: string): Promise<string> {
    const { git, project } = this.origin;
    const tip = await snapshot(this.origin, this.placeOf(of), author);
    return await commitsDiff(git, project, await git.run(project, "merge-base", tip, target), tip);
  }

  /** The project gets the commits of its branch. Does nothing while it lands. */
  async checkpoint(of: Of): Promise<void> {
    const { origin } = this;
    const place = this.placeOf(of);
    if (!isWhole(place.root) || existsSync(atWorkFile(join(place.root, ".git")))) return;
    const tip = await ownTip(origin, place);
    if (tip === looseTip(origin.commonDir, `refs/heads/${place.branch}`)) return;
    await bring(origin, place.root, [tip], "branch");
    await show(origin, place.branch, tip);
  }
}

/** A full or broken disk, in the words of the system. */
function whyNotWritten(error: unknown): string {
  if (/^(?:ENOSPC|EDQUOT|EROFS|EIO)$/.test((error as NodeJS.ErrnoException).code ?? ""))
    return messageOf(error);
  throw error;
}

/** The time for which an answer of git about a packed ref is used. */
const KEEP_MS = 1_000;
