/** The input and the result of a landing. */

import type { TaskId } from "../../../core/ids.ts";
import type { Doubted, Which, Worktrees } from "../../../ports/worktrees.ts";
import type { TaskBranch } from "../clones/task-branch.ts";
import type { WorktreeOptions } from "../options.ts";
import type { SharedTarget } from "../shared-target.ts";
import type { AgreedFiles } from "./protected-changes.ts";
import type { Refused } from "./refusal.ts";
import type { Proposal } from "./way-out.ts";

export type LandingInput = {
  readonly task: Which;
  readonly by: Parameters<Worktrees["land"]>[1];
  readonly options: WorktreeOptions;
  readonly work: TaskBranch;
  /** The folder in which the gate runs. */
  readonly workspace: string;
  readonly agreed: AgreedFiles;
  /** The commit of an earlier landing that was begun. */
  readonly landing: string | null;
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
  | { readonly kind: "proposed"; readonly commit: string; readonly said: string; readonly branch: string }
  | { readonly kind: "held"; readonly why: string; readonly repair: TaskId }
  /** A change with signals that somebody must pass. */
  | ({ readonly kind: "doubted" } & Doubted)
  | Refused;
export type DoubtedLanding = Extract<Landed, { kind: "doubted" }>;
