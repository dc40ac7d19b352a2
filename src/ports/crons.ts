/** Crons: mail or tasks at given times. They are rows of the store, so any process of the team may fire one, and one does. */
import type { Cron, NewCron } from "../core/board/cron.ts";
import type { CronId, Instant, Name, TaskId } from "../core/ids.ts";

export type Firing = {
  readonly cron: Cron;
  /** When it was due. */
  readonly dueAt: Instant;
  /** No process ran when it was due. This firing also covers the times missed since. */
  readonly late: boolean;
  readonly task: TaskId | null;
  /** The member that was mailed: the lead if the intended member is gone. */
  readonly to: Name | null;
};

export type { Cron, NewCron };

export interface Crons {
  /** @throws `bad_input` (expression, zone, text, a date that never comes) | `not_found` (the member) */
  add(cron: NewCron, by: Name): Promise<Cron>;
  /** In the order of their next times, without those of dead processes. */
  list(): Promise<Cron[]>;
  /** @throws `not_found`; its message lists the known ids */
  cancel(id: CronId, by: Name): Promise<Cron>;
  /**
   * Fires every due cron, each in one step with its mail or task, and once even if several processes call this. A cron that
   * missed several times fires once. Writes nothing if none is due.
   */
  fire(): Promise<Firing[]>;
}
