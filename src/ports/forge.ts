/** A forge: where issues and pull requests of a repository are. And the records of a team about them, which outlive its processes. */

import type { NewTask } from "../core/board/task.ts";
import type { Entry } from "../core/conversation/chat.ts";
import type { Answer, Change, Sending, Tracked } from "../core/forge/memory.ts";
import type { Check, Issue, Repo, Request, Talk, Words } from "../core/forge/model.ts";
import type { HostId, Instant, TaskId } from "../core/ids.ts";
import type { Held } from "./held.ts";

/** How a thing that was asked for came out. `refused`: for good, or until something else changes; the forge has done nothing. */
export type Sent =
  | { readonly kind: "done"; readonly id: number | null; readonly url: string }
  | { readonly kind: "refused"; readonly why: string };

/** What an answer held, as JSON. It is current as long as the forge has the tag for it, and asking that costs nothing. */
export type Page = { readonly path: string; readonly etag: string; readonly data: string };

/**
 * Every method may throw `forge_away` (no answer, or one that says nothing: it may have been done), with `retryAfterMs` where the forge
 * said when it answers again and `isUndone` where nothing was done, and `forge_refused` (the token may not do it).
 */
export interface Forge {
  readonly repo: Repo;
  /** What an earlier process has read. */
  restore(pages: readonly Page[]): void;
  /** What was read again since the last call. */
  fresh(): readonly Page[];
  /** The numeric id of the account of the token; null where the forge does not say. */
  account(): Promise<number | null>;
  /** Open ones with the label, or of the assignee, oldest first. */
  issues(which: { readonly labels: string } | { readonly assignee: string }): Promise<readonly Issue[]>;
  issue(number: number): Promise<Issue>;
  /** Comments on an issue or a request, oldest first. */
  comments(number: number): Promise<readonly Words[]>;
  /** The number of each open request with the time of its last change and its head. */
  open(): Promise<ReadonlyMap<number, Pick<Request, "updatedAt" | "head">>>;
  request(number: number): Promise<Request>;
  talk(number: number): Promise<Talk>;
  /** What `talk` left out because it costs more. */
  details(number: number): Promise<Partial<Talk>>;
  /** Whether it is in the merge queue; null where the forge does not say. */
  isQueued(number: number): Promise<boolean | null>;
  checks(head: string): Promise<readonly Check[]>;
  /** The end of what a job wrote; "" where it cannot be read. */
  log(job: number): Promise<string>;
  /** The paths that a request changes. */
  files(number: number): Promise<readonly string[]>;
  /** Whether this account may write to the repository now. */
  mayWrite(login: string, id: number): Promise<boolean>;
  /** Whether it was done already, by an earlier process that could not say so. */
  wasSent(what: Sending, mark: string): Promise<Sent | null>;
  /** `until`: when another host may send it. Nothing is sent after that: this process was frozen. @throws EkidenError `forge_away` */
  send(what: Sending, mark: string, until: Instant): Promise<Sent>;
}

/** `sent`: it may have been done. */
export type OutRow = Sending & {
  readonly id: number;
  readonly task: TaskId;
  readonly state: "queued" | "sent" | "confirmed" | "refused";
  readonly at: Instant;
};

export type Proposing = {
  readonly repo: string;
  readonly branch: string;
  readonly target: string;
  readonly commit: string;
  /** Made in the step that knows the record. */
  readonly sends: (tracked: Tracked) => readonly Sending[];
};

export interface ForgeRecords {
  /** Whether this host does it, for so long from now. Another one does it while its lease lasts. */
  lead(host: HostId, ms: number): Promise<boolean>;
  /** Adds the task of an issue. Null where it has one already. */
  take(repo: string, issue: number, task: NewTask): Promise<TaskId | null>;
  all(): Promise<readonly Tracked[]>;
  find(task: TaskId): Promise<Tracked | null>;
  /**
   * The branch of a claim was pushed: the task waits for its request from now on, and nobody has it. With the answer of the call, in one
   * step. @throws `stale_claim` | `stale_seat`
   */
  propose(claim: Held, what: Proposing, entry: Entry): Promise<void>;
  /** Notes one answer of the owner. Returns the labels that still have none. @throws `not_found` */
  answer(claim: Held, label: string, answer: Answer): Promise<readonly string[]>;
  /** Of the host that leads. `pages`: what it follows from. Does nothing and returns false where the task does not wait for it any more. */
  change(host: HostId, task: TaskId, change: Change, pages?: readonly Page[]): Promise<boolean>;
  /** The ids of the comments that were sent for the task, as in `Ask`. */
  posted(task: TaskId): Promise<ReadonlySet<string>>;
  /** What is to be sent, in order. */
  unsent(): Promise<readonly OutRow[]>;
  /** Noted before it is sent. Returns for how many milliseconds nobody else may send it; null where another host leads now. */
  sending(host: HostId, row: number, ms: number): Promise<number | null>;
  /** `said`: the address or the id of what was done, or why not. */
  sent(row: number, state: "queued" | "confirmed" | "refused", said: string): Promise<void>;
  pages(): Promise<readonly Page[]>;
  keep(pages: readonly Page[]): Promise<void>;
  /** A delivery of a webhook, by its id. False where it came before. */
  heard(delivery: string, about: string): Promise<boolean>;
  /** What deliveries were about since the last call. */
  woken(): Promise<ReadonlySet<string>>;
}
