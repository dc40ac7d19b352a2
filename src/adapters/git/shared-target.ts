/**
 * The target branch on a remote that several machines share. This clone notes its last known commit under `refs/remotes`; tasks start
 * from that and land by a push. The project's own branch and files only follow, where nothing of the person's is in the way.
 */
import { badInput, toolFailed } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { type Binding, type Key, keyOf } from "./bindings.ts";
import type { Place } from "./clones/bring.ts";
import type { OnRemote, ParkedWork } from "./clones/parked.ts";
import type { Repository } from "./clones/preflight.ts";
import type { Git } from "./git.ts";
import { fastForward } from "./landing/fast-forward.ts";
import { inTurn } from "./landing/in-turn.ts";
import { looseTip } from "./landing/target-tip.ts";
import { type Contact, isAway, PATIENCE_MS, type Remote, remoteFault, wasCut } from "./remote.ts";

type Clone = { readonly git: Git; readonly project: string; readonly commonDir: string };

/** The state of a task on the remote. `isLanded`: its commits are on the target. */
export type Known = OnRemote & { readonly head: string; readonly isLanded: boolean };

/** The place where the tasks of a team land. */
export type Opened = {
  readonly repository: Repository;
  readonly remote: Remote | null;
  /** Null: tasks land on a branch of this repository. */
  readonly shared: SharedTarget | null;
};

export class SharedTarget {
  readonly ref: string;
  readonly onto: string;
  readonly remote: Remote;
  readonly parked: ParkedWork;
  private readonly clone: Clone;
  private readonly target: string;
  /** By task: since when its pushes are cut in the middle. */
  private readonly cutSince = new Map<string, number>();
  /** By task: those whose branch is still to be removed. */
  private readonly landed = new Map<string, Key>();

  constructor(clone: Clone, target: string, remote: Remote, parked: ParkedWork) {
    this.clone = clone;
    this.target = target;
    this.remote = remote;
    this.parked = parked;
    const { ref, onto } = remote.noteOf(target);
    this.ref = ref;
    this.onto = onto;
  }

  /** Checks at the start that this is a clone of what the remote has. @throws EkidenError `bad_input` */
  async check(): Promise<void> {
    const { git, project } = this.clone;
    const { label } = this.remote;
    const contact = { signal: new AbortController().signal, tell: () => Promise.resolve(), patienceMs: 0 };
    try {
      await this.follow(contact);
    } catch (error) {
      throw badInput(remoteFault(error) ?? String(error), { cause: error });
    }
    if ((await git.try(project, "merge-base", "HEAD", this.ref)).code !== 0)
      throw badInput(
        `${project} and ${quote(this.target)} of ${label} have no commit in common: this is a clone of another repository, or a shallow one. Clone ${label} (git clone), or correct the setting remote.`,
      );
  }

  /** Notes the commit that the remote has now, also after a wait. Returns what it has for the task. @throws EkidenError `tool_failed` */
  async follow(contact: Contact, task?: Key): Promise<Known | null> {
    const { clone, remote } = this;
    return await remote.patiently(contact, () =>
      inTurn(clone.commonDir, () => this.followNow(contact, task)),
    );
  }

  /** As `follow`, in its turn. */
  private async followNow(contact: Contact, task?: Key): Promise<Known | null> {
    const { clone, remote, parked, target } = this;
    const branch = `refs/heads/${target}`;
    const tips = await remote.tips(contact, branch, ...(task ? [parked.pattern(task)] : []));
    const tip = tips.get(branch);
    if (tip === undefined)
      throw toolFailed(
        `${remote.label} has no branch ${quote(target)} to land on. Push it first (git push ${remote.label} ${target}), or set another targetBranch.`,
        { details: { remote: remote.label } },
      );
    const { git, project } = clone;
    const known = await git.tip(project, this.ref);
    if (known !== tip) {
      await remote.fetch(contact, tip);
      await this.note("fetched", known, tip);
    }
    const there = task ? await parked.find(contact, tips, task) : null;
    if (!there) return null;
    if (there.tip === tip) return { ...there, head: tip, isLanded: true };
    await remote.fetch(contact, there.tip);
    const { head, changes } = await parked.unpacked(there.tip);
    return { ...there, head, isLanded: changes === null && (await git.isAncestor(project, head, tip)) };
  }

  /**
   * In its turn, with the commit that the gate has seen. The branch of the task moves with the target, so that a
   * machine that continues with the task sees the landing, and so that of two owners only one lands. `raced`: the caller asks the
   * remote again, in another turn.
   */
  async land(
    contact: Contact,
    place: Place,
    { task, base, commit, before }: { task: Key; base: string; commit: string; before: string | null },
  ): Promise<"moved" | "raced" | { readonly why: string }> {
    const { clone, remote, parked, ref, target } = this;
    const { git, project } = clone;
    const to = await parked.following(commit, before);
    const why = await remote.push(contact, [
      { ref: `refs/heads/${target}`, from: base, to: commit },
      { ref: `refs/heads/${place.branch}`, from: before, to },
    ]);
    if (why === null) await this.note("landed", base, commit);
    else {
      // The answer may have been lost on its way.
      const there = await this.followNow(contact, task).catch((error: unknown) => {
        if (isAway(error)) return "away" as const;
        throw error;
      });
      if (there === "away") return "raced";
      const isThere = there?.tip === to && (await git.isAncestor(project, commit, ref));
      if (
        !isThere &&
        ((await git.run(project, "rev-parse", ref)) !== base || (there?.tip ?? null) !== before)
      )
        return "raced";
      // The caller asks the remote again, and waits while it is away.
      if (!isThere && wasCut(why) && this.mayTryAgain(task)) return "raced";
      if (!isThere)
        return {
          why: `${remote.label} refuses a push to ${target}: its hooks or branch rules do not allow it. Nothing has landed.\n${why}`,
        };
    }
    await this.bringHere(contact.signal, commit);
    return "moved";
  }

  /** Another process of this clone may have noted a later commit meanwhile: that one stays. */
  private async note(word: string, from: string | null, to: string): Promise<void> {
    const { git, project } = this.clone;
    const noted = await git.try(
      project,
      ...["update-ref", "-m", `ekiden: ${word}`, this.ref, to, from ?? "0".repeat(to.length)],
    );
    if (noted.code !== 0 && (await git.tip(project, this.ref)) === from)
      await git.run(project, "update-ref", "-m", `ekiden: ${word}`, this.ref, to);
  }

  /** A push that is cut for as long as an absence is waited for will never get through. */
  private mayTryAgain({ id, createdAt }: Key): boolean {
    const key = `${id}.${createdAt}`;
    const since = this.cutSince.get(key) ?? performance.now();
    this.cutSince.set(key, since);
    return performance.now() - since < PATIENCE_MS;
  }

  /** The project's own branch moves to what has landed. Returns the reason why its files stay as they are, null for none. */
  async follows(contact: Contact): Promise<string | null> {
    await this.follow(contact);
    return await inTurn(this.clone.commonDir, async () => {
      const tip = await this.clone.git.run(this.clone.project, "rev-parse", this.ref);
      return await this.bringHere(contact.signal, tip);
    });
  }

  private async bringHere(signal: AbortSignal, to: string): Promise<string | null> {
    const { clone, target } = this;
    const { git, project, commonDir } = clone;
    const branch = `refs/heads/${target}`;
    const local = looseTip(commonDir, branch) ?? (await git.tip(project, branch));
    if (local === null || local === to || !(await git.isAncestor(project, local, to))) return null;
    const moved = await fastForward({ git, commonDir, root: project, target, signal }, local, to);
    return typeof moved === "string" ? null : moved.why;
  }

  /** The workspace gets what another machine has parked, unless this one knows it or it has landed. Returns what is known then. */
  async goOn(
    contact: Contact,
    task: Key,
    place: Place,
    binding: Binding,
    there: Known | null,
  ): Promise<Partial<Binding>> {
    if (there === null) return { parked: null };
    if (there.isLanded || there.tip === binding.parked) return {};
    const left = await this.parked.adopt(place, there.tip);
    if (left)
      await contact.tell(
        `#${task.id} continues from ${this.remote.label}. The earlier work here is on ${left}.`,
      );
    return { parked: there.tip, parkedState: null };
  }

  /** Removes the branch of a task that has landed, and those whose removal was cut. A server may keep it: its name is used only once. */
  async forget(contact: Contact, task: Key): Promise<void> {
    this.landed.set(keyOf(task), task);
    for (const [key, one] of this.landed) {
      const there = await this.follow(contact, one);
      const { branch = "", tip = null } = there ?? {};
      const push = { ref: `refs/heads/${branch}`, from: tip, to: null };
      const why = there?.isLanded ? await this.remote.push(contact, [push]) : null;
      if (why === null || !wasCut(why)) this.landed.delete(key);
    }
  }
}

/** Whether an earlier owner has landed it, by the caller's own notes. */
export const wasLanded = (there: Known | null, own: Pick<Binding, "parked" | "landing"> | null): boolean =>
  there?.isLanded === true && (there.tip !== (own?.parked ?? null) || there.head === own?.landing);
