/**
 * An independent agent looks at a task before it is completed: inside of hooks, outside of the landing. Remarks go back to the owner, a
 * few times; then the task fails with them, so that the lead and the person decide. Where no verdict can be had it fails, too: nothing is
 * approved silently, and nothing waits for ever. Verdicts are in the journal, so a restart asks nothing that was answered.
 */
import { createHash } from "node:crypto";
import { needsReview, type Review, type Reviews, readReview, reviewJob } from "../../core/board/review.ts";
import { type Claimed, REFUSALS_MAX } from "../../core/board/task.ts";
import { messageOf, notPermitted } from "../../core/errors.ts";
import type { Name } from "../../core/ids.ts";
import { outside } from "../../core/plan/drift.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { CompletionInput, ToolContext } from "../../ports/index.ts";
import { type Call, completedBy, type Wrap } from "../agent/call.ts";

export type ReviewParts = {
  readonly setting: Reviews;
  /** The number of times that one attempt of a task may be reviewed with remarks. */
  readonly rounds: number;
  /** One conversation of an agent that knows nothing but `job`. `stopped`: why it was ended early. */
  readonly reviewer: (
    job: string,
    ctx: ToolContext,
  ) => Promise<{ readonly name: Name; readonly text: string; readonly stopped: string }>;
  /** Signs that a change makes its own tests or its gate see less. */
  readonly signals: (diff: string) => Promise<readonly string[]>;
  /** The changes of the task, as `git diff` shows them; "" for none, null where they are unknown. */
  readonly changes: (task: Claimed) => Promise<string | null>;
};

/** A reviewer that gives no verdict is followed by a fresh one. */
const TRIES = 2;
const TEXT_MAX = 8_000;

export const reviewed =
  (parts: ReviewParts): Wrap =>
  (next) =>
  async (call) => {
    const task = await toReview(parts, call);
    if (task) await mustPass(parts, call, task);
    return await next(call);
  };

async function toReview({ setting }: ReviewParts, call: Call): Promise<Claimed | null> {
  const { tool, input, ctx } = call;
  if (tool.effect !== "completes" || (input as CompletionInput).override) return null;
  const task = await completedBy(call);
  const isOwn = task?.status === "in_progress" && task.owner === ctx.self;
  return isOwn && needsReview(setting, task.description) ? task : null;
}

/** @throws with the remarks, or with the reason why the task has failed */
async function mustPass(parts: ReviewParts, { ctx, input }: Call, task: Claimed): Promise<void> {
  const { id } = task;
  const { result = "" } = input as CompletionInput;
  const diff = await parts.changes(task);
  const hashWith = (now: string | null): string =>
    hash(JSON.stringify([task.subject, task.description, now, now ? "" : result]));
  const facts = await earlier(ctx, task);
  const of = hashWith(diff);
  const known = facts.findLast((fact) => fact.type === "task.reviewed" && fact.of === of);
  const review =
    known?.type === "task.reviewed"
      ? known
      : await reviewBy(parts.reviewer, ctx, task, await jobOf(parts, task, diff, result), of);
  if (review.verdict === "approved") {
    if (known || hashWith(await parts.changes(task)) === of) return;
    throw new Error(
      `#${id} is not completed: its files changed while it was reviewed. End what changes them, then complete it again.`,
    );
  }
  await mustBeApproved({ review, rounds: parts.rounds, remedy: REMEDY }, ctx, task);
}

const REMEDY = 'take the line "Review: yes" out of it';
type Answer = { readonly review: Review; readonly rounds: number; readonly remedy: string };

/** Gives remarks back to the owner. `remedy`: of the person who wants it as it is. @throws unless it is approved */
export async function mustBeApproved(
  { review, rounds, remedy }: Answer,
  ctx: ToolContext,
  task: Claimed,
): Promise<void> {
  if (review.verdict === "approved") return;
  const { id, attempt } = task;
  const facts = await earlier(ctx, task);
  const round = facts.filter((fact) => fact.type === "task.reopened" && fact.why === "review").length + 1;
  const isLast = review.verdict === "none" || round >= rounds;
  const evidence =
    review.verdict === "none" ? `The reviewer gave no verdict: ${review.text}.` : `Remarks:\n${review.text}`;
  const failure = `It was not approved by its review (round ${round} of ${rounds}). Its work is kept. To complete it as it is, ${remedy} and retry it.\n${evidence}`;
  const held = { seat: ctx.seat, task: id, attempt };
  const refusals = await ctx.store.board.refuse(held, { why: "review", evidence, failure, isLast });
  if (refusals >= REFUSALS_MAX) throw notPermitted(`#${id} has failed, and the lead was told. ${failure}`);
  throw notPermitted(
    `#${id} is not completed: its review has remarks (round ${round} of ${rounds}). It is still yours: answer each of them with a change, check it, then complete it again.\n${evidence}`,
  );
}

async function jobOf(
  { signals }: ReviewParts,
  task: Claimed,
  diff: string | null,
  result: string,
): Promise<string> {
  return reviewJob({
    ...{ ...task, diff, result, signals: diff ? await signals(diff) : [] },
    outside: outside(diff ?? "", task.touches),
  });
}

export type Asked = Review & { readonly by: Name };
const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** The reviews of this attempt, and what became of them. */
export async function earlier({ store }: ToolContext, { id, attempt }: Claimed) {
  const facts = await store.journal.ofTask(id, ["task.reviewed", "task.reopened"]);
  return facts.filter((fact) => fact.attempt === attempt);
}

/** The answer of a reviewer, or of a second one where the first gives no verdict. */
export async function reviewBy(
  reviewer: ReviewParts["reviewer"],
  ctx: ToolContext,
  { id: task, attempt }: Claimed,
  job: string,
  of: string,
): Promise<Review> {
  for (let nth = 1; ; nth += 1) {
    const { review, by } = await answerOf(reviewer, job, ctx);
    const text = cutEnd(review.text, TEXT_MAX);
    const isVerdict = review.verdict !== "none";
    const fact = { type: "task.reviewed", task, attempt, by, ...review, text } as const;
    // Only a verdict is found again: without one the next completion asks again.
    await ctx.store.journal.note([{ ...fact, of: isVerdict ? of : "" }]);
    if (isVerdict || nth >= TRIES) return { ...review, text };
  }
}

async function answerOf(
  reviewer: ReviewParts["reviewer"],
  job: string,
  ctx: ToolContext,
): Promise<{ readonly review: Review; readonly by: Name }> {
  try {
    const { name, text, stopped } = await reviewer(job, ctx);
    return { review: readReview(text, stopped), by: name };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return { review: { verdict: "none", text: messageOf(error) }, by: ctx.self };
  }
}
