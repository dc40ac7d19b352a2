/** Crons: mail or tasks at given times. They are rows of the store, so any process of the team may fire one, and one does. */
import type { CronId, HostId, Instant, Name, TaskId } from "../core/ids.ts";

/** What a firing becomes: mail to a member, or a new task on the board whose subject is the text. */
export type CronTarget = { readonly kind: "mail"; readonly to: Name } | { readonly kind: "task" };

export type NewCron = {
  /** Five fields; see `core/cron.ts`. */
  readonly expression: string;
  /** The time zone of the fields, by name. */
  readonly zone: string;
  readonly text: string;
  readonly target: CronTarget;
  /** Fires once and is removed in the same step. */
  readonly once: boolean;
  /** It ends with this host. Null: durable, it survives restarts. */
  readonly session: HostId | null;
};

export type Cron = NewCron & {
  readonly id: CronId;
  readonly by: Name;
  readonly createdAt: Instant;
  readonly nextAt: Instant;
  readonly lastAt: Instant | null;
  /** How often it fired. */
  readonly fired: number;
};

export type Firing = {
  readonly cron: Cron;
  /** When it was due. */
  readonly dueAt: Instant;
  /** No process ran when it was due. This firing also covers the times missed since. */
  readonly late: boolean;
  readonly task: TaskId | null;
  /** Who was mailed: the lead if the intended member is gone. */
  readonly to: Name | null;
};

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
