/** A working copy and a branch for each task, and the way of its commits to the branch that all build on. */

import type { Seat } from "../core/board/member.ts";
import type { Task } from "../core/board/task.ts";
import type { LandingStep, Obstacle } from "../core/board/worktree.ts";
import type { Passer } from "../core/gate/passes.ts";
import type { TaskId } from "../core/ids.ts";
import type { Landings } from "./landings.ts";
import type { LandedCommit, Wake } from "./store.ts";

export type Worktree = {
  readonly task: TaskId;
  readonly branch: string;
  /** The branch it was made from and will land on. */
  readonly target: string;
  /** Absolute: the project's folder in it, where tools run. */
  readonly workspace: string;
  /** Not to be tidied away when it has landed. */
  readonly kept: boolean;
};

export type Landing =
  /** There was nothing to land: the task changed no file. */
  | { readonly kind: "nothing" }
  | {
      readonly kind: "landed";
      readonly branch: string;
      readonly target: string;
      readonly commit: string;
    }
  /** Its branch is on the remote, and the command that proposes it has succeeded. `said`: the last line of its output. */
  | {
      readonly kind: "proposed";
      readonly branch: string;
      readonly target: string;
      readonly commit: string;
      readonly said: string;
    }
  /** The target itself is red, and its owner is needed to repair it. Nothing is refused; its branch lands when it is completed again. */
  | { readonly kind: "held"; readonly why: string; readonly repair: TaskId; readonly branch: string }
  /**
   * Its gate is green, and its change may make its own judge see less: somebody must pass it. `gate`: the outcome of the second run. `of`: a
   * hash of the change. Nothing is refused.
   */
  | ({ readonly kind: "doubted"; readonly branch: string } & Doubted)
  /** Everything is as it was, apart from a commit of what was not committed. `evidence` is bounded. */
  | { readonly kind: "refused"; readonly why: Obstacle; readonly evidence: string; readonly branch: string };

/** `said`: the words of the second run; "" for none. `files`: those with signals. */
export type Doubted = {
  readonly signals: readonly string[];
  readonly files: readonly string[];
  readonly gate: SecondGate;
  readonly said: string;
  readonly diff: string;
  readonly of: string;
};
/** How the gate ended with the judging files of the target. */
export type SecondGate = "green" | "red" | "none";

/** `kept`: something in it would be lost. */
export type Removal =
  | { readonly kind: "removed" }
  | { readonly kind: "missing" }
  | { readonly kind: "kept"; readonly why: string };

export type Which = Pick<Task, "id" | "subject" | "createdAt"> &
  Partial<Pick<Task, "attempt" | "description">>;

/** For what may have to wait for a remote: `tell` gets one sentence about it. */
export type Contact = {
  readonly signal: AbortSignal;
  readonly tell: (text: string) => Promise<void>;
};

/**
 * The worktrees of one team in one repository. Each belongs to a task, and not to a member, for as long as it holds
 * something. Nothing here deletes an uncommitted file or a commit that is not on the target.
 */
export interface Worktrees {
  readonly target: string;
  /** The target as members type it, "main" or "origin/main". */
  readonly onto: string;
  /** The remote that other machines work with, too; null for none. */
  readonly remoteLabel: string | null;
  /** The command that must succeed on the merged tree. */
  readonly gate: string | undefined;
  /** Folders outside of a worktree that its links lead to. */
  readonly shared: readonly string[];
  /** Where the tools of the task will run, also before there is a worktree. */
  /** The commit with which the task has landed, as long as it has a worktree; null for none. */
  landedAs(task: Which): Promise<LandedCommit | null>;
  workspaceOf(task: Which): string;
  find(task: Which): Worktree | null;
  /**
   * The task's worktree; made if there is none. It has what an earlier owner on another machine has parked.
   * `slug`: for its name, a checked one. @throws EkidenError `tool_failed`
   */
  open(task: Which, slug?: string, contact?: Contact): Promise<Worktree>;
  /** What the task has changed so far, as `git diff` shows it; "" without a worktree. @throws EkidenError `tool_failed` */
  diff(task: Which): Promise<string>;
  /** The project gets the commits of the task's branch, and a remote, for other machines, all that has not landed. */
  park(task: Which, contact: Contact): Promise<void>;
  /** Brings the project's own folder to what has landed on the remote. Does nothing without a remote. */
  follow(contact: Contact): Promise<void>;
  /**
   * Commits what is not committed, waits in line, and brings exactly what the gate has seen to the target. `stillMine` is asked
   * while it waits, and last before the target moves: it throws when the task was taken from the caller. Rejects with the
   * signal's reason on abort.
   */
  land(
    task: Which,
    by: {
      readonly seat: Seat;
      readonly signal: AbortSignal;
      readonly stillMine: () => Promise<void>;
      readonly landings: Landings;
      readonly wake: Wake;
      /** Told as `noticeMoves` does, before the gate runs on what somebody else has done. */
      readonly onMoved: (text: string) => Promise<void>;
      /** Its change may make its own judge see less. `gate`: the outcome of a second run with the judging files of the target. */
      readonly onSignals: (signals: readonly string[], gate: SecondGate) => Promise<void>;
      /** Who passes a change with signals. Default: the second gate, or nobody for one that is meant to have them. */
      readonly passer?: (isMeant: boolean) => Promise<Passer>;
      /** Whether this change was let pass. */
      readonly isPassed?: (of: string) => Promise<boolean>;
      /** Called before what takes time. */
      readonly onStep: (step: LandingStep) => Promise<void>;
      /** Whether this owner is needed for the task that repairs the target: nobody else is free for it. */
      readonly isNeeded: (repair: TaskId) => Promise<boolean>;
    },
  ): Promise<Landing>;
  /** Tells what somebody else did to the target since the last time: new commits, and commits that a rebase took away. */
  noticeMoves(tell: (text: string) => Promise<void>): Promise<void>;
  /** The person or a rule let a file tool write this file, so a landing may change it although it is protected. Absolute. */
  accept(path: string): void;
  /** The worktree and its branch, when nothing would be lost with them. */
  remove(task: Which): Promise<Removal>;
  /** @throws EkidenError `not_found` */
  keep(task: Which): Worktree;
  /** The tasks of this team that have a worktree here or a branch on the remote. */
  list(): Promise<Pick<Which, "id" | "createdAt">[]>;
}
