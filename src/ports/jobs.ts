/** Background commands: their rows, visible to all processes, and their operating system processes, owned by one host. */

import type { Job, JobEnd } from "../core/board/job.ts";
import type { Seat } from "../core/board/member.ts";
import type { JobId, Name, TaskId } from "../core/ids.ts";
import type { Shell } from "./shell.ts";

/** The rows. A job ends once, also when several processes report it, and the same step mails its owner. */
export interface Jobs {
  /** Adds a running job of the seat's member, for the member's current task. @throws `stale_seat` */
  add(
    seat: Seat,
    job: { readonly command: string; readonly machine: string; readonly outputPath: string },
  ): Promise<Job>;
  started(id: JobId, pid: number): Promise<void>;
  /** Mails `text` to the owner as `job_done`; null sends no mail. False, and no change, if the job had ended before. */
  end(id: JobId, end: JobEnd, text: string | null): Promise<boolean>;
  /** Mails the owner a note about a running job. False if it has ended. */
  note(id: JobId, text: string): Promise<boolean>;
  /**
   * Marks running jobs of dead hosts as `unknown` and mails each owner `text(job)`, once. `text` may be called more than once.
   * Writes nothing if there are none.
   */
  lose(text: (job: Job) => string): Promise<Job[]>;
  job(id: JobId): Promise<Job | null>;
  /** The last `limit`, oldest first. */
  list(owner: Name | null, limit?: number): Promise<Job[]>;
  /** The number of running jobs, of one member or of all. With `task`: without jobs that were started for another task. */
  running(owner: Name | null, task?: TaskId): Promise<number>;
}

export type JobLook = {
  readonly job: Job;
  /** The end of its output. */
  readonly tail: string;
  readonly totalBytes: number;
  /** Whether one of its processes lives; null if it ran on another machine. */
  readonly alive: boolean | null;
};

/** The processes of this host, and a view of others on this machine. */
export interface JobControl {
  /** Resolves when it has started. Its end is mailed to the member. @throws `tool_failed` | `stale_seat` */
  start(seat: Seat, command: string, cwd: string, shell?: Shell): Promise<Job>;
  /** @throws `not_found` */
  look(id: JobId, tailBytes: number): Promise<JobLook>;
  /** Resolves when its processes are gone. `by` gets no mail, since it has the result. `why`: a sentence for others. @throws `not_found` | `not_permitted`: it runs elsewhere */
  stop(id: JobId, by: Name, why?: string): Promise<Job>;
  /** Whether the member has a job on this host. */
  has(owner: Name): boolean;
  /** Ends all jobs of a leaving member on this host, or those that it started for one task. It gets no mail about them. */
  endAll(owner: Name, task?: TaskId): Promise<void>;
  /** Reports jobs whose process died without a report. Called periodically. */
  reap(): Promise<void>;
  /** Ends all jobs of this host and mails their owners. Called before the shell is closed. */
  close(): Promise<void>;
}
