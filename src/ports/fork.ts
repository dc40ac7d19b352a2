/** A new team that is another one as it was at a point of its journal. */
import type { Counts } from "../core/board/task.ts";
import type { Instant, Name, TaskId } from "../core/ids.ts";

/** Behind a fact, at a time, or before the last attempt of a task began; {} for now. */
export type ForkPoint = {
  readonly seq?: number | undefined;
  readonly at?: Instant | undefined;
  readonly task?: TaskId | undefined;
};

/** The last fact that holds in the fork. Facts of one transaction are not separated. */
export type PointThen = { readonly seq: number; readonly at: Instant };

export type Forked = PointThen & {
  readonly team: Name;
  readonly from: Name;
  readonly counts: Counts;
  /** Those that have not stopped. */
  readonly members: number;
  /** Letters that were not read then: they are unread again. */
  readonly unread: number;
};

export interface Forks {
  /** @throws `bad_input` | `not_found` for a point that the journal does not have */
  point(wanted: ForkPoint): Promise<PointThen>;
  /**
   * In one transaction, while the team may be at work. Not copied: hosts with their leases, use of models, orders, jobs, cron jobs, landings
   * and gates, read mail, and what conversations held before their last summary. `letter`: mail for members that were at work.
   * @throws `bad_input` | `not_found` | `name_taken`
   */
  make(to: Name, wanted: ForkPoint, by: Name, letter: string): Promise<Forked>;
}
