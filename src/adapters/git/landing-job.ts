/** The input and the result of a landing. */

import type { Instant } from "../../core/ids.ts";
import type { Waiting } from "../../core/landing.ts";
import type { LandingStep } from "../../core/worktree.ts";
import type { Reservations } from "../../ports/reservations.ts";
import type { Shell } from "../../ports/shell.ts";
import type { TaskBranch } from "./candidate.ts";
import type { AgreedFiles } from "./protected-changes.ts";
import type { Refused } from "./refusal.ts";
import type { SharedTarget } from "./shared-target.ts";
import type { Proposal } from "./way-out.ts";

export type LandingInput = TaskBranch &
  Pick<Waiting, "team" | "task" | "by"> & {
    readonly createdAt: Instant;
    readonly shell: Shell;
    /** The folder in which the gate runs. */
    readonly workspace: string;
    readonly agreed: AgreedFiles;
    readonly gate: string | undefined;
    readonly gateTimeoutMs: number;
    readonly gateParallel: number;
    readonly reservationMs: number;
    /** The number of times that somebody outside of the line may move the target before this is refused. */
    readonly racesMax: number;
    readonly signal: AbortSignal;
    readonly stillMine: () => Promise<void>;
    readonly reservations: Reservations;
    readonly onMoved: (text: string) => Promise<void>;
    readonly onStep: (step: LandingStep) => Promise<void>;
    /** The commit with which an earlier owner of the task has landed it on a target that is a branch of this repository. */
    readonly earlier: () => Promise<string | null>;
    /** Called with the commit before the target moves to it. */
    readonly willLand: (commit: string) => void;
    /** Null: the target itself is moved. */
    readonly proposal: Proposal | null;
    /** Null: the target is a branch of this repository. */
    readonly shared: SharedTarget | null;
    /** The commit of its branch on the remote that this machine knows. */
    readonly parked: string | null;
  };

export type Landed =
  | { readonly kind: "nothing" }
  | { readonly kind: "landed"; readonly commit: string }
  /** Its branch is on the remote; `said`: the last line of the command's output. */
  | { readonly kind: "proposed"; readonly commit: string; readonly said: string }
  | Refused;
