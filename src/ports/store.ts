/**
 * The team's shared memory, seen from one team. Every method is one atomic step: it happens wholly or not at all, its facts
 * are in the journal when it has happened, and whoever waits for it is woken. Every method may throw `store_unavailable`.
 */
import type { Entry } from "../core/conversation/chat.ts";
import type { Event, Fact, FactOf, FactType, ReleaseReason } from "../core/event.ts";
import type { Brand, HostId, Instant, MailId, Name, RequestId, TaskId } from "../core/ids.ts";
import type { IdleReason, ShutdownReason } from "../core/lifecycle.ts";
import type { Body, Mail } from "../core/mail.ts";
import type { Activity, Member, Profile, Seat, Spent } from "../core/member.ts";
import type { Claimed, ClaimResult, Counts, NewTask, Task, TaskChange } from "../core/task.ts";
import type { Crons } from "./crons.ts";
import type { Jobs } from "./jobs.ts";

export interface Store {
  readonly team: Name;
  readonly board: Board;
  readonly mail: Mailboxes;
  readonly roster: Roster;
  readonly transcript: Transcripts;
  readonly requests: Requests;
  readonly jobs: Jobs;
  readonly crons: Crons;
  readonly journal: Journal;
  readonly wake: Wake;
  /** Another team in the same database, over the same connection. */
  forTeam(name: Name): Promise<Store>;
  teams(): Promise<Name[]>;
  /**
   * Deletes a team with all that it has, in one step. Without `force` only one whose members have stopped and whose tasks are
   * finished; never one that a process is running. @throws `not_found` | `bad_input` (says what is in the way)
   */
  removeTeam(name: Name, by: Name, force?: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface Board {
  /** @throws `bad_input` | `not_found` (a blocker) */
  add(task: NewTask, by: Name): Promise<Task>;
  /** All or none, in order; `{ nth }` in `blockedBy` names a task of this batch (0-based, any order). @throws also `cycle` */
  addAll(tasks: readonly NewTask[], by: Name): Promise<Task[]>;
  /** @throws `not_found` | `cycle` (names it, also when two processes add two halves at once) | `already_started` (edges, role of a started task) */
  change(id: TaskId, change: TaskChange, by: Name): Promise<Task>;
  task(id: TaskId): Promise<Task | null>;
  tasks(): Promise<Task[]>;
  counts(): Promise<Counts>;

  /**
   * Owner, in_progress, attempt + 1, if ready and the seat has no other task. Idempotent for the owner of the same task.
   * `entry` is written to the claimer's transcript in the same step. @throws `stale_seat`
   */
  claim(seat: Seat, id: TaskId, entry?: (task: Claimed) => Entry): Promise<ClaimResult>;
  /**
   * The best ready task this seat may have: highest priority, longest chain of estimated work behind it, one that asks for its
   * role, oldest. Null when there is none or it has a task already. Costs the same on any board; a fruitless look writes nothing.
   */
  claimNext(seat: Seat, entry?: (task: Claimed) => Entry): Promise<Claimed | null>;
  /** What this member has in progress. */
  mine(name: Name): Promise<Claimed | null>;
  /** Returns exactly the tasks that became ready by it. @throws `stale_claim` | `stale_seat` */
  complete(claim: Held, result: string, entry?: Entry): Promise<TaskId[]>;
  /** Failed for good, with the evidence; the lead is mailed. @throws `stale_claim` | `stale_seat` */
  fail(claim: Held, reason: string, entry?: Entry): Promise<void>;
  /**
   * Refuses the completion of a claim. Hooks and landings share one counter per attempt; the refusal number `REFUSALS_MAX` also
   * fails the task, with `failure` as its reason. Returns the number of this refusal. @throws `stale_claim` | `stale_seat`
   */
  refuse(claim: Held, refusal: Refusal): Promise<number>;
  /** Records that a task's branch is on the target branch, once per commit. Not fenced: the commits are there, whoever holds the task. */
  landed(id: TaskId, by: Name, landing: LandedCommit): Promise<void>;
  /** Back to pending, or failed when it was attempted `maxAttempts` times. @throws `stale_claim` | `stale_seat` */
  release(claim: Held, why: ReleaseReason, note?: string, entry?: Entry): Promise<void>;

  /** Overrides by the person or the lead, journalled as such. Each @throws `not_found` | `already_started` | `bad_input` */
  retry(id: TaskId, by: Name): Promise<void>;
  cancel(id: TaskId, by: Name, reason: string): Promise<void>;
  takeBack(id: TaskId, by: Name): Promise<void>;
  completeFor(id: TaskId, by: Name, result: string): Promise<TaskId[]>;

  /**
   * Mails `board_quiet` to the lead if the team is quiet and the board has changed since the lead was last told so (or there
   * are tasks and it never was). Quiet: nothing in progress, no background command running but those started for tasks that are over, no member in phase work, no waking mail
   * other than idle notices unread at a hosted member, no ready task that a hosted teammate may claim. One consistent step, so the lead is woken once.
   * `told`: mailed now. `quiet`: quiet, and nothing new to tell. `busy`: neither.
   */
  announceQuiet(): Promise<"told" | "quiet" | "busy">;
}

/** A claim and the seat that holds it: both are checked by every write. */
export type Held = { readonly seat: Seat; readonly task: TaskId; readonly attempt: number };

export type Refusal = Pick<FactOf<"task.reopened">, "why" | "evidence"> & {
  /** The reason of the task's failure, if this is the last refusal that an attempt may have. */
  readonly failure: string;
};

export type LandedCommit = Pick<FactOf<"task.landed">, "branch" | "target" | "commit">;

export type Outgoing = { readonly to: Name; readonly body: Body; readonly urgent?: boolean };

export interface Mailboxes {
  /** @throws `not_found` (lists who exists) | `mailbox_full` */
  send(from: Name, mail: Outgoing, entry?: { seat: Seat; make: (ids: MailId[]) => Entry }): Promise<MailId>;
  /** To every living member but the sender. Returns to whom. */
  broadcast(from: Name, body: Body): Promise<Name[]>;
  /** Without consuming. Stop requests first, then urgent, then in order of arrival. */
  unread(to: Name, limit?: number): Promise<Mail[]>;
  /** Of the unread mail what wakes an idle member, however much lies before it. */
  waking(to: Name, limit?: number): Promise<Mail[]>;
  /** The last `limit` mails of a mailbox (from one sender), delivered or not, oldest first, without consuming. */
  box(to: Name, limit?: number, from?: Name): Promise<Mail[]>;
  /**
   * Takes up to `limit` unread mails (stop requests first) and writes the entries that `make` builds from them into the
   * transcript of the seat, in one step. `make` is pure and may be called more than once. Nothing unread: nothing happens, [].
   * @throws `stale_seat`
   */
  deliver(seat: Seat, make: (mail: readonly Mail[]) => readonly Entry[], limit?: number): Promise<Mail[]>;
  /** Marks the person's mail as seen (no transcript). */
  take(to: Name, limit?: number): Promise<Mail[]>;
  mail(id: MailId): Promise<Mail | null>;
}

export type Adoption = {
  /** Says whether a process lives; false lets its members be taken over before its lease is over. */
  readonly isAlive?: (machine: string, pid: number) => boolean | null;
  readonly revive?: boolean;
};

export interface Roster {
  /** A new member, hosted by `host`, in phase work; its prompt becomes its first mail from `by`. A name whose bearer was shut down is free again. @throws `name_taken` | `bad_input` */
  join(profile: Profile, host: HostId, by: Name): Promise<Seat>;
  /**
   * Takes over a member that nobody (or a dead host) runs, with its claim and its conversation. Null when a live host has it, and
   * for a stopped teammate unless `revive`. A stopped lead is always revived.
   */
  adopt(name: Name, host: HostId, how?: Adoption): Promise<Seat | null>;
  member(name: Name): Promise<Member | null>;
  members(): Promise<Member[]>;
  /** With mail from the member that belongs to it (an idle notice), in one step. @throws `stale_seat` */
  setActivity(seat: Seat, activity: Activity, mail?: readonly Outgoing[]): Promise<void>;
  /**
   * The end of a life, in one step: phase shutdown, its tasks back on the board, unanswered requests closed, `stopped` mailed to
   * the lead with its last words, the seat given up. @throws `stale_seat`
   */
  leave(seat: Seat, reason: ShutdownReason, lastWords: string): Promise<void>;
  /** The process ends but the member goes on later (`resume`): claims and phase are kept, the seat is given up. */
  suspend(host: HostId): Promise<void>;

  /**
   * Records the end of a run, if this host was the last one to host the lead (or there is none): of several hosts whose runs end
   * together, one records it. False when it is for another host to do.
   */
  finish(host: HostId, end: Omit<FactOf<"team.finished">, "type">): Promise<boolean>;

  /** A process begins to host. The machine and pid let others on the same machine see it die at once. */
  open(host: HostId, machine: string, pid: number): Promise<void>;
  /** Renews the lease of a host and so of every claim of its members: one row, however many members. False when it was declared dead. */
  beat(host: HostId): Promise<boolean>;
  /**
   * Finds hosts that are dead (lease over, or `isAlive(machine, pid)` says false) and puts their members' tasks back, once each.
   * Members left without host are returned, for whoever wants to run them.
   */
  reap(
    isAlive: (machine: string, pid: number) => boolean | null,
  ): Promise<{ readonly orphans: Name[]; readonly released: TaskId[] }>;
  /**
   * Whom of this host something may wait for: mail that wakes, a task in progress, a ready one that they may claim. One look for
   * all its idle members, in case a wake-up got lost.
   */
  wanted(host: HostId): Promise<Name[]>;
  hosts(): Promise<
    { readonly id: HostId; readonly machine: string; readonly pid: number; readonly leaseUntil: Instant }[]
  >;
}

/** An entry with its place. */
export type Recorded = { readonly seq: number; readonly at: Instant; readonly entry: Entry };

export interface Transcripts {
  /** From the last summary on: what the member's next request is made of. */
  current(name: Name): Promise<Entry[]>;
  /** All of it, in pages of `limit`, oldest first. A subagent's too, by its name ("alice/1"). */
  all(name: Name, after?: number, limit?: number): Promise<Recorded[]>;
  /** @throws `stale_seat` */
  record(seat: Seat, entries: readonly Entry[], along?: WithWrite): Promise<void>;
}

/** What is written in the same step as transcript entries: facts, costs, and mail from the member itself. */
export type WithWrite = {
  readonly facts?: readonly Fact[];
  readonly spent?: Spent;
  readonly mail?: readonly Outgoing[];
  /** The entries go to the transcript of this subagent of the member ("alice/1") instead of the member's own. */
  readonly subagent?: Name;
};

export type Ask =
  | { readonly kind: "shutdown"; readonly reason: string; readonly urgent?: boolean }
  | { readonly kind: "plan"; readonly task: TaskId; readonly attempt: number; readonly plan: string }
  | {
      readonly kind: "permission";
      readonly tool: string;
      readonly subject: string;
      /** What an "always" would allow from then on. */
      readonly rule?: string | undefined;
    };

export type Answer = {
  readonly yes: boolean;
  readonly text: string;
  /** To a permission: for all calls that its rule speaks of. Counts only from the person. */
  readonly always?: boolean | undefined;
};

export type Request = {
  readonly id: RequestId;
  readonly ask: Ask;
  readonly by: Name;
  readonly of: Name;
  readonly at: Instant;
  readonly deadline: Instant;
  readonly state: "open" | "answered" | "expired" | "withdrawn";
  readonly answer: (Answer & { readonly by: Name }) | null;
};

/** Protocols: a question that exactly one member may answer, once, before a deadline; about plans and permissions the person may, too. */
export interface Requests {
  /**
   * Stores the question and mails it, in one step. The same question that is open between the same two is returned instead:
   * any stop, a plan for the same attempt, a permission for the same tool and subject. @throws `not_found` (the one asked)
   */
  ask(by: Name, of: Name, ask: Ask, deadline: Instant): Promise<Request>;
  /**
   * Answers and mails the answer, in one step; that of a permission counts as read, for the call that waits for it has it as its result. Wrong sender, wrong kind, unknown or second answers change nothing and are
   * journalled (`answer.ignored`). `entry`: written to the answering seat's transcript in the same step. @throws `answered` | `not_found`
   */
  answer(
    from: Name,
    id: RequestId,
    kind: Ask["kind"],
    answer: Answer,
    entry?: { readonly seat: Seat; readonly entry: Entry },
  ): Promise<Request>;
  request(id: RequestId): Promise<Request | null>;
  /** The plan for one attempt at a task that counts: the approved one, else the last that was submitted, whatever became of it. */
  planFor(task: TaskId, attempt: number): Promise<Request | null>;
  open(filter?: { readonly of?: Name; readonly by?: Name; readonly kind?: Ask["kind"] }): Promise<Request[]>;
  /** Closes what is past its deadline; the asker is mailed a "no" with the text. */
  expire(text: string): Promise<Request[]>;
  withdraw(id: RequestId): Promise<void>;
}

/** An opaque place in the journal; "" is its beginning. On SQLite it is the seq. */
export type Cursor = Brand<string, "Cursor">;

export interface Journal {
  note(facts: readonly Fact[]): Promise<void>;
  /** The next events after `cursor`, oldest first, none missed even when numbers were given out before commits. */
  read(
    cursor: Cursor,
    options?: { readonly limit?: number; readonly types?: readonly FactType[] },
  ): Promise<{ readonly events: Event[]; readonly cursor: Cursor }>;
  /** The place behind everything that can be seen now. */
  end(): Promise<Cursor>;
  /** From an event's number, as people type it. */
  from(seq: number): Cursor;
}

/** What a sleeper waits for: `board`, `journal`, or mail for one name. */
export type WakeTopic = "board" | "journal" | `mail:${string}`;
export type Mark = Brand<number, "Mark">;

/** Wake-ups are hints and may be early or doubled; a change after `mark()` is never missed for longer than the poll floor. */
export interface Wake {
  mark(): Mark;
  /** Resolves when one of the topics changed since `mark`, after `ms`, or on abort (no error). */
  changed(since: Mark, topics: readonly WakeTopic[], ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `on` soon after every change of a topic, until the returned function is called. */
  watch(topic: WakeTopic, on: () => void): () => void;
}

export type { Activity, IdleReason };
