/** One landing, from the last place of the line to its end: it is put on what is ahead of it, tested there, and moves the target in its turn. */
import { type LandingQueue, turnOf } from "../../../core/board/landing.ts";
import { failsAsBase } from "../../../core/gate/failing.ts";
import { redWords } from "../../../core/gate/red-target.ts";
import type { Contact } from "../remote.ts";
import { wasLanded } from "../shared-target.ts";
import type { LandingTree } from "./candidate.ts";
import { fastForward } from "./fast-forward.ts";
import { GateRun } from "./gate-run.ts";
import { inTurn } from "./in-turn.ts";
import { judgeBase } from "./judge-target.ts";
import type { Landed, LandingInput } from "./landing-job.ts";
import type { LandingLine } from "./landing-line.ts";
import { asRefused, type Green, HOLDING, type State, type Step } from "./landing-state.ts";
import { refused } from "./refusal.ts";
import { doubtedCheck } from "./second-gate.ts";
import { noticeMoves, willMove } from "./target-moves.ts";
import { TargetTip } from "./target-tip.ts";
import { type Proposal, propose } from "./way-out.ts";

/** After so many moves of the target the person is told that this one does not get through. */
const RACES_TOLD = 5;
const RACES_MAX = 100;
/** The time between two looks at the remote while the target is red. */
const FOLLOW_MS = 10_000;
/** The time between two questions to the store whether the task is still its owner's. */
const ASK_MS = 1_000;
export class LandingRun {
  private readonly job: LandingInput;
  private readonly tree: LandingTree;
  private readonly line: LandingLine;
  private readonly paths: readonly string[] | null;
  private readonly tip: TargetTip;
  private readonly contact: Contact;
  /** The commit that its branch on the remote must have when the target moves. */
  private parked: string | null;
  private state: State = { is: "begun" };
  private races = 0;
  private hasTried = false;
  /** The flaky base on which it failed and was tried once more. */
  private triedAgain = "";
  private followedAt = Date.now();
  private askedAt = Date.now();

  constructor(job: LandingInput, tree: LandingTree, line: LandingLine, paths: readonly string[] | null) {
    this.job = job;
    this.tree = tree;
    this.line = line;
    this.paths = paths;
    this.tip = new TargetTip({ ...job.work, project: job.options.project });
    this.contact = { signal: job.by.signal, tell: job.by.onMoved };
    this.parked = job.parked;
  }

  async run(): Promise<Landed> {
    try {
      return await this.untilDone().catch(asRefused);
    } finally {
      await this.stopGate();
      await this.tree.restore();
    }
  }

  private async untilDone(): Promise<Landed> {
    const { job, line } = this;
    const { by, work, options } = job;
    for (let isToldToWait = false; ; ) {
      by.signal.throwIfAborted();
      const queue = await line.read();
      const order = queue.orders.get(work.branch);
      if (order?.kind === "drop")
        return refused("dropped", `${order.by} took the landing of ${work.branch} out of the line.`);
      await this.ask();
      await this.settle();
      const isHeld = await this.held(queue);
      if (isHeld) {
        if (typeof isHeld === "object") return isHeld;
        await line.changed();
        continue;
      }
      const turn = turnOf(
        line.lineOf(queue),
        line.id,
        await this.tip.read(),
        options.gateParallel ?? 1,
        job.proposal !== null,
      );
      if (turn.kind === "go") {
        const done = await this.advance(turn.base, turn.isFirst);
        if (done === "moved") continue;
        if (done) return done;
      } else if (!isToldToWait) {
        isToldToWait = true;
        await by.onStep("queued");
      }
      const { state } = this;
      await line.changed(...(state.is === "tested" ? [state.gate.ended] : []));
    }
  }

  /** The next step on this base. Null while it is not over. */
  private async advance(base: string, isFirst: boolean): Promise<Step> {
    const { job, state } = this;
    if (state.is === "begun" || state.base !== base) return await this.build(base, isFirst);
    if (state.is === "tested" || !isFirst) return null;
    if (state.is === "green")
      return await (job.proposal ? this.propose(state, job.proposal) : this.moveTarget(state));
    if (state.is === "held") return null;
    const { verdict, candidate } = state;
    if (await this.isOfBase(state)) return "moved";
    if (verdict.kind === "refused" && HOLDING.includes(verdict.why) && job.proposal === null) {
      if (!(await this.line.reserve(verdict.why, this.paths))) return null;
      // Another machine may have landed before it saw the reservation. The owner redoes its work on that.
      const landed = await this.follow();
      if (landed || job.shared) {
        const step = landed ?? (await this.movedFrom(base));
        if (step) return step;
      }
    }
    // Nothing but its own commits is on the target: the owner continues from there.
    if (candidate) await this.tree.adopt(candidate.tip);
    return verdict;
  }

  /** Whether a red candidate is not at fault, or is tried once more: its base fails in the same way. */
  private async isOfBase({ base, candidate, failing }: Extract<State, { is: "refused" }>): Promise<boolean> {
    const { job, tree, line } = this;
    const { gate, redBase } = job.options;
    if (!failing || !candidate || gate === undefined || !redBase || redBase() === "ignore") return false;
    const judged = await judgeBase(job, tree, candidate, job.by.signal);
    // A repair would wait for itself.
    if (judged === null || judged.verdict === "green" || judged.repair === job.task.id) return false;
    if (!failsAsBase(failing, judged.failing)) return false;
    if (judged.verdict === "red") {
      this.state = { is: "held", base, red: judged };
      await line.update({ state: "base" });
      await job.by.onStep("base");
      return true;
    }
    if (this.triedAgain === base) return false;
    this.triedAgain = base;
    await line.update({ state: "gate", why: null, gateSince: Date.now() });
    this.state = { is: "tested", base, candidate, gate: new GateRun(job, tree, gate, candidate) };
    return true;
  }

  /** True while the base is red. An outcome where its owner is needed to repair it. */
  private async held({ waiting }: LandingQueue): Promise<boolean | Landed> {
    const { job, line, state } = this;
    if (state.is !== "held") return false;
    const { red, base } = state;
    if (job.shared && Date.now() - this.followedAt > FOLLOW_MS) {
      this.followedAt = Date.now();
      const landed = await this.follow();
      if (landed) return landed;
    }
    if (await this.movedFrom(base)) {
      this.state = { is: "begun" };
      await line.update({ state: "waiting", base: null, commit: null, why: null });
      await job.by.onStep("queued");
      return false;
    }
    const first = waiting.find(({ state, team }) => state === "base" && team === job.options.team);
    const { repair } = red;
    const isNeeded = repair !== null && first?.id === line.id && (await job.by.isNeeded(repair));
    return isNeeded ? { kind: "held", why: redWords(red), repair } : true;
  }

  /** The verdict of a gate that has ended, also while this waits for another turn. */
  private async settle(): Promise<void> {
    const { state, line } = this;
    if (state.is !== "tested") return;
    const { base, candidate, gate } = state;
    if (gate.error) throw gate.error;
    const { verdict } = gate;
    if (verdict === null) return;
    const { failing } = gate;
    this.state =
      verdict === "green"
        ? { is: "green", base, candidate }
        : { is: "refused", base, candidate, verdict, failing };
    const isRefused = verdict !== "green" && verdict.kind === "refused";
    await line.update(
      verdict === "green" ? { state: "green" } : { state: "failed", why: isRefused ? verdict.why : null },
    );
  }

  private async build(base: string, isFirst: boolean): Promise<Step> {
    const { job, tree, line } = this;
    const { by, work, options } = job;
    if (this.state.is !== "begun" && isFirst) this.races += 1;
    if (this.races >= (options.racesMax ?? RACES_MAX)) return refused("target", this.outrun());
    await this.stopGate();
    if (isFirst && this.races === RACES_TOLD) await by.onMoved(this.outrun());
    // Its base may hold the landing of an earlier owner.
    const landed = isFirst || !job.shared ? await this.follow() : null;
    if (landed) return landed;
    if (isFirst) {
      if (await this.movedFrom(base)) return "moved";
      const where = { ...work, project: options.project, isShared: job.shared !== null };
      await noticeMoves(where, by.onMoved);
    }
    await line.update({ state: "waiting", base: null, commit: null, gateSince: null, why: null });
    const made = await tree.putOn(base, options.gate !== undefined);
    if (made.kind === "refused") {
      this.state = { is: "refused", base, candidate: null, verdict: made, failing: null };
      await line.update({ state: "failed", base, why: made.why });
      return null;
    }
    const isEmpty = made.commit === base;
    if (isEmpty && isFirst) {
      await tree.adopt(base);
      // Git writes the files of a fast-forward before it moves the branch: a commit of the person in between takes them along.
      return this.hasTried ? { kind: "landed", commit: base } : { kind: "nothing" };
    }
    const command = isEmpty ? undefined : (options.gate ?? (await doubtedCheck(job, made)));
    if (command === undefined) {
      this.state = { is: "green", base, candidate: made };
      await line.update({ state: "green", base, commit: made.commit });
      return null;
    }
    await line.update({ state: "gate", base, commit: made.commit, gateSince: Date.now() });
    await by.onStep("gate");
    this.state = { is: "tested", base, candidate: made, gate: new GateRun(job, tree, command, made) };
    return null;
  }

  private async movedFrom(base: string): Promise<"moved" | null> {
    return (await this.tip.read()) === base ? null : "moved";
  }

  /** A gate that was stopped has no verdict: what comes after must not wait for one. */
  private async stopGate(): Promise<void> {
    const { state } = this;
    if (state.is !== "tested") return;
    this.state = { is: "begun" };
    await state.gate.stop();
  }

  /** Only a tree that the gate has passed lands, so nothing lands while the target moves faster than the gate runs. */
  private outrun(): string {
    const { target } = this.job.work;
    const { gate } = this.job.options;
    const task = this.job.task.id;
    const step = gate === undefined ? "it takes to put the task on it" : `\`${gate}\` takes`;
    return `${target} moved ${this.races} times while #${task} was to land: it gets new commits more often than ${step}. Stop committing to ${target} until #${task} has landed${gate === undefined ? "" : ", use a faster gate"}, or set targetBranch to a branch of the team's own. A task that has failed by this can be retried.`;
  }

  /** Asks the remote, if there is one. Not null when an earlier owner has landed the task, here or on another machine. */
  private async follow(): Promise<Landed | null> {
    const { job } = this;
    const commit = job.shared ? null : await job.earlier();
    if (!job.shared) return commit === null ? null : { kind: "landed", commit };
    const there = await job.shared.follow(this.contact, job.task);
    if (there && wasLanded(there, job)) return { kind: "landed", commit: there.head };
    this.parked = there?.tip ?? null;
    return null;
  }

  /** Only from the commit below the one that the gate has seen. */
  private async moveTarget({ base, candidate: { commit } }: Green): Promise<Step> {
    const { job, tree } = this;
    const { by, work, task } = job;
    const moved = await inTurn(work.commonDir, async () => {
      if ((await this.tip.read(0)) !== base) return "raced";
      await by.stillMine();
      if (commit === base) return "moved";
      if (!(await this.line.isFirst())) return "held";
      job.willLand(commit);
      this.hasTried = true;
      willMove(work, base, commit);
      // In the worktree of a task the sandbox lets no git move the target.
      const where = { ...work, root: job.options.project, signal: by.signal };
      if (!job.shared) return await fastForward(where, base, commit);
      return await job.shared.land(this.contact, work, { task, base, commit, before: this.parked });
    });
    if (moved === "held") return null;
    if (moved === "raced") return (await this.follow()) ?? (await this.movedFrom(base));
    if (moved !== "moved") return refused("target", moved.why);
    await tree.adopt(commit);
    return commit === base ? { kind: "nothing" } : { kind: "landed", commit };
  }

  private async propose({ candidate: { commit } }: Green, proposal: Proposal): Promise<Landed> {
    const { job, tree } = this;
    await job.by.stillMine();
    const outcome = await propose(job, this.contact, proposal, commit);
    if (outcome.kind === "refused") return outcome;
    await tree.adopt(commit);
    proposal.made(commit, outcome.branch);
    return { kind: "proposed", commit, said: outcome.said, branch: outcome.branch };
  }

  /** Leaves the line when the task is somebody else's now. */
  private async ask(): Promise<void> {
    if (Date.now() - this.askedAt < ASK_MS) return;
    this.askedAt = Date.now();
    await this.job.by.stillMine();
  }
}
