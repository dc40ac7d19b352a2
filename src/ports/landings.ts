/**
 * The queue of landings (see core/board/landing). The store keeps it, so all teams and hosts of a store meet in it. A place ends with
 * the lease of its host, so a process that was killed or stands still holds nobody up.
 */
import type { LandingQueue, Order, Reservation, Waiting } from "../core/board/landing.ts";
import type { Seat } from "../core/board/member.ts";
import type { Instant, Name, TaskId } from "../core/ids.ts";

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
}

export interface Gates {
  record(gate: Omit<GateRecord, "at" | "team">): Promise<void>;
  /** The green ones on these commits, of all teams. */
  green(commits: readonly string[]): Promise<GateRecord[]>;
  /** Removes those of this team from before that time. Returns how many there are, or were. */
  prune(before: Instant, remove: boolean): Promise<number>;
}
