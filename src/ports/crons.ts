/** Alarms ("crons"): what is to happen at given times. Kept in the store, so that any process may let one go off, and one does. */
import type { CronId, HostId, Instant, Name, TaskId } from "../core/ids.ts";

/** What a firing becomes: mail to a member, or a new task on the board whose subject is the text. */
export type CronTarget = { readonly kind: "mail"; readonly to: Name } | { readonly kind: "task" };

export type NewCron = {
  /** Five fields, see `core/cron.ts`. */
  readonly expression: string;
  /** Name of the time zone the fields are meant in. */
  readonly zone: string;
  readonly text: string;
  readonly target: CronTarget;
  /** Goes off once and is removed in the same step. */
  readonly once: boolean;
  /** Ends with this host; null: durable, it survives restarts. */
  readonly session: HostId | null;
};

export type Cron = NewCron & {
  readonly id: CronId;
  readonly by: Name;
  readonly createdAt: Instant;
  readonly nextAt: Instant;
  readonly lastAt: Instant | null;
  /** How often it went off. */
  readonly fired: number;
};

export type Firing = {
  readonly cron: Cron;
  /** When it was due. */
  readonly dueAt: Instant;
  /** Nobody ran when it was due; firings missed since are this one. */
  readonly late: boolean;
  readonly task: TaskId | null;
  /** To whom it was mailed: the lead when the member meant is gone. */
  readonly to: Name | null;
};

export interface Crons {
  /** @throws `bad_input` (expression, zone, text, a date that never comes) | `not_found` (the member) */
  add(alarm: NewCron, by: Name): Promise<Cron>;
  /** By when they are due. Those of dead processes are not among them. */
  list(): Promise<Cron[]>;
  /** @throws `not_found`, with the ids there are */
  cancel(id: CronId, by: Name): Promise<Cron>;
  /**
   * Lets everything go off that is due, each in one step with its mail or task: however many processes call it, once. One that
   * was missed several times goes off once. Looking in vain writes nothing.
   */
  fire(): Promise<Firing[]>;
}
