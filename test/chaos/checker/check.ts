/** The rules that every history must keep, by name. None of them asks the program anything. */
import { allCompleted, replay, splitOnce, tablesAgree } from "./claims.ts";
import { acceptable, mailInRequests, oneLife } from "./conversations.ts";
import { effectsOfClaims, oneExecution } from "./effects.ts";
import type { Fault, History, Rule } from "./history.ts";
import { gated, inWorktrees, landedOnce, linear } from "./landings.ts";
import { answersOfClaims, lettersAnswered, mailFacts, mailInTranscripts } from "./mail.ts";

export const RULES = {
  "claims follow each other": (history) => replay(history).faults,
  "tables and journal agree": tablesAgree,
  "no task is lost": allCompleted,
  "tasks are split once": splitOnce,
  "claims are told to their owners": answersOfClaims,
  "mail is sent and delivered once": mailFacts,
  "mail is heard once, in order": mailInTranscripts,
  "letters and answers agree": lettersAnswered,
  "requests are acceptable": acceptable,
  "requests hold mail once, in order": mailInRequests,
  "a member has one life": oneLife,
  "effects belong to claims": effectsOfClaims,
  "one execution at a time": oneExecution,
  "work stays in worktrees": inWorktrees,
  "the history is linear": linear,
  "every landed commit was gated": gated,
  "every completed task landed once": landedOnce,
} satisfies Readonly<Record<string, Rule>>;
export type RuleName = keyof typeof RULES;

export const check = (history: History): Fault[] =>
  Object.entries(RULES).flatMap(([rule, faults]) => faults(history).map((what) => ({ rule, what })));
