/**
 * The shared memory of a team. Every method is one atomic step: it happens as a whole or not at all, with its facts in the journal,
 * and wakes its waiters. Every method may throw `store_unavailable` and `store_foreign`.
 */

import type { Host, HostProcess, IsAlive } from "../core/board/host.ts";
import type { IdleReason, ShutdownReason } from "../core/board/lifecycle.ts";
import type { Backlog, Body, Mail } from "../core/board/mail.ts";
import type { Activity, Member, Profile, Seat } from "../core/board/member.ts";
import type { ReleaseReason } from "../core/board/release.ts";
import type { Claimed, ClaimResult, Counts, NewTask, Task, TaskChange } from "../core/board/task.ts";
import type { Entry, Recorded } from "../core/conversation/chat.ts";
import type { Fact, FactOf } from "../core/event.ts";
import type { HostId, Instant, MailId, Name, TaskId } from "../core/ids.ts";
import type { Standing } from "../core/limits/choice.ts";
import type { Crons } from "./crons.ts";
import type { ForgeRecords } from "./forge.ts";
import type { Forks } from "./fork.ts";
import type { Held, Outgoing } from "./held.ts";
import type { Jobs } from "./jobs.ts";
import type { Journal, Wake } from "./journal.ts";
import type { Landings } from "./landings.ts";
import type { Logins } from "./logins.ts";
import type { PortBlocks } from "./port-blocks.ts";
import type { Requests } from "./requests.ts";
import type { Splitting } from "./splitting.ts";
import type { Transcripts } from "./transcripts.ts";

export type * from "./held.ts";
export type * from "./journal.ts";
export type * from "./requests.ts";
export type * from "./transcripts.ts";

export interface Store {
  readonly team: Name;
  readonly board: Board;
  readonly mail: Mailboxes;
  readonly roster: Roster;
  readonly transcript: Transcripts;
  readonly requests: Requests;
  readonly jobs: Jobs;
  readonly crons: Crons;
  readonly landings: Landings;
  readonly logins: Logins;
  readonly forks: Forks;
  readonly portBlocks: PortBlocks;
  readonly forge: ForgeRecords;
  readonly journal: Journal;
  readonly wake: Wake;
  forTeam(name: Name): Promise<Store>; // in the same database, over the same connection
  /** Mails to a member of another team here. `from`: "alice@backend". @throws `not_found` (the team, the member) | `mailbox_full` */
  sendAcross(team: Name, from: Name, mail: Outgoing): Promise<MailId>;
  teams(): Promise<Name[]>;
  /**
   * Deletes a team with all its rows, in one step. Without `force` its members must have stopped and its tasks be finished. A team
   * that a process is running is never deleted. @throws `not_found` | `bad_input` (names the obstacle)
   */
  removeTeam(name: Name, by: Name, force?: boolean): Promise<void>;
  /**
   * Deletes facts and parts of conversations from before that time that nobody needs any more, in small steps. State, and the history
   * of unfinished tasks, stay. `by` null: only counts.
   */
  prune(before: Instant, by: Name | null): Promise<Pruned>;
  close(): Promise<void>;
}

/** `newest`: when the last fact was written, before anything was deleted; null for an empty journal. */
export type Pruned = { readonly facts: number; readonly entries: number; readonly newest: Instant | null };

/** Tasks that a member leaves to others. `logins`: all others by the logins of both, where these differ. */
export type Besides = {
  readonly ids: readonly TaskId[];
  readonly idle: boolean;
  readonly logins?: { readonly own: Standing; readonly others: readonly Standing[] } | null | undefined;
};

export interface Board extends Splitting {
  /** @throws `bad_input` | `not_found` (a blocker) | `already_started` and `cycle` (where it replaces another) */
  add(task: NewTask, by: Name): Promise<Task>;
  /** All or none, in order. `{ nth }` in `blockedBy` names a task of this batch (0-based, any order). @throws also `cycle` */
  addAll(tasks: readonly NewTask[], by: Name): Promise<Task[]>;
  /**
   * The same, but null and nothing is stored if `by` has added tasks after `last`: two processes that start the same work at once. `begins`:
   * facts before them, and words of `by` to the lead.
   */
  addUnlessNewer(
    tasks: readonly NewTask[],
    by: Name,
    last: TaskId | 0,
    begins?: { readonly facts: readonly Fact[]; readonly words: string },
  ): Promise<Task[] | null>;
  /** @throws `not_found` | `cycle` (names it, even if two processes add its halves at once) | `already_started` (edges or role of a started task) */
  change(id: TaskId, change: TaskChange, by: Name): Promise<Task>;
  /** All edits or none, of the board as it is in the same step. `make` is pure and may be called more than once. @throws as each of the edits */
  replan<P extends Replan>(make: (tasks: readonly Task[]) => P, by: Name): Promise<P>;
  task(id: TaskId): Promise<Task | null>;
  tasks(): Promise<Task[]>;
  outlines(): Promise<string>;
  counts(): Promise<Counts>;

  /**
   * Owner, in_progress, attempt + 1, if ready and the seat has no other task. Idempotent for the owner of the same task.
   * `entry` is written to the claimer's transcript in the same step; it is pure and may be called more than once. @throws `stale_seat`
   */
  claim(seat: Seat, id: TaskId, entry?: (task: Claimed) => Entry): Promise<ClaimResult>;
  /**
   * Claims the best ready task for this seat: highest priority, longest chain of estimated work behind it, its own role, oldest.
   * Null if there is none, or if it has a task. Costs the same on a board of any size, and writes nothing if it finds none.
   * `besides`: it takes `ids` only where no other teammate may take them: one at work, or, with `idle`, one that waits for tasks. With
   * `logins` it leaves to others what core/limits/choice.ts gives to them.
   */
  claimNext(seat: Seat, entry?: (task: Claimed) => Entry, besides?: Besides): Promise<Claimed | null>;
  /** Keeps a pending task for one teammate until it has left or gave it back; null releases it. @throws `not_found` | `already_started` */
  assign(id: TaskId, to: Name | null, by: Name): Promise<void>;
  /** Whether an unfinished task of the board could become this member's own, by its role and without a change by the lead. */
  hasProspect(name: Name): Promise<boolean>;
  /** Whether another teammate that is able to work may take this task, when it is ready. */
  isForOthers(name: Name, id: TaskId): Promise<boolean>;
  /** Whether another member lost this task by an order and has not heard of it, so that a command of it may still run. */
  hasOtherHands(id: TaskId, by: Name): Promise<boolean>;
  /** The task that this member has in progress. */
  mine(name: Name): Promise<Claimed | null>;
  /** Returns the tasks that became ready by it. `entry` gets them, and may be called more than once. @throws `stale_claim` | `stale_seat` */
  complete(claim: Held, result: string, entry?: (ready: readonly TaskId[]) => Entry): Promise<TaskId[]>;
  /** Failed for good, with the evidence; the lead is mailed. @throws `stale_claim` | `stale_seat` */
  fail(claim: Held, reason: string, entry?: Entry): Promise<void>;
  /**
   * Refuses the completion of a claim. Hooks, reviews and landings share one counter per attempt; the refusal number `REFUSALS_MAX`,
   * and one with `isLast`, also fails the task, with `failure` as its reason. Returns the number of this refusal. @throws `stale_claim` | `stale_seat`
   */
  refuse(claim: Held, refusal: Refusal): Promise<number>;
  /** Notes a step of its landing. @throws `stale_claim` */
  noteStep(claim: Held, step: FactOf<"task.queued"> | FactOf<"gate.started">): Promise<void>;
  /** Records that a task's branch is on the target branch, once per commit. `isLate`: only where no landing of it is known. Not fenced: the commits are there even if the task has another owner by now. */
  landed(id: TaskId, by: Name, landing: LandedCommit & { readonly isLate?: boolean }): Promise<void>;
  /** Back to pending, or failed after `maxAttempts` attempts. @throws `stale_claim` | `stale_seat` */
  release(claim: Held, why: ReleaseReason, note?: string, entry?: Entry): Promise<void>;

  /** Overrides by the person or the lead, journalled with their author. Each @throws `not_found` | `already_started` | `bad_input` */
  retry(id: TaskId, by: Name): Promise<void>;
  cancel(id: TaskId, by: Name, reason: string): Promise<void>;
  takeBack(id: TaskId, by: Name): Promise<void>;
  completeFor(id: TaskId, by: Name, result: string): Promise<TaskId[]>;
  failFor(id: TaskId, by: Name, reason: string): Promise<void>;
  claimFor(id: TaskId, by: Name): Promise<void>; // without a lease: until it is completed, failed or taken back

  /**
   * Mails `board_quiet` to the lead if the team is quiet and the board has changed since the last such mail. A team is quiet if
   * nothing is in progress, no background command runs except for finished tasks, no member is in phase work, no hosted member has
   * unread waking mail other than idle notices, and no hosted teammate may claim a ready task. One consistent step, so the lead is
   * woken once. `told`: mailed now. `quiet`: quiet without news. `busy`: not quiet.
   */
  announceQuiet(): Promise<"told" | "quiet" | "busy">;
}

/** In the order of its fields: `retry`, `assign`, `change`, `cancel` for a reason. */
export type BoardEdit = {
  readonly id: TaskId;
  readonly retried?: boolean;
  readonly assignee?: Name | null;
  readonly change?: TaskChange;
  readonly cancelled?: string;
};
export type Replan = { readonly edits: Iterable<BoardEdit> };

export type Refusal = Pick<FactOf<"task.reopened">, "why" | "evidence"> & {
  readonly failure: string;
  readonly isLast?: boolean;
};

export type LandedCommit = Pick<FactOf<"task.landed">, "branch" | "target" | "commit">;

export interface Mailboxes {
  /** `begins`: facts that are noted before it, in the same step. @throws `not_found` (lists who exists) | `mailbox_full` */
  send(
    from: Name,
    mail: Outgoing,
    entry?: { seat: Seat; make: (ids: MailId[]) => Entry },
    begins?: readonly Fact[],
  ): Promise<MailId>;
  /** To every living member but the sender. Returns to whom. */
  broadcast(from: Name, body: Body): Promise<Name[]>;
  /** Does not consume. Stop requests first, then urgent mail, then in order of arrival. */
  unread(to: Name, limit?: number): Promise<Mail[]>;
  /** The unread mail that wakes an idle member, however much other mail is before it. */
  waking(to: Name, limit?: number): Promise<Mail[]>;
  /** The last `limit` mails of a mailbox (from one sender), delivered or not, oldest first, without consuming. */
  box(to: Name, limit?: number, from?: Name): Promise<Mail[]>;
  /**
   * Takes up to `limit` unread mails (stop requests first) and writes the entries that `make` builds from them into the seat's
   * transcript, in one step. `make` is pure and may be called more than once; `left`: the mail that stays unread, null for none. Returns []
   * if nothing is unread. @throws `stale_seat`
   */
  deliver(seat: Seat, make: MakeEntries, limit?: number): Promise<Mail[]>;
  /** By member, the notes and broadcasts that it has not read. */
  unreadNotes(): Promise<Backlog[]>;
  /** Marks the person's mail as seen (no transcript). */
  take(to: Name, limit?: number): Promise<Mail[]>;
  mail(id: MailId): Promise<Mail | null>;
  /** Takes a note or broadcast of `from` away that nobody has read, and returns it. Null where it was read, or is none of its own. */
  withdraw(from: Name, id: MailId): Promise<Mail | null>;
}

export type MakeEntries = (mail: readonly Mail[], left: Backlog | null) => readonly Entry[];

export type Adoption = {
  /** False lets the members of a process be taken over before its lease ends. */
  readonly isAlive?: IsAlive;
  readonly revive?: boolean;
  /**
   * The hosts whose commands the caller has ended. A member of another one is left: that host took it in the meantime, and its
   * commands may run. Default: the caller knows that none run.
   */
  readonly ended?: ReadonlySet<HostId>;
};

export type Teammates = {
  readonly first: readonly Pick<Member, "name" | "role">[];
  readonly total: number;
};

/** `role`: "" for none. */
export type MemberChange = { readonly role?: string; readonly name?: Name };

export interface Roster {
  /** Adds a member, hosted by `host`, in phase work; its prompt becomes its first mail, from `by`. The name of a stopped member is free. @throws `name_taken` | `bad_input` */
  join(profile: Profile, host: HostId, by: Name): Promise<Seat>;
  /**
   * Takes over a member that no live host runs, with its claim and its conversation. Null if a live host has it, and for a stopped
   * teammate unless `revive`. A stopped lead is always revived.
   */
  adopt(name: Name, host: HostId, how?: Adoption): Promise<Seat | null>;
  /**
   * Another role or name of a teammate, which is told by mail. Its name changes only while no process runs it and it has nothing in hand.
   * @throws `not_found` | `bad_input` | `name_taken`
   */
  change(who: Name, change: MemberChange, by: Name): Promise<void>;
  member(name: Name): Promise<Member | null>;
  members(): Promise<Member[]>;
  /**
   * The first teammates that have not stopped, by when they joined, and how many there are. `members` also counts tasks and mail,
   * which costs more on a large team.
   */
  teammates(limit: number): Promise<Teammates>;
  /** Together with mail from the member (an idle notice), in one step. @throws `stale_seat` */
  setActivity(seat: Seat, activity: Activity, mail?: readonly Outgoing[]): Promise<void>;
  /** Of tasks without a block that can be run it claims, from now on, those of this runbook only; null: all. @throws `stale_seat` */
  runsBlocksOf(seat: Seat, runbook: string | null): Promise<void>;
  /**
   * The end of a life, in one step: phase shutdown, its tasks back on the board, unanswered requests closed, `stopped` mailed to
   * the lead with its last words, the seat given up. @throws `stale_seat`
   */
  leave(seat: Seat, reason: ShutdownReason, lastWords: string): Promise<void>;
  /** The process ends, and `resume` continues later: its members keep claims and phase and give up their seats. */
  suspend(host: HostId): Promise<void>;

  /**
   * Records the end of a run, if this host was the last host of the lead or there is no lead. So one of several hosts that end
   * together records it. False if another host has to.
   */
  finish(host: HostId, end: Omit<FactOf<"team.finished">, "type">): Promise<boolean>;

  /** Adds a member on the worker with the most room, which starts it. Null, and nothing is changed, if no worker has room. @throws as `join` */
  place(profile: Profile, by: Name): Promise<HostId | null>;
  /** Sets the number of members that this host takes, and whether `place` may add some. 0 at first. */
  offer(host: HostId, places: { readonly places: number; readonly adopts: boolean }): Promise<void>;
  /** Whether teammates of this host are about to join: the team is not quiet meanwhile. */
  joining(host: HostId, isJoining: boolean): Promise<void>;

  /**
   * A process begins to host. By its identity, others that can see the process know at once that it died.
   * @throws `host_version` | `host_settings` while a host of another version, or one that lands in another way, lives
   */
  open(host: HostId, machine: string, pid: number, identity?: string): Promise<void>;
  /** Renews the lease of a host, and with it every claim of its members: one row for all. False if the host was fenced or removed. */
  beat(host: HostId): Promise<boolean>;
  /**
   * Declares hosts dead whose lease is over or whose process is gone, and returns them: they cannot renew their lease any more. Their
   * members keep their tasks until `adopt` or `reap`, so that commands of a host that still lives can be ended first.
   */
  fence(isAlive: IsAlive): Promise<readonly (HostProcess & Pick<Host, "id">)[]>;
  /**
   * Fences dead hosts, removes them and puts their members' tasks back, once each, after `beforeRelease`. Returns these tasks.
   */
  reap(
    isAlive: (host: HostProcess & Pick<Host, "id">) => boolean | null,
    beforeRelease?: (lost: readonly HostProcess[]) => Promise<void>,
  ): Promise<TaskId[]>;
  /**
   * The members of this host that may have something to do: waking mail, a task in progress, or a ready task they may claim. One
   * look for all idle members, in case a wake-up was lost.
   */
  wanted(host: HostId): Promise<Name[]>;
  hosts(): Promise<Host[]>;
}

export type { Activity, IdleReason, Recorded };
