/** The task that a member works on: it is claimed for it, resumed after a restart, and the member is reminded of it. */

import { ENDED_STINT, IDLE, type IdleReason } from "../../core/board/lifecycle.ts";
import type { Claimed } from "../../core/board/task.ts";
import type { Entry } from "../../core/conversation/chat.ts";
import { gaveBack } from "../../core/conversation/lost-claim.ts";
import { claimed, ownTask, refusedBefore, STILL_YOURS, WENT_ON } from "../../core/conversation/prompt.ts";
import { orElse } from "../../core/errors.ts";
import type { Instant, TaskId } from "../../core/ids.ts";
import type { LoopDetector } from "../../core/progress/loop.ts";
import { isProse } from "../../core/project/fences.ts";
import type { Besides } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { Ability } from "./ability.ts";
import { beforeRelease } from "./stint-end.ts";

/** A member whose stint was ended so often in a row takes no task before there is news. */
const REPETITIONS = 3;

/** So long a task is left to a member with a better login. */
const OTHERS_HAVE_MS = 10_000;

/** Results may be cut, so only so many characters of a refusal are looked for. */
const EVIDENCE_COMPARED = 100;

/** Undoes a claim in its transaction. */
class Foreign extends Error {}

export class CurrentTask {
  private readonly agent: Agent;
  private readonly loop: LoopDetector;
  private readonly held = new Set<TaskId>();
  private attempt = "";
  /** Stints in a row that were ended because of a repetition. */
  private repetitions = 0;
  /** The reason why the last stint was ended: the act that the member repeated. */
  private evidence = "";
  /** The store keeps tasks from it that it cannot do. */
  private narrowed = false;
  /** Since when it has found nothing, or only what the logins of others give to them. */
  private leavesSince: Instant | null = null;
  /** The task of this stint. */
  task: TaskId | null = null;
  readonly ability: Ability;

  constructor(agent: Agent, loop: LoopDetector) {
    this.agent = agent;
    this.loop = loop;
    this.ability = new Ability(agent);
  }

  /** Something new came in. */
  heardNews(): void {
    this.repetitions = 0;
  }

  /** The stint was ended, because the member repeated itself. */
  async repeated({ text: what }: { readonly text: string }): Promise<void> {
    const { store, seat } = this.agent;
    this.evidence = `${seat.name} ${what}`;
    this.repetitions += 1;
    const text = `The turn of ${seat.name} was ended, because it repeated itself: it ${what}`;
    await store.journal.warn(seat.name, text);
  }

  /** Whether the stint that has ended shows that the member cannot work: its task is back on the board then, and it rests. */
  async mustRest(reason: IdleReason): Promise<boolean> {
    const { ability, agent } = this;
    const { store, seat, kind } = agent;
    if (kind !== "teammate" || !ability.hasStint) return false;
    const own = await store.board.mine(seat.name);
    const waits = !IDLE[reason].reminded || (own && (await store.jobs.running(seat.name, own.id)) > 0);
    const { limit } = ability;
    const verdict = ability.judge(waits ? null : own);
    if (verdict === "able") return false;
    // At the end of a limit it continues with its task, unless somebody else can take it before.
    if (own && (limit === undefined || (await store.board.isForOthers(seat.name, own.id)))) {
      await this.giveBack(own, ability.lastWords, verdict === "unwilling" ? "given_back" : "unable");
    }
    await ability.rest(limit);
    return true;
  }

  /** Claims the next ready task. Its description enters the transcript in the same step. */
  async claim(reason: IdleReason): Promise<boolean> {
    const { store, seat, kind, conversation, workspaceOf } = this.agent;
    if (kind !== "teammate" || !IDLE[reason].reminded) return false;
    if (reason !== "repeating") this.repetitions = 0;
    if (this.repetitions >= REPETITIONS) return false;
    const entryFor = (taken: Claimed): Entry => {
      if (this.isForeign(taken)) throw new Foreign();
      return claimed(taken, workspaceOf?.(taken));
    };
    if (this.narrowed && this.runbook === undefined) await this.narrow(null);
    const besides = this.besides();
    const next = (): Promise<Claimed | null> => store.board.claimNext(seat, entryFor, besides);
    const task = await next().catch(async (error: unknown) => {
      if (!(error instanceof Foreign)) throw error;
      await this.narrow(this.runbook ?? null);
      return await next();
    });
    // What another one was to take is anybody's after a while: nothing shall wait for a member that does not come.
    this.leavesSince = task || !besides.logins ? null : (this.leavesSince ?? this.agent.clock.now());
    if (!task) return false;
    conversation.add(entryFor(task));
    this.hold(task);
    return true;
  }

  /** The tasks that it leaves to others. */
  private besides(): Besides {
    const { agent, ability, leavesSince } = this;
    const isLong = leavesSince !== null && agent.clock.now() - leavesSince >= OTHERS_HAVE_MS;
    return { ...ability.besides, logins: isLong ? null : agent.logins?.() };
  }

  /** The runbook that is run here, if its member only runs blocks. */
  private get runbook(): string | undefined {
    return this.agent.model.spec === "runbook" ? this.agent.runbook?.() : undefined;
  }

  /** A task that this member could only fail, and that belongs to others. */
  private isForeign({ description, runbook }: Claimed): boolean {
    return this.runbook !== undefined && runbook !== this.runbook && isProse(description);
  }

  /** Called once such a task was found: until then claims need no further condition. */
  private async narrow(runbook: string | null): Promise<void> {
    this.narrowed = runbook !== null;
    await this.agent.store.roster.runsBlocksOf(this.agent.seat, runbook);
  }

  /**
   * After a restart: true when the member has a task, or something in its conversation that it has not answered. A teammate that was
   * idle had ended its stint, or it was ended for it. A lead that rested without an answer was interrupted by the person: it waits for
   * a word.
   */
  async resumeAfterRestart(): Promise<boolean> {
    const { store, seat, conversation, kind } = this.agent;
    if (conversation.isEmpty) return false;
    const own = await store.board.mine(seat.name);
    if (own) await this.remind(own, `${WENT_ON}${await this.unreadRefusal(own)}`);
    if (own || !conversation.awaitsReply) return own !== null;
    const activity = (await store.roster.member(seat.name))?.activity;
    return activity?.phase !== "idle" || (kind === "lead" && activity.reason !== "no_tool_use");
  }

  /** The refusal of its last completion, where the process ended before the member could read it: not every refusal comes twice. */
  private async unreadRefusal({ id, attempt }: Claimed): Promise<string> {
    const { store, conversation } = this.agent;
    const refused = await store.journal.ofTask(id, ["task.reopened"]);
    const last = refused.findLast((one) => one.attempt === attempt)?.evidence ?? "";
    const begins = JSON.stringify(last).slice(1, -1).slice(0, EVIDENCE_COMPARED);
    if (last === "" || JSON.stringify(conversation.messages()).includes(begins)) return "";
    return `\n${refusedBefore(last)}`;
  }

  /** True when the member must continue: it has a task, or its stint was too short for what it does. */
  async resume(reason: IdleReason): Promise<boolean> {
    const { store, seat, kind, conversation } = this.agent;
    if (!IDLE[reason].reminded) return false;
    const ended = ENDED_STINT.has(reason);
    const own = kind === "lead" && !ended ? null : await store.board.mine(seat.name);
    if (!own) {
      this.attempt = "";
      return reason === "turn_limit" && conversation.awaitsReply;
    }
    // A running command of its current task keeps it waiting; a server left by an earlier task does not. It is no reason to keep asking.
    if (reason !== "turn_limit" && (await store.jobs.running(seat.name, own.id)) > 0) return false;
    const why = this.whyNoLonger(own, reason);
    if (why !== null) {
      await this.giveBack(own, why);
      return false;
    }
    await this.remind(own, STILL_YOURS);
    return true;
  }

  /** The reason why the member may not continue with its task; null when it may. */
  private whyNoLonger(own: Claimed, reason: IdleReason): string | null {
    this.begin(own); // it claimed the task itself, in the stint that has ended
    return reason === "repeating" ? this.evidence : null;
  }

  private async giveBack(
    { id: task, attempt }: Claimed,
    why: string,
    how: "given_back" | "unable" = "given_back",
  ): Promise<void> {
    const { store, seat, conversation } = this.agent;
    this.attempt = "";
    this.ability.leave(task, how === "given_back");
    await beforeRelease(this.agent);
    const entry = gaveBack({ id: task, attempt }, why);
    const released = store.board.release({ seat, task, attempt }, how, why, entry);
    const isReleased = released.then(() => true);
    if (await orElse(isReleased, "stale_claim", false)) conversation.add(entry); // else it was taken away meanwhile
  }

  /** The reason why it idles: a member with an open plan or question waits for the answer, whatever it did after submitting it. */
  async idleReason(reason: IdleReason): Promise<IdleReason> {
    const { store, seat, kind } = this.agent;
    if (await this.awaitsAnswer()) return "awaiting_answer";
    if (reason === "awaiting_answer") return kind === "lead" ? "no_tool_use" : "awaiting_tasks";
    if (kind !== "teammate") return reason;
    const plans = await store.requests.open({ by: seat.name, kind: "plan" });
    const own = plans.length > 0 ? await store.board.mine(seat.name) : null;
    const waits = plans.some(
      ({ ask }) => ask.kind === "plan" && ask.task === own?.id && ask.attempt === own.attempt,
    );
    if (waits) return "awaiting_plan";
    return reason === "awaiting_plan" ? "awaiting_tasks" : reason; // the task was taken away
  }

  /** It asked the person and waits. A question about a task that was taken away needs no answer. */
  private async awaitsAnswer(): Promise<boolean> {
    const { store, seat } = this.agent;
    const open = await store.requests.open({ by: seat.name, kind: "question" });
    if (open.length === 0) return false;
    const own = (await store.board.mine(seat.name))?.id ?? null;
    let waits = false;
    for (const { id, ask } of open) {
      if (ask.kind !== "question") continue;
      if (ask.task !== null && ask.task !== own) await store.requests.withdraw(id);
      else waits ||= ask.waits;
    }
    return waits;
  }

  /** The tasks that it completed since the last call. */
  async finished(): Promise<TaskId[]> {
    const { store, seat } = this.agent;
    const tasks = await Promise.all([...this.held].map((id) => store.board.task(id)));
    this.held.clear();
    return tasks.flatMap((task) =>
      task?.status === "completed" && task.owner === seat.name ? [task.id] : [],
    );
  }

  private async remind(task: Claimed, why: string): Promise<void> {
    const { store, seat, conversation, workspaceOf } = this.agent;
    this.hold(task);
    const entry = ownTask(task, why, workspaceOf?.(task));
    await store.transcript.record(seat, [entry]);
    conversation.add(entry);
  }

  private hold(task: Claimed): void {
    this.task = task.id;
    this.held.add(task.id);
    this.begin(task);
  }

  /** Another task, or another attempt, starts with a fresh count. */
  private begin({ id, attempt }: Claimed): void {
    const key = `${id}/${attempt}`;
    if (this.attempt === key) return;
    this.attempt = key;
    this.loop.begin();
  }
}
