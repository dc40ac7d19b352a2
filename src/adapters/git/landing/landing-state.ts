/** The states of a landing, and the outcome of its steps. */

import type { Obstacle } from "../../../core/board/worktree.ts";
import type { Failing } from "../../../core/gate/failing.ts";
import type { BaseRecord } from "../../../ports/landings.ts";
import type { Candidate } from "../clones/task-branch.ts";
import { remoteFault } from "../remote.ts";
import type { GateRun } from "./gate-run.ts";
import type { DoubtedLanding, Landed } from "./landing-job.ts";
import { type Refused, refused } from "./refusal.ts";

/** After these the task lands next. */
export const HOLDING: readonly Obstacle[] = ["conflict", "gate"];

/**
 * The state of a landing on the base that it was put on last. A new base begins with `tested`, `green` or `refused`; the target moves
 * from `green` only.
 */
export type State =
  | { readonly is: "begun" }
  | { readonly is: "tested"; readonly base: string; readonly candidate: Candidate; readonly gate: GateRun }
  | { readonly is: "green"; readonly base: string; readonly candidate: Candidate }
  /** `candidate`: null where its commits do not fit on the base. */
  | {
      readonly is: "refused";
      readonly base: string;
      readonly candidate: Candidate | null;
      readonly verdict: Refused | DoubtedLanding;
      /** How the gate failed. */
      readonly failing: Failing | null;
    }
  /** The base is red without it. */
  | { readonly is: "held"; readonly base: string; readonly red: BaseRecord };
export type Green = Extract<State, { is: "green" }>;
/** `moved`: the target has another commit now. Null: nothing to be done before something changes. */
export type Step = Landed | "moved" | null;

/** A remote that cannot be used keeps the work where it is. */
export function asRefused(error: unknown): Landed {
  const why = remoteFault(error);
  if (why === null) throw error;
  return refused("target", why);
}
