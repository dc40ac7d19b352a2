/** Background commands: their rows, which all processes see, and their processes, which only one has. */
import type { JobId, Name, TaskId } from "../core/ids.ts";
import type { Job, JobEnd } from "../core/job.ts";
import type { Seat } from "../core/member.ts";

/** The rows. A job ends once, whoever reports it; the mail about it is written in the same step. */
export interface Jobs {
  /** A running job of the seat's member, started by its host, for the task that the member has in hand. @throws `stale_seat` */
  add(
    seat: Seat,
    job: { readonly command: string; readonly machine: string; readonly outputPath: string },
  ): Promise<Job>;
  started(id: JobId, pid: number): Promise<void>;
  /** `text` goes to the owner as `job_done`, null: no mail. False when it had ended already: then nothing happens. */
  end(id: JobId, end: JobEnd, text: string | null): Promise<boolean>;
  /** News of a job that still runs, as a note to its owner. False when it runs no more. */
  note(id: JobId, text: string): Promise<boolean>;
  /**
   * Running jobs whose host is gone become `unknown`; each owner is mailed `text(job)`, once. `text` may be called more than
   * once. Looking in vain writes nothing.
   */
  lose(text: (job: Job) => string): Promise<Job[]>;
  job(id: JobId): Promise<Job | null>;
  /** The last `limit`, oldest first. */
  list(owner: Name | null, limit?: number): Promise<Job[]>;
  /** How many run, of one member or of all. With `task`: without those that were started for another one. */
  running(owner: Name | null, task?: TaskId): Promise<number>;
}

export type JobLook = {
  readonly job: Job;
  /** The end of its output. */
  readonly tail: string;
  readonly totalBytes: number;
  /** Whether any of its processes is there; null when it ran on another machine. */
  readonly alive: boolean | null;
};

/** The processes of this host, and what can be seen of others on this machine. */
export interface JobControl {
  /** Resolves when it has started. How it ends is mailed to the member. @throws `tool_failed` | `stale_seat` */
  start(seat: Seat, command: string, cwd: string): Promise<Job>;
  /** @throws `not_found` */
  look(id: JobId, tailBytes: number): Promise<JobLook>;
  /** Resolves when its processes are gone. `by` is told by this, so it gets no mail. @throws `not_found` | `not_permitted`: it runs elsewhere */
  stop(id: JobId, by: Name): Promise<Job>;
  /** Ends what this member runs here: it leaves. */
  endAll(owner: Name): Promise<void>;
  /** Reports jobs whose process died without reporting. Called now and then. */
  reap(): Promise<void>;
  /** Ends everything that runs here; the owners are mailed, should they come back. Before the shell is closed. */
  close(): Promise<void>;
}
