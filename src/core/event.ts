/**
 * The facts of the journal: what happened, in order, written in the same step as the change. Their names are `noun.past-verb`.
 * Everything that only watches (status line, feed, log, page) reads them.
 */
import type { JobState } from "./board/job.ts";
import type { IdleReason, ShutdownReason } from "./board/lifecycle.ts";
import type { Kind } from "./board/mail.ts";
import type { MemberKind } from "./board/member.ts";
import type { OrderEnd, OrderGiven } from "./board/orders.ts";
import type { ReleaseReason } from "./board/release.ts";
import type { VERDICTS } from "./board/review.ts";
import type { TaskFields } from "./board/task.ts";
import type { Obstacle } from "./board/worktree.ts";
import type { BaseVerdict, RedTarget } from "./gate/red-target.ts";
import type { CronId, HostId, Instant, JobId, MailId, Name, RequestId, TaskId } from "./ids.ts";
import type { LoginWindow } from "./limits/window.ts";
import type { Mode } from "./permission/mode.ts";
import type { CheckDid } from "./plan/check-did.ts";
import type { BoardHeld, BoardReleased, BoardShown, NoteChanged, NoteWritten } from "./plan/facts.ts";
import type { CheckOutcome, Refuser } from "./plan/task-check.ts";
import type { WorkJudged } from "./progress/look.ts";
import type { Choices } from "./settings/choices.ts";
import type { Undone } from "./undo/change.ts";

export type Fact = Readonly<
  /** `team`: another team of the store, created by this team's lead. */
  | { type: "team.created"; team?: Name | undefined; by?: Name | undefined }
  /** The team begins as `from` was behind its fact `line`, at that time. What is before this fact comes from there. */
  | { type: "team.forked"; from: Name; line: number; time: Instant; by: Name }
  /** Facts and conversations from before this time are being deleted. */
  | { type: "journal.pruned"; before: Instant; by: Name }
  /** Another team of the store. */
  | { type: "team.deleted"; team: Name; by: Name }
  /** `how`: facts of older programs have none. */
  | { type: "team.resumed"; host: HostId; how?: Choices | undefined }
  /** The use of the team until then; limits of a run count from here, over its resumes. */
  | { type: "run.began"; turns: number; usd: number; how?: Choices | undefined }
  | {
      type: "team.finished";
      completed: number;
      failed: number;
      cancelled: number;
      unfinished: number;
      reason: string;
    }
  | { type: "teammate.spawned"; who: Name; kind: MemberKind; role: string; model: string }
  /** `who`: its name before. `role`: "" for none. */
  | { type: "teammate.changed"; who: Name; by: Name; role?: string | undefined; name?: Name | undefined }
  | {
      type: "teammate.phase";
      who: Name;
      phase: "work" | "idle" | "shutdown";
      reason?: IdleReason | ShutdownReason | undefined;
      /** The last words of its model or program, where it cannot work. */
      note?: string | undefined;
    }
  /** Facts of the first version have no `description`, and nothing of what is unusual about the task. */
  | ({
      type: "task.added";
      task: TaskId;
      subject: string;
      by: Name;
      blockedBy: readonly TaskId[];
    } & Omit<TaskFields, "subject" | "blockedBy">)
  /** `now`: the new values. Facts of the first version have only the names of the fields. */
  | { type: "task.changed"; task: TaskId; by: Name; what: readonly string[]; now?: TaskFields | undefined }
  | { type: "task.claimed"; task: TaskId; subject: string; by: Name; attempt: number }
  | {
      type: "task.completed";
      task: TaskId;
      subject: string;
      by: Name;
      attempt: number;
      /** The beginning of the result; the board has all of it. */
      result: string;
    }
  | { type: "task.failed"; task: TaskId; subject: string; by: Name | null; attempt: number; reason: string }
  | {
      type: "task.released";
      task: TaskId;
      from: Name | null;
      why: ReleaseReason;
      note?: string | undefined;
      /** For which it waits now, if its owner has split it. */
      parts?: readonly TaskId[] | undefined;
    }
  /** `replacedBy`: the task that was put in its place. */
  | { type: "task.cancelled"; task: TaskId; by: Name; reason: string; replacedBy?: TaskId | undefined }
  | { type: "task.unblocked"; task: TaskId; by: TaskId }
  /** Its branch waits for other branches to land. */
  | { type: "task.queued"; task: TaskId; by: Name; target: string }
  | { type: "gate.started"; task: TaskId; by: Name; command: string }
  /** The gate ran on the target itself, because it failed on a candidate. `names`: of the tests that failed; `repair`: the task that repairs it. */
  | ({
      type: "base.judged";
      by: Name;
      gate: string;
      verdict: BaseVerdict;
      ms: number;
      repair: TaskId | null;
    } & RedTarget)
  /** The gate was red and then green on the same tree. */
  | { type: "gate.flaky"; task: TaskId; by: Name; commit: string; command: string; names: readonly string[] }
  /** Its commits are on the target branch. */
  | { type: "task.landed"; task: TaskId; by: Name; branch: string; target: string; commit: string }
  /** Its branch is on the remote and was proposed for the target. */
  | {
      type: "task.proposed";
      task: TaskId;
      by: Name;
      branch: string;
      target: string;
      commit: string;
      said: string;
    }
  /**
   * Its change may make its own judge see less. `signals`: "FILE:LINE what". `gate`: the outcome of a second run with the tests and scripts of
   * the target; none where there was none.
   */
  | {
      type: "task.signalled";
      task: TaskId;
      by: Name;
      signals: readonly string[];
      gate: "green" | "red" | "none";
    }
  /** The files that it changes beside those that it names, before it lands; empty where there are none any more. */
  | { type: "task.drifted"; task: TaskId; by: Name; files: readonly string[] }
  /** An independent agent looked at it before its completion. `text`: its remarks, or why it gave no verdict. `of`: a hash of what it saw. */
  | {
      type: "task.reviewed";
      task: TaskId;
      by: Name;
      attempt: number;
      verdict: (typeof VERDICTS)[number];
      text: string;
      of: string;
    }
  /** The command that proves it was run, at its first call after the claim, or at its completion. */
  | ({
      type: "task.checked";
      task: TaskId;
      by: Name;
      attempt: number;
      when: "claim" | "completion";
      command: string;
      outcome: CheckOutcome;
      ms: number;
    } & CheckDid)
  /** Its completion was refused, by a hook, its check, its review or because its branch could not land. Its owner still holds it. */
  | {
      type: "task.reopened";
      task: TaskId;
      by: Name;
      attempt: number;
      why: Obstacle | Refuser;
      evidence: string;
    }
  | { type: "mail.sent"; mail: MailId; from: Name; to: Name; kind: Kind }
  | { type: "mail.delivered"; mail: MailId; from: Name; to: Name; kind: Kind }
  /** Its sender took it back before it was read. */
  | { type: "mail.withdrawn"; mail: MailId; from: Name; to: Name; kind: Kind }
  | {
      type: "turn.taken";
      who: Name;
      model: string;
      inputTokens: number;
      cachedTokens: number;
      outputTokens: number;
      usd: number;
      ms: number;
      text: string;
      /** The subagent of `who` that took the turn. */
      subagent?: Name | undefined;
    }
  | {
      type: "tool.called";
      who: Name;
      tool: string;
      subject: string;
      /** The files that it wrote, as its input names them. */
      wrote?: readonly string[] | undefined;
      ms: number;
      isError: boolean;
      note?: string | undefined;
      subagent?: Name | undefined;
    }
  | {
      type: "permission.asked";
      who: Name;
      request: RequestId;
      /** The one who may answer. Facts of the first version lack it, here and in a plan; and answers lack the request. */
      of?: Name | undefined;
      tool: string;
      subject: string;
    }
  | {
      type: "permission.answered";
      who: Name;
      request?: RequestId | undefined;
      tool: string;
      subject: string;
      allowed: boolean;
      by: string;
    }
  | { type: "question.asked"; who: Name; request: RequestId; question: string }
  /** `answer` null: nobody answered in time. */
  | { type: "question.answered"; who: Name; request: RequestId; answer: string | null; by: Name }
  | { type: "shutdown.asked"; who: Name; request?: RequestId | undefined; by: Name; reason: string }
  | {
      type: "shutdown.answered";
      who: Name;
      request?: RequestId | undefined;
      accepted: boolean;
      reason: string;
    }
  | {
      type: "plan.submitted";
      who: Name;
      /** Facts of the first version lack it. */
      request?: RequestId | undefined;
      of?: Name | undefined;
      task: TaskId;
      attempt: number;
    }
  | {
      type: "plan.answered";
      who: Name;
      request?: RequestId | undefined;
      task: TaskId;
      attempt: number;
      approved: boolean;
      by: Name;
    }
  /** Nobody need answer it any more. `who` had asked. */
  | { type: "request.withdrawn"; who: Name; request: RequestId }
  | { type: "answer.ignored"; from: Name; request: string; why: string }
  | { type: "context.compacted"; who: Name; layer: string; before: number; after: number }
  /** The person chose another model for a member, or for all (null), until the process ends. */
  | { type: "model.changed"; who: Name | null; model: string; by: Name }
  /** `effort` null: as the settings say. */
  | { type: "effort.changed"; who: Name | null; effort: string | null; by: Name }
  | { type: "mode.changed"; mode: Mode; by: Name }
  | ({ type: "order.given" } & OrderGiven)
  | ({ type: "order.done" } & OrderEnd)
  /** Somebody with a link to the page did this as the person. */
  | { type: "person.acted"; name: string; what: string; by: Name }
  | ({ type: "work.undone" } & Undone)
  | { type: "model.retried"; who: Name; why: string; attempt: number; waitMs: number }
  | { type: "job.started"; who: Name; job: JobId; command: string }
  | { type: "job.ended"; who: Name; job: JobId; state: JobState; exitCode: number | null }
  | { type: "cron.added"; cron: CronId; by: Name; expression: string; text: string }
  /** It became a mail (`to`) or a task. `late`: no process ran when it was due. */
  | { type: "cron.fired"; cron: CronId; to: Name | null; task: TaskId | null; late: boolean }
  /** `by` is null if it ended with its process. */
  | { type: "cron.cancelled"; cron: CronId; by: Name | null }
  | ({ type: "work.judged" } & WorkJudged)
  | ({ type: "board.held" } & BoardHeld)
  | ({ type: "board.shown" } & BoardShown)
  | ({ type: "board.released" } & BoardReleased)
  /** For all members. Its number is that of this fact. */
  | ({ type: "note.written" } & NoteWritten)
  | ({ type: "note.changed" } & NoteChanged)
  /** A member's stint added something to memory. */
  | { type: "memory.kept"; who: Name; topics: readonly string[] }
  /** The use of a login's window, as its program said it. `usedPercent` 100: its limit is reached. */
  | ({ type: "login.window" } & LoginWindow)
  /** Nobody who could take these tasks is able to work. `why`: the last words of one of them. */
  | { type: "work.stalled"; tasks: readonly TaskId[]; members: readonly Name[]; why: string }
  /** That has ended. */
  | { type: "work.recovered" }
  | { type: "warning.raised"; who: Name | null; text: string }
>;

export type FactType = Fact["type"];
export type FactOf<T extends FactType> = Extract<Fact, { readonly type: T }>;
/** Facts that change a task on the board. */
export const TASK_CHANGES = [
  "task.added",
  "task.changed",
  "task.claimed",
  "task.completed",
  "task.failed",
  "task.released",
  "task.cancelled",
] as const satisfies readonly FactType[];
/** `seq` grows with time and is unique in a store; it may have gaps. */
export type Event = { readonly seq: number; readonly at: Instant } & Fact;
