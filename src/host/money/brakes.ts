/**
 * The limits of each chain of work (`core/progress/chain.ts`) of the members of this process, and the looks at work that has no end: a model
 * judges what the numbers cannot tell.
 */
import type { Seat } from "../../core/board/member.ts";
import { ROOTS, rootOf } from "../../core/board/task-depth.ts";
import { HARNESS, type Instant, LEAD, type Name, PERSON, type TaskId } from "../../core/ids.ts";
import { Chain, type ChainLimits, plannedFor, TEAM_LOOK_AFTER } from "../../core/progress/chain.ts";
import type { Cursor } from "../../ports/index.ts";
import type { Judge, Judged, JudgeParts } from "./judge.ts";
import type { Over, Used } from "./spent.ts";

type Acts = {
  readonly reached: (over: Over) => void;
  readonly warn: (text: string) => void;
  /** Behind the next calls of the member. */
  readonly tell: (who: Name, note: string) => void;
  /** A look was paid for. */
  readonly paid: (who: Name, used: Judged) => void;
};

/** Calls of a member that still belong to its task when it has ended: the one that completed it, and the report. */
const BELONGS = 2;
/** On a larger board it is not looked up what was planned after the plan: that costs a read of the whole board for each task. */
const CHAINS_ENOUGH = 50;
/** The share of the limits of one task that the goal has at least: the lead must be able to react. */
const GOAL_LEAST = 0.2;
/** Facts that are progress of the team; a completed task only if the person or the lead planned it. */
const PROGRESS = ["task.landed", "task.proposed", "task.reviewed", "task.completed"] as const;
const NO_LIMITS: ChainLimits = { usd: Number.POSITIVE_INFINITY, calls: Number.POSITIVE_INFINITY };

export class Brakes {
  readonly seats = new Map<Name, Seat>();
  private readonly parts: JudgeParts;
  private readonly acts: Acts;
  private judge: Judge | null = null;
  private readonly chains = new Map<TaskId | null, Chain>();
  private readonly roots = new Map<TaskId, TaskId | null>();
  private readonly last = new Map<Name, { readonly task: TaskId; calls: number }>();
  private readonly rests: number[] = [];
  private team = new Chain(null, TEAM_LOOK_AFTER);
  private since = 0 as Instant;
  private cursor = "" as Cursor;

  constructor(parts: JudgeParts, acts: Acts) {
    this.parts = parts;
    this.acts = acts;
  }

  /** The person said something, or a run begins: all counts begin again. */
  begin(cursor = this.cursor): void {
    this.cursor = cursor;
    this.since = this.parts.clock.now();
    for (const known of [this.chains, this.roots, this.last]) known.clear();
    this.team = new Chain(null, TEAM_LOOK_AFTER);
  }

  /** The lead ended its turn: what it plans later is another plan. */
  leadRested(): void {
    this.rests.push(this.parts.clock.now());
  }

  /** One model call. The member waits for the promise, and rests where it is "rest": its task was ended. */
  async book(who: Name, { usd, steps = [], text = "" }: Used): Promise<"rest" | undefined> {
    const own = (await this.parts.store.board.mine(who))?.id;
    const task = own ?? (await this.lastOf(who));
    const of = task === undefined ? this.chain(null) : await this.chainOf(task);
    if (own !== undefined) {
      this.last.set(who, { task: own, calls: 0 });
      of.isOver = false; // it is tried again
    }
    // What it does after its task was ended is no longer paid by that.
    const chain = of.isOver ? this.chain(null) : of;
    for (const one of [chain, this.team]) one.take(who, usd, steps, text);
    // An agent program says what a prompt cost when it has ended. The report of any other member costs less than its task did.
    if (own === undefined && chain.done && usd > chain.done.usd)
      chain.done = { usd: chain.usd, calls: chain.calls };
    const limits = this.limitsOf(chain);
    const due = chain.due(limits);
    if (due === "over") await this.over(chain, limits);
    if (due === "warn") {
      const note = `80 % of what ${usedUp(chain, limits).text} is used. Finish, or split the rest into tasks.`;
      this.acts.warn(note);
      this.acts.tell(who, note);
    }
    if (due === "look") await this.look(chain, who);
    if (chain.root !== null) await this.lookAtGoal();
    if (this.team.due(NO_LIMITS) === "look" && !(await this.hasProgress())) await this.look(this.team, who);
    return of.isOver ? "rest" : undefined;
  }

  private chain(root: TaskId | null): Chain {
    const chain = this.chains.get(root) ?? new Chain(root);
    this.chains.set(root, chain);
    return chain;
  }

  /**
   * What a task uses is taken from what the goal has left, so the goal can be used up while its own members make no call. Without this look
   * lead and task together could use twice the budget of one task. What the goal has at least is not counted against it here.
   */
  private async lookAtGoal(): Promise<void> {
    const goal = this.chain(null);
    const { usd, calls } = this.limitsOf(goal);
    const { taskBudgetUsd, callsPerTask } = this.parts.settings;
    const most = { usd: usd + GOAL_LEAST * taskBudgetUsd, calls: calls + GOAL_LEAST * callsPerTask };
    if (goal.usd >= most.usd || goal.calls >= most.calls) await this.over(goal, { usd, calls });
  }

  /** The task that it has just completed, or that was ended. */
  private async lastOf(who: Name): Promise<TaskId | undefined> {
    const last = this.last.get(who);
    if (!last) return undefined;
    const chain = await this.chainOf(last.task);
    last.calls += 1;
    if (last.calls === 1 && chain.root !== null && !chain.done) {
      const root = await this.parts.store.board.task(chain.root);
      if (root?.status === "completed") chain.done = { usd: chain.usd, calls: chain.calls };
    }
    return last.calls <= BELONGS || chain.isOver ? last.task : undefined;
  }

  private async chainOf(task: TaskId): Promise<Chain> {
    return this.chain(this.roots.get(task) ?? (await this.rootOf(task)));
  }

  private async rootOf(id: TaskId): Promise<TaskId | null> {
    const { board } = this.parts.store;
    let task = await board.task(id);
    let root = id as TaskId | null;
    if (task && !ROOTS.has(task.createdBy) && this.chains.size < CHAINS_ENOUGH)
      root = plannedFor(task, await board.tasks(), this.rests, this.since);
    else for (; task?.parent !== undefined; task = await board.task(task.parent)) root = task.parent;
    this.roots.set(id, root);
    return root;
  }

  /** The goal has what the tasks that are not completed leave, and as much as the completed ones used. */
  private limitsOf({ root }: Chain): ChainLimits {
    const { taskBudgetUsd, callsPerTask } = this.parts.settings;
    const tasks = root === null ? [...this.chains.values()].filter((one) => one.root !== null) : [];
    const open = tasks.filter(({ done }) => !done).length;
    const limit = (most: number, of: "usd" | "calls"): number => {
      const done = tasks.reduce((sum, one) => sum + (one.done?.[of] ?? 0), 0);
      const used = tasks.reduce((sum, one) => sum + one[of], 0);
      return Math.max(GOAL_LEAST * most, most * Math.max(1, open) - (used - done)) + done;
    };
    return { usd: limit(taskBudgetUsd, "usd"), calls: limit(callsPerTask, "calls") };
  }

  private async over(chain: Chain, limits: ChainLimits): Promise<void> {
    const { text, ...over } = usedUp(chain, limits);
    if (chain.root === null) this.acts.reached({ ...over, text: `What ${text} is used up.` });
    else await this.end(chain, `what ${text} is used up`);
  }

  /** Tasks in progress fail, so that the lead is told; those that wait are cancelled. */
  private async end(chain: Chain, why: string): Promise<void> {
    const { root } = chain;
    const { board } = this.parts.store;
    chain.isOver = true;
    const tasks = await board.tasks();
    const left = tasks.filter((task) => rootOf(task, tasks).id === root);
    // One that ended meanwhile refuses.
    const fail = (id: TaskId): Promise<void> => board.failFor(id, HARNESS, why).catch(() => {});
    for (const { id, status } of left) if (status === "in_progress") await fail(id);
    for (const { id, status } of left)
      if (status === "pending" && id !== root) await board.cancel(id, HARNESS, why).catch(() => {});
    // A task that was split waits for its parts.
    for (const { id, status } of left) if (status === "pending" && id === root) await fail(id);
  }

  private async look(chain: Chain, who: Name): Promise<void> {
    const seat = this.seats.get(who);
    this.judge ??= new (await import("./judge.ts")).Judge(this.parts);
    const judged = seat && (await this.judge.look(chain, who, seat, this.since));
    if (!judged) return;
    const { verdict, text, usd } = judged;
    chain.usd += usd;
    this.acts.paid(who, judged);
    const said = `A look at the work after ${chain.calls} model calls says`;
    if (verdict === "hint") this.acts.tell(who, `${said}: ${text}`);
    if (verdict === "split")
      this.acts.tell(who, `${said} that it is too large for one agent. Split it into smaller tasks. ${text}`);
    if (verdict !== "stop") return;
    const why = `${said} "stop": ${text || "no reason was given"}`;
    if (chain.root !== null) await this.end(chain, why);
    else this.acts.reached({ reason: "progress", text: why });
  }

  /** Since the last look, by a member of any process. */
  private async hasProgress(): Promise<boolean> {
    const { board, journal } = this.parts.store;
    for await (const { events, cursor } of journal.pages(this.cursor, PROGRESS)) {
      this.cursor = cursor;
      for (const event of events) {
        const task = event.type === "task.completed" ? await board.task(event.task) : null;
        const isPlanned = !task || ROOTS.has(task.createdBy) || task.createdBy === LEAD;
        if (!isPlanned) continue;
        this.cursor = await journal.end();
        this.team = new Chain(null, TEAM_LOOK_AFTER);
        return true;
      }
    }
    return false;
  }
}

/** `text`: "#3 and the tasks that come from it may use (5 US dollars, setting taskBudgetUsd)" */
function usedUp(chain: Chain, limits: ChainLimits): Pick<Over, "reason" | "text" | "goOn"> {
  const whose =
    chain.root === null
      ? `${LEAD}, members without a task and tasks that came after the plan of ${PERSON} or ${LEAD}`
      : `#${chain.root} and the tasks that come from it`;
  const isMoney = chain.usd / limits.usd >= chain.calls / limits.calls;
  const [what, setting] = isMoney
    ? [`${limits.usd.toFixed(2)} US dollars`, "taskBudgetUsd"]
    : [`${Math.floor(limits.calls)} model calls`, "callsPerTask"];
  const value = Math.ceil(2 * (isMoney ? limits.usd : limits.calls));
  return {
    reason: isMoney ? "budget" : "calls",
    text: `${whose} may use (${what}, setting ${setting})`,
    goOn: `EKIDEN_${isMoney ? "TASK_BUDGET_USD" : "CALLS_PER_TASK"}=${value}`,
  };
}
