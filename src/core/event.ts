/**
 * The facts of the journal: what happened, in order, written in the same step as the change. Their names are `noun.past-verb`.
 * Everything that only watches (status line, feed, log, page) reads them.
 */
import type { CronId, HostId, Instant, JobId, MailId, Name, RequestId, TaskId } from "./ids.ts";
import type { JobState } from "./job.ts";
import type { IdleReason, ShutdownReason } from "./lifecycle.ts";
import type { Kind } from "./mail.ts";
import type { MemberKind } from "./member.ts";
import type { Obstacle } from "./worktree.ts";

export type ReleaseReason = "owner_died" | "owner_stopped" | "given_back" | "person" | "retry" | "lead";

export type Fact =
  /** `team`: another team of the store, created by this team's lead. */
  | { readonly type: "team.created"; readonly team?: Name | undefined; readonly by?: Name | undefined }
  /** Facts and conversations from before this time are being deleted. */
  | { readonly type: "journal.pruned"; readonly before: Instant; readonly by: Name }
  /** Another team of the store. */
  | { readonly type: "team.deleted"; readonly team: Name; readonly by: Name }
  | { readonly type: "team.resumed"; readonly host: HostId }
  | {
      readonly type: "team.finished";
      readonly completed: number;
      readonly failed: number;
      readonly cancelled: number;
      readonly unfinished: number;
      readonly reason: string;
    }
  | {
      readonly type: "teammate.spawned";
      readonly who: Name;
      readonly kind: MemberKind;
      readonly role: string;
      readonly model: string;
    }
  | {
      readonly type: "teammate.phase";
      readonly who: Name;
      readonly phase: "work" | "idle" | "shutdown";
      readonly reason?: IdleReason | ShutdownReason | undefined;
    }
  | {
      readonly type: "task.added";
      readonly task: TaskId;
      readonly subject: string;
      readonly by: Name;
      readonly blockedBy: readonly TaskId[];
    }
  | {
      readonly type: "task.changed";
      readonly task: TaskId;
      readonly by: Name;
      readonly what: readonly string[];
    }
  | {
      readonly type: "task.claimed";
      readonly task: TaskId;
      readonly subject: string;
      readonly by: Name;
      readonly attempt: number;
    }
  | {
      readonly type: "task.completed";
      readonly task: TaskId;
      readonly subject: string;
      readonly by: Name;
      readonly attempt: number;
      /** The beginning of the result; the board has all of it. */
      readonly result: string;
    }
  | {
      readonly type: "task.failed";
      readonly task: TaskId;
      readonly subject: string;
      readonly by: Name | null;
      readonly attempt: number;
      readonly reason: string;
    }
  | {
      readonly type: "task.released";
      readonly task: TaskId;
      readonly from: Name | null;
      readonly why: ReleaseReason;
      readonly note?: string | undefined;
    }
  | { readonly type: "task.cancelled"; readonly task: TaskId; readonly by: Name; readonly reason: string }
  | { readonly type: "task.unblocked"; readonly task: TaskId; readonly by: TaskId }
  /** Its branch waits for other branches to land. */
  | { readonly type: "task.queued"; readonly task: TaskId; readonly by: Name; readonly target: string }
  | { readonly type: "gate.started"; readonly task: TaskId; readonly by: Name; readonly command: string }
  /** Its commits are on the target branch. */
  | {
      readonly type: "task.landed";
      readonly task: TaskId;
      readonly by: Name;
      readonly branch: string;
      readonly target: string;
      readonly commit: string;
    }
  /** Its branch is on the remote and was proposed for the target. */
  | {
      readonly type: "task.proposed";
      readonly task: TaskId;
      readonly by: Name;
      readonly branch: string;
      readonly target: string;
      readonly commit: string;
      readonly said: string;
    }
  /** Its completion was refused, by a hook or because its branch could not land. Its owner still holds it. */
  | {
      readonly type: "task.reopened";
      readonly task: TaskId;
      readonly by: Name;
      readonly attempt: number;
      readonly why: Obstacle | "hook";
      readonly evidence: string;
    }
  | {
      readonly type: "mail.sent";
      readonly mail: MailId;
      readonly from: Name;
      readonly to: Name;
      readonly kind: Kind;
    }
  | {
      readonly type: "mail.delivered";
      readonly mail: MailId;
      readonly from: Name;
      readonly to: Name;
      readonly kind: Kind;
    }
  | {
      readonly type: "turn.taken";
      readonly who: Name;
      readonly model: string;
      readonly inputTokens: number;
      readonly cachedTokens: number;
      readonly outputTokens: number;
      readonly usd: number;
      readonly ms: number;
      readonly text: string;
      /** The subagent of `who` that took the turn. */
      readonly subagent?: Name | undefined;
    }
  | {
      readonly type: "tool.called";
      readonly who: Name;
      readonly tool: string;
      readonly subject: string;
      readonly ms: number;
      readonly isError: boolean;
      readonly note?: string | undefined;
      readonly subagent?: Name | undefined;
    }
  | {
      readonly type: "permission.asked";
      readonly who: Name;
      readonly request: RequestId;
      readonly tool: string;
      readonly subject: string;
    }
  | {
      readonly type: "permission.answered";
      readonly who: Name;
      readonly tool: string;
      readonly subject: string;
      readonly allowed: boolean;
      readonly by: string;
    }
  | { readonly type: "shutdown.asked"; readonly who: Name; readonly by: Name; readonly reason: string }
  | {
      readonly type: "shutdown.answered";
      readonly who: Name;
      readonly accepted: boolean;
      readonly reason: string;
    }
  | {
      readonly type: "plan.submitted";
      readonly who: Name;
      /** Facts of the first version lack it. */
      readonly request?: RequestId | undefined;
      readonly task: TaskId;
      readonly attempt: number;
    }
  | {
      readonly type: "plan.answered";
      readonly who: Name;
      readonly task: TaskId;
      readonly attempt: number;
      readonly approved: boolean;
      readonly by: Name;
    }
  | { readonly type: "answer.ignored"; readonly from: Name; readonly request: string; readonly why: string }
  | {
      readonly type: "context.compacted";
      readonly who: Name;
      readonly layer: string;
      readonly before: number;
      readonly after: number;
    }
  | {
      readonly type: "model.retried";
      readonly who: Name;
      readonly why: string;
      readonly attempt: number;
      readonly waitMs: number;
    }
  | { readonly type: "job.started"; readonly who: Name; readonly job: JobId; readonly command: string }
  | {
      readonly type: "job.ended";
      readonly who: Name;
      readonly job: JobId;
      readonly state: JobState;
      readonly exitCode: number | null;
    }
  | {
      readonly type: "cron.added";
      readonly cron: CronId;
      readonly by: Name;
      readonly expression: string;
      readonly text: string;
    }
  /** It became a mail (`to`) or a task. `late`: no process ran when it was due. */
  | {
      readonly type: "cron.fired";
      readonly cron: CronId;
      readonly to: Name | null;
      readonly task: TaskId | null;
      readonly late: boolean;
    }
  /** `by` is null if it ended with its process. */
  | { readonly type: "cron.cancelled"; readonly cron: CronId; readonly by: Name | null }
  /** A member's stint added something to memory. */
  | { readonly type: "memory.kept"; readonly who: Name; readonly topics: readonly string[] }
  | { readonly type: "warning.raised"; readonly who: Name | null; readonly text: string };

export type FactType = Fact["type"];
export type FactOf<T extends FactType> = Extract<Fact, { readonly type: T }>;
/** `seq` grows with time and is unique in a store; it may have gaps. */
export type Event = { readonly seq: number; readonly at: Instant } & Fact;
