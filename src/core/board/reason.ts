/** The reasons in states and facts, in words that people understand. A new reason does not compile until it has words here. */

import type { IdleReason, ShutdownReason } from "./lifecycle.ts";
import type { ReleaseReason } from "./release.ts";
import type { Obstacle } from "./worktree.ts";

type Reason = IdleReason | ShutdownReason | ReleaseReason | Obstacle;

const WORDS: Readonly<Record<Reason, string> & Record<string, string>> = {
  no_tool_use: "turn finished",
  asked_to_idle: "nothing to do",
  turn_limit: "turn limit reached",
  repeating: "repeated itself",
  awaiting_messages: "waiting for mail",
  awaiting_tasks: "waiting for tasks",
  awaiting_plan: "waiting for approval of its plan",
  awaiting_permission: "waiting for permission",
  awaiting_answer: "waiting for an answer from the person",
  awaiting_base: "waiting until the target branch is repaired",
  interrupted: "interrupted, waiting for a message",
  rate_limited: "waiting for the model provider",
  cannot_work: "cannot work, tries again",
  at_limit: "waiting for the end of its limit",
  timeout: "no work in time",
  asked: "on request",
  failed: "after an error",
  budget: "budget used up",
  replaced: "its place was needed for another member",
  owner_died: "the process of its owner died",
  owner_stopped: "its owner stopped",
  given_back: "its owner gave it back",
  person: "the person took it back",
  lead: "the lead took it back",
  retry: "to be tried again",
  split: "its owner split it",
  unable: "its owner could not work",
  red_base: "its owner repairs the target branch first",
  proposed: "it waits for its pull request",
  request: "its pull request needs more work",
  conflict: "merge conflict",
  gate: "the gate failed",
  hook: "a hook refused it",
  review: "its review refused it",
  target: "the target branch cannot take it",
  branch: "its branch cannot be used",
  dropped: "a person took it out of the line",
  /** A reason of older programs. */
  idle_timeout: "no work in time",
};

/** Ends of a run. */
const END_WORDS: Readonly<Record<string, string>> = {
  interrupted: "interrupted",
  budget: "budget used up",
  calls: "too many model calls for its tasks",
  progress: "a look at its work found no progress",
  loop: "its lead repeated itself",
  deadline: "its deadline",
  turns: "turn limit reached",
  model: "the model failed",
};

/** A reason that an older program wrote stays as it is. */
export const reasonWords = (reason: string): string => wordsIn(WORDS, reason);
/** The same for the end of a run. */
export const endWords = (reason: string): string => wordsIn(END_WORDS, reason);

const wordsIn = (words: Readonly<Record<string, string>>, reason: string): string =>
  (Object.hasOwn(words, reason) ? words[reason] : null) ?? reason;
