/**
 * The queue of landings (see core/board/landing). The store keeps it, so all teams and hosts of a store meet in it. A place ends with
 * the lease of its host, so a process that was killed or stands still holds nobody up.
 */
import type { LandingQueue, Order, Reservation, Waiting } from "../core/board/landing.ts";
import type { Seat } from "../core/board/member.ts";
import type { NewTask } from "../core/board/task.ts";
import type { Entry } from "../core/conversation/chat.ts";
import type { Failing } from "../core/gate/failing.ts";
import type { BaseVerdict, RedTarget } from "../core/gate/red-target.ts";
import type { Instant, Name, TaskId } from "../core/ids.ts";
import type { Held } from "./held.ts";

/** A landing that comes to the queue. `id` and its numbers are given there. */
export type NewWaiting = Omit<Waiting, "id" | "arrived" | "number" | "team">;

export type NewReservation = Pick<
  Reservation,
  "branch" | "target" | "task" | "createdAt" | "paths" | "why" | "refusals"
> & {
  readonly lengthMs: number;
  /** A person has given this landing its place, so it waits for no other reservation. */
  readonly isOrdered: boolean;
};

/** A gate that ended: the tree it ran on, the commit that has this tree, and the commit below it. */
export type GateRecord = {
  readonly at: Instant;
  readonly branch: string;
  readonly team: Name;
  readonly task: TaskId;
  readonly base: string;
  readonly commit: string;
  readonly tree: string;
  readonly command: string;
  readonly green: boolean;
  readonly ms: number;
  /** The test cases that ran, where its output says it. */
  readonly cases: number | null;
};

/** `repository`: names a clone on one machine. Every change wakes "landings", for all teams. */
export interface Landings {
  /**
   * Those that wait in this repository, of all teams of the store, and the orders about them. Reservations of unfinished tasks: of this
   * team, and of others in this repository. Times are in the caller's clock.
   */
  queue(repository: string): Promise<LandingQueue>;
  /** Takes the last place. An order about an earlier landing of the branch that was cut short holds for this one. @throws `stale_seat` */
  join(seat: Seat, repository: string, about: NewWaiting): Promise<Waiting>;
  /** One whose work is committed now goes behind all that are there. @throws `stale_seat`, also where the place has ended */
  update(seat: Seat, id: Waiting["id"], change: Partial<NewWaiting>): Promise<void>;
  /** `isOver`: it has an outcome, so what a person ordered is done. */
  leave(id: Waiting["id"], isOver: boolean): Promise<void>;
  /** What a person wants of a landing of this team. */
  order(branch: string, order: Order): Promise<void>;
  /**
   * The branch lands next. If an earlier reservation holds it up, nothing is changed, and that one is returned: of several
   * landings that fail at once on several machines, one is refused, and the others wait for its work.
   */
  reserve(repository: string, wanted: NewReservation): Promise<Reservation | null>;
  /** The landing is over, or its task is. */
  forget(branch: string): Promise<void>;
  readonly gates: Gates;
  readonly bases: Bases;
}

/** How the gate ended on a target itself. `gate`: a hash of the command and of what it depends on. `failing`: of the first run. */
export type BaseRecord = RedTarget & {
  readonly gate: string;
  readonly verdict: BaseVerdict;
  readonly ms: number;
  readonly failing: Failing;
  /** The task of this team that repairs it. */
  readonly repair: TaskId | null;
};

export interface Bases {
  /** What this team has found, else what another one has. */
  find(commit: string, gate: string): Promise<BaseRecord | null>;
  /**
   * Notes a verdict; the first one of the team counts. `repair`: put on the board with it, unless the target has a task of this kind that is
   * not ended. Returns what is known then.
   */
  judged(
    by: Name,
    command: string,
    base: Omit<BaseRecord, "repair">,
    repair: NewTask | null,
  ): Promise<BaseRecord>;
  /** Whether nobody would take this task: it waits, and each other teammate that can work has one. */
  isShort(by: Name, repair: TaskId): Promise<boolean>;
  /** Gives a task back whose owner is needed for the repair, in the same step as it looks. False where it is not needed any more. @throws as `board.release` */
  setAside(claim: Held, repair: TaskId, note: string, entry: Entry): Promise<boolean>;
}

export interface Gates {
  /** Notes also that a gate is green which was red on the same tree. `names`: of the tests that failed. */
  record(
    gate: Omit<GateRecord, "at" | "team" | "cases"> & Partial<Pick<GateRecord, "cases">>,
    by: Name,
    names: readonly string[],
  ): Promise<void>;
  /** The green ones on these commits, of all teams. */
  green(commits: readonly string[]): Promise<GateRecord[]>;
  /** The last green one with this command whose output named its cases: on this commit, else on any. */
  cases(commit: string, command: string): Promise<Pick<GateRecord, "commit" | "cases"> | null>;
  /** Removes those of this team from before that time. Returns how many there are, or were. */
  prune(before: Instant, remove: boolean): Promise<number>;
}
