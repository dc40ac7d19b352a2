/**
 * A reviewer or a person lets a change pass that may make its own judge see less, or does not. The landing has left the line meanwhile. Answers
 * are in the journal, as those of any review: a restart asks nothing that was answered.
 */

import { needsReview, type Review, type Reviews, reviewJob } from "../../core/board/review.ts";
import type { Claimed } from "../../core/board/task.ts";
import type { Passer } from "../../core/gate/passes.ts";
import { PERSON } from "../../core/ids.ts";
import { outside } from "../../core/plan/drift.ts";
import { filesIn } from "../../core/text/diff.ts";
import { listed } from "../../core/text/listed.ts";
import { headAndTail } from "../../core/text/valid.ts";
import type { Doubted, ToolContext } from "../../ports/index.ts";
import { type Asked, earlier, mustBeApproved, type ReviewParts, reviewBy } from "./review.ts";

export type DoubtParts = Pick<ReviewParts, "reviewer" | "rounds" | "signals"> & {
  readonly passer: (isMeant: boolean) => Promise<Passer>;
  /** Whose completions are reviewed anyway. */
  readonly reviews: Reviews;
  /** Null: nobody can be asked. */
  readonly person: (about: PersonAsked, ctx: ToolContext) => Promise<Review | null>;
};
export type PersonAsked = { readonly subject: string; readonly reason: string; readonly diff: string };

const DIFF_MAX = 20_000;
const REMEDY = 'set `tampering` to "note"';

export async function isPassed(ctx: ToolContext, task: Claimed, of: string): Promise<boolean> {
  const facts = await earlier(ctx, task);
  return facts.some((fact) => fact.type === "task.reviewed" && fact.of === of && fact.verdict === "approved");
}

/** @throws with the remarks, or with the reason why the task has failed */
export async function mustPassDoubt(
  parts: DoubtParts,
  ctx: ToolContext,
  task: Claimed,
  doubted: Doubted,
  isMeant: boolean,
): Promise<void> {
  const { of } = doubted;
  const known = (await earlier(ctx, task)).findLast(
    (fact) => fact.type === "task.reviewed" && fact.of === of,
  );
  const review = known?.type === "task.reviewed" ? known : await answered(parts, ctx, task, doubted, isMeant);
  await mustBeApproved({ review, rounds: parts.rounds, remedy: REMEDY }, ctx, task);
}

async function answered(
  parts: DoubtParts,
  ctx: ToolContext,
  task: Claimed,
  doubted: Doubted,
  isMeant: boolean,
): Promise<Review> {
  const { of, diff, signals } = doubted;
  const seen = await seenByReviewer(parts, ctx, task, doubted);
  if (seen) {
    await note(ctx, task, seen, of);
    return seen;
  }
  const second = secondWords(doubted);
  if ((await parts.passer(isMeant)) === "person") return await ofPerson(parts, ctx, task, doubted, second);
  const job = reviewJob({
    ...{ ...task, diff, result: "", outside: outside(diff, task.touches) },
    signals: second ? [...signals, second] : signals,
  });
  return await reviewBy(parts.reviewer, ctx, task, job, of);
}

/** A reviewer of its completion has seen all of it. */
async function seenByReviewer(
  { reviews, signals: signsIn }: DoubtParts,
  ctx: ToolContext,
  task: Claimed,
  { diff, signals, gate }: Doubted,
): Promise<Asked | null> {
  if (gate === "red" || !needsReview(reviews, task.description)) return null;
  const last = (await earlier(ctx, task)).findLast((fact) => fact.type === "task.reviewed");
  if (last?.type !== "task.reviewed" || last.verdict !== "approved" || last.by === PERSON) return null;
  const shown = await signsIn(diff);
  return signals.every((one) => shown.includes(one)) ? last : null;
}

async function ofPerson(
  { person }: DoubtParts,
  ctx: ToolContext,
  task: Claimed,
  { of, diff, files, signals }: Doubted,
  second: string,
): Promise<Review> {
  const about = {
    subject: `#${task.id} (change ${of.slice(0, 7)}), which alters what judges it: ${listed(files)}`,
    reason: [...signals, ...(second ? [second] : [])].join("\n"),
    diff: headAndTail(partOf(diff, files), DIFF_MAX, "the rest is not shown"),
  };
  const review = (await person(about, ctx)) ?? {
    verdict: "none",
    text: "a person must pass it, and nobody answered",
  };
  await note(ctx, task, { ...review, by: PERSON }, of);
  return review;
}

const note = (
  { store }: ToolContext,
  { id: task, attempt }: Claimed,
  { by, verdict, text }: Asked,
  of: string,
): Promise<void> =>
  store.journal.note([
    { type: "task.reviewed", task, attempt, by, verdict, text, of: verdict === "none" ? "" : of },
  ]);

const secondWords = ({ gate, said }: Doubted): string => {
  if (gate === "none") return "";
  return gate === "green"
    ? "With the tests and scripts of the target its gate is green, too."
    : `With the tests and scripts of the target its gate is red: ${said}`;
};

/** The diff of these files only. */
function partOf(diff: string, files: readonly string[]): string {
  const parts = diff.split(/^(?=diff --git )/m);
  const own = parts.filter((part) => filesIn(part).some(({ path }) => files.includes(path)));
  return (own.length > 0 ? own : parts).join("");
}
