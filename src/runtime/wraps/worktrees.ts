/**
 * Two wraps around tool calls: one runs every call in the worktree of the current task, the other lets a task be completed only
 * when its branch has landed.
 */

import { type Claimed, REFUSALS_MAX, type Task } from "../../core/board/task.ts";
import type { LandingStep } from "../../core/board/worktree.ts";
import { NO_CLAIM } from "../../core/conversation/lost-claim.ts";
import { messageOf } from "../../core/errors.ts";
import { HARNESS, LEAD, type Name, type TaskId } from "../../core/ids.ts";
import { outside } from "../../core/plan/drift.ts";
import { checkOf, isMarked } from "../../core/project/mark.ts";
import type {
  CompletionInput,
  Contact,
  Landing,
  SecondGate,
  Store,
  ToolContext,
  Worktrees,
} from "../../ports/index.ts";
import { type Call, completedBy, type Wrap } from "../agent/call.ts";
import { type DoubtParts, isPassed, mustPassDoubt } from "./doubts.ts";
import { CHANGES } from "./held-claim.ts";

/** Outside of the permissions and the hooks: they see the folder in which the call will run. */
export const inWorktrees =
  (trees: Worktrees): Wrap =>
  (next) =>
  async (call) => {
    const { ctx, tool } = call;
    const task = await ctx.currentTask();
    // The lead holds no claim and works in the project.
    if (!task && ctx.self !== LEAD && CHANGES.has(call.access)) throw new Error(NO_CLAIM);
    // a call that ends the task needs no new worktree
    const givesBack = tool.effect === "ends" || tool.effect === "splits";
    const isLast = tool.effect === "completes" || givesBack;
    const found = task && trees.find(task);
    if (task && !found && !isLast) await noticeMoves(trees, ctx.store);
    const contact = contactOf(ctx.store, ctx.signal);
    const tree = task && !isLast ? await trees.open(task, undefined, contact) : found;
    if (task && givesBack) await park(trees, ctx.store, ctx.self, ctx.signal);
    if (!tree) return await next(call);
    const { workspace } = tree;
    const there = { ...ctx, workspace, readable: [...ctx.readable, ...trees.shared] };
    const [ran] = await Promise.allSettled([next({ ...call, ctx: there })]);
    // Removed meanwhile: this makes it again, and throws what was lost, which is why the call failed.
    if (task && !isLast && !ctx.signal.aborted && !trees.find(task))
      await trees.open(task, undefined, contact);
    if (ran.status === "rejected") throw ran.reason;
    return ran.value;
  };

export const contactOf = (store: Store, signal: AbortSignal): Contact => ({
  signal,
  tell: (text) => store.journal.warn(null, text),
});

/**
 * Brings the work of a member's own task to the project and the remote, so that the person sees it and another machine can continue with it. A
 * failure becomes a warning: nothing waits for it.
 */
export async function park(trees: Worktrees, store: Store, self: Name, signal: AbortSignal): Promise<void> {
  try {
    const task = await store.board.mine(self);
    if (task) await trees.park(task, contactOf(store, signal));
  } catch (error) {
    if (!signal.aborted) await store.journal.warn(self, messageOf(error));
  }
}

/** Before the lead reads the project: it has what other machines have landed. */
export async function followRemote(trees: Worktrees, store: Store, signal: AbortSignal): Promise<void> {
  if (trees.remoteLabel === null) return;
  await trees.follow(contactOf(store, signal)).catch((error) => store.journal.warn(null, messageOf(error)));
}

/**
 * Takes over a task whose branch was pushed, and writes the answer of the call: it is completed when its request is merged. Null: the task is
 * completed now.
 */
export type Proposes = (
  ctx: ToolContext,
  task: Claimed,
  outcome: Extract<Landing, { kind: "proposed" | "nothing" }>,
  result: string,
) => Promise<string | null>;

/** Inside of all wraps that can refuse a completion: they have done so before anything lands. */
export const landing =
  (trees: Worktrees, doubts: DoubtParts, proposes: Proposes | null = null): Wrap =>
  (next) =>
  async (call) => {
    if (call.tool.effect !== "completes") return await next(call);
    const { override } = call.input as CompletionInput;
    const { ctx } = call;
    const task = await completedBy(call);
    if (override) return await completed(next, call, task && notLanded(trees, task));
    if (task?.status !== "in_progress" || task.owner !== ctx.self) return await next(call);
    await noteDrift(trees, ctx, task);
    const outcome = await untilLanded(trees, doubts, ctx, task);
    await noticeMoves(trees, ctx.store);
    if (outcome.kind === "held") throw new Error(outcome.why);
    if (outcome.kind === "refused") throw new Error(await reopen(trees, ctx, task, outcome));
    const { result = "" } = call.input as { readonly result?: string };
    const said = outcome.kind === "landed" ? null : ((await proposes?.(ctx, task, outcome, result)) ?? null);
    if (said !== null) return said;
    const text = await completed(next, call, await book(ctx, task, outcome));
    await tidyAfter(trees, ctx.store, task, outcome.kind === "landed");
    return text;
  };

/** Before it lands, so that a process that ends meanwhile has told it. */
async function noteDrift(trees: Worktrees, { store, self }: ToolContext, task: Claimed): Promise<void> {
  if (task.touches.length === 0) return;
  const diff = await trees.diff(task).catch(() => null);
  if (diff === null) return;
  const files = outside(diff, task.touches);
  const told = (await store.journal.ofTask(task.id, ["task.drifted"])).at(-1)?.files ?? [];
  if (JSON.stringify(files) === JSON.stringify(told)) return;
  await store.journal.note([{ type: "task.drifted", task: task.id, by: self, files }]);
}

/** Removes the worktrees that an earlier process left behind after a landing. Warns about those that must stay. */
export async function removeLanded(trees: Worktrees, store: Store): Promise<void> {
  for (const { id, createdAt } of await trees.list()) {
    const task = await store.board.task(id);
    if (task?.createdAt === createdAt && task.status === "completed") await tidyAfter(trees, store, task);
  }
}

/** The answer is stored together with the effect of the call, so additions to it go in with `ctx.answer`. */
function completed(next: (call: Call) => Promise<string>, call: Call, more: string | null): Promise<string> {
  if (!more) return next(call);
  const { ctx } = call;
  return next({ ...call, ctx: { ...ctx, answer: (text) => ctx.answer(`${text} ${more}`) } });
}

function notLanded(trees: Worktrees, task: Task): string | null {
  const tree = trees.find(task);
  return tree && `Its work stays on ${tree.branch}; it has not landed.`;
}

function noteStep(
  { target, gate }: Worktrees,
  { store, seat, self }: ToolContext,
  { id, attempt, description }: Claimed,
  step: LandingStep,
): Promise<void> {
  if (step === "base") return Promise.resolve();
  const command = gate ?? checkOf(description) ?? "";
  const about = { task: id, by: self } as const;
  return store.board.noteStep(
    { seat, task: id, attempt },
    step === "queued"
      ? { type: "task.queued", ...about, target }
      : { type: "gate.started", ...about, command },
  );
}

/** Shows the owner as idle while the target is red: its call waits, and no model is asked. */
class BaseWait {
  private readonly ctx: ToolContext;
  private stop: (() => Promise<void>) | null = null;

  constructor(ctx: ToolContext) {
    this.ctx = ctx;
  }

  async step(step: LandingStep): Promise<void> {
    if (step !== "base") return await this.end();
    this.stop ??= await this.ctx.waitingFor("awaiting_base");
  }

  async end(): Promise<void> {
    await this.stop?.();
    this.stop = null;
  }
}

/** `held`: the task went back without a refusal or an attempt that counts, and its branch stays as it is. */
async function untilLanded(
  trees: Worktrees,
  doubts: DoubtParts,
  ctx: ToolContext,
  task: Claimed,
): Promise<Exclude<Landing, { kind: "doubted" }>> {
  const { store, seat, self, kind } = ctx;
  const { bases } = store.landings;
  for (;;) {
    const waits = new BaseWait(ctx);
    const by = {
      ...{ seat, signal: ctx.signal, landings: store.landings, wake: store.wake },
      stillMine: () => stillMine(ctx, task),
      onMoved: (text: string) => store.journal.warn(null, text),
      onSignals: (signals: readonly string[], gate: SecondGate) =>
        store.journal.note([{ type: "task.signalled", task: task.id, by: self, signals, gate }]),
      passer: doubts.passer,
      isPassed: (of: string) => isPassed(ctx, task, of),
      onStep: async (step: LandingStep) => {
        await waits.step(step);
        await noteStep(trees, ctx, task, step);
      },
      isNeeded: async (repair: TaskId) => kind === "teammate" && (await bases.isShort(self, repair)),
    };
    const outcome = await trees.land(task, by).finally(() => waits.end());
    if (outcome.kind === "doubted") {
      await mustPassDoubt(doubts, ctx, task, outcome, isMarked(task.description, "Judges"));
      continue;
    }
    if (outcome.kind !== "held") return outcome;
    const { why, branch, repair } = outcome;
    const text = `#${task.id} is not completed, and nothing is wrong with it: ${why} It went back to the board with its work on ${branch}, and lands when it is completed again. Nobody else is free to repair the target, so end your turn now: you get #${repair} for that next.`;
    const held = { seat, task: task.id, attempt: task.attempt };
    if (await bases.setAside(held, repair, why, ctx.answer(text))) return { ...outcome, why: text };
  }
}

async function stillMine({ store, self }: ToolContext, { id, attempt }: Claimed): Promise<void> {
  const now = await store.board.task(id);
  if (now?.status !== "in_progress" || now.owner !== self || now.attempt !== attempt)
    throw new Error(`#${id} was taken from you while it was to land. Nothing has landed.`);
}

/** The journal tells it once, also when the process that landed it ended before it could. */
async function book(
  { store, self }: ToolContext,
  { id }: Claimed,
  outcome: Exclude<Landing, { kind: "refused" | "held" | "doubted" }>,
): Promise<string | null> {
  if (outcome.kind === "nothing") return null;
  const { branch, target, commit } = outcome;
  if (outcome.kind === "proposed") {
    const { said } = outcome;
    await store.journal.note([{ type: "task.proposed", task: id, by: self, branch, target, commit, said }]);
    return `Pushed as ${branch} and proposed for ${target}: ${said || "the command said nothing"}.`;
  }
  await store.board.landed(id, self, { branch, target, commit });
  return `Landed on ${target} as ${commit.slice(0, 9)}.`;
}

async function reopen(
  trees: Worktrees,
  ctx: ToolContext,
  task: Claimed,
  { why, evidence, branch }: Extract<Landing, { kind: "refused" }>,
): Promise<string> {
  const { id, attempt } = task;
  const failure = `Its completion was refused ${REFUSALS_MAX} times. The last time it could not land (${why}); its work is on ${branch}.\n${evidence}`;
  const nth = await ctx.store.board.refuse({ seat: ctx.seat, task: id, attempt }, { why, evidence, failure });
  if (nth >= REFUSALS_MAX)
    return `#${id} was refused ${nth} times, so it has failed; its work stays on ${branch}. The lead was told.\n${evidence}`;
  return `#${id} is not completed, it cannot land (refused ${nth} of ${REFUSALS_MAX} times). ${evidence}\n\n${FIX[why](trees.onto)} It is still yours, and nothing of it is lost.`;
}

const FIX = {
  conflict: (target: string) =>
    `The rebase was undone and your work is committed. Fix it in your workspace: git rebase ${target}, resolve the conflicts, git add them, git -c core.editor=true rebase --continue; then complete_task again.`,
  gate: (target: string) =>
    `Your work is committed and rebased on ${target}. Fix it in your workspace, then complete_task again.`,
  target: (target: string) =>
    `Only a person can fix that in the project's own folder: do not touch it. Tell the lead what blocks ${target}, wait for an answer, then complete_task again.`,
  branch: () => "Fix that in your workspace, then complete_task again.",
  dropped: () => "Ask the lead whether it is still wanted before you complete_task again.",
} as const;

/** A failure never holds up a completion: a worktree that cannot be removed stays, with a warning. */
async function tidyAfter(trees: Worktrees, store: Store, task: Task, isBooked = false): Promise<void> {
  try {
    // The process that landed it ended before it could say so, and somebody else completed it.
    const landed = isBooked ? null : await trees.landedAs(task);
    if (landed) await store.board.landed(task.id, ownerOf(task), { ...landed, isLate: true });
    // A command that still runs in it needs it; the next start removes it.
    if ("owner" in task && task.owner && (await store.jobs.running(task.owner)) > 0) return;
    if (trees.find(task)?.kept) return;
    const removal = await trees.remove(task);
    if (removal.kind === "kept")
      await store.journal.warn(null, `The worktree of #${task.id} stays: ${removal.why}`);
  } catch (error) {
    await store.journal.warn(null, `The worktree of #${task.id} stays: ${messageOf(error)}`);
  }
}

const ownerOf = (task: Task): Name => ("owner" in task && task.owner) || HARNESS;

/** A person works in the same repository: everybody learns what they did to the target. */
const noticeMoves = (trees: Worktrees, store: Store): Promise<void> =>
  trees.noticeMoves((text) => store.journal.warn(null, text));
