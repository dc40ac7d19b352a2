/** Reservations of the landing queue (see core/landing). The store keeps them, so they hold on every machine of a team. */
import type { Reservation } from "../core/board/landing.ts";

export type NewReservation = Pick<
  Reservation,
  "branch" | "target" | "task" | "createdAt" | "paths" | "why" | "refusals"
> & {
  readonly lengthMs: number;
  /** A person has given this landing its place, so it waits for no other reservation. */
  readonly isOrdered: boolean;
};

export interface Reservations {
  /** Of unfinished tasks: of this team, and of other teams that land in the same repository. Times are in the caller's clock. */
  list(repository: string): Promise<Reservation[]>;
  /**
   * The branch lands next. If an earlier reservation holds it up, nothing is changed, and that one is returned: of several
   * landings that fail at once on several machines, one is refused, and the others wait for its work.
   */
  reserve(repository: string, wanted: NewReservation): Promise<Reservation | null>;
  /** The landing is over, or its task is. */
  forget(branch: string): Promise<void>;
}
