/**
 * Background commands of one host. Each writes its output into a file directly, so nothing is lost when this process dies.
 * The store's row of a job is written by the process that saw it end, or by one that finds its host gone.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { endText, type Job, type JobEnd, lostText, showJob } from "../../core/board/job.ts";
import { MEMBER_VARIABLE, type Seat } from "../../core/board/member.ts";
import { messageOf, notFound, notPermitted, toolFailed } from "../../core/errors.ts";
import type { JobId, Name, TaskId } from "../../core/ids.ts";
import { droppedText } from "../../core/sandbox/output-quota.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobControl, JobLook } from "../../ports/jobs.ts";
import type { Shell, ShellResult } from "../../ports/shell.ts";
import type { Store } from "../../ports/store.ts";
import { sizeOf, tailOf } from "../tail.ts";
import { endProcesses, hasProcesses, markOf } from "./processes.ts";
import { watchSilence } from "./watch.ts";

export type JobParts = {
  readonly store: Pick<Store, "jobs">;
  readonly shell: Shell;
  readonly clock: Clock;
  /** The name under which other processes know this machine. */
  readonly machine: string;
  /** Where output files go; made when first needed. */
  readonly outputDir: string;
};

/** Running jobs that one member may have. A model in a loop must not fill the machine. */
const MOST = 16;
/** Bytes of output that the mail at the end shows. */
const SHOWN = 2_000;
/** Pauses before a report that the store refused is tried again. */
const RETRIES_MS = [1_000, 5_000, 15_000];

type Live = {
  readonly job: Job;
  readonly control: AbortController;
  /** The reason of its stop, and whether its owner gets mail about it. */
  stopping: { readonly why: string; readonly tell: boolean } | null;
  /** The error that kept it from starting. */
  failure: unknown;
  done: Promise<void>;
};

export class JobHost implements JobControl {
  private readonly parts: JobParts;
  private readonly live = new Map<JobId, Live>();
  private closed = false;

  constructor(parts: JobParts) {
    this.parts = parts;
  }

  async start(seat: Seat, command: string, cwd: string, shell = this.parts.shell): Promise<Job> {
    const { store, machine, outputDir } = this.parts;
    if (this.closed) throw toolFailed("The team is stopping, so no new command can start.");
    const mine = this.jobsOf(seat.name);
    if (mine.length >= MOST)
      throw toolFailed(
        `You have ${mine.length} background commands running (${mine.map((live) => showJob(live.job.id)).join(", ")}), the most there may be. End one with stop_background, or wait.`,
      );
    const outputPath = join(outputDir, `job-${randomBytes(6).toString("hex")}.txt`);
    const job = await store.jobs.add(seat, { command, machine, outputPath });
    const live: Live = {
      job,
      control: new AbortController(),
      stopping: null,
      failure: null,
      done: Promise.resolve(),
    };
    this.live.set(job.id, live);
    const pid = await new Promise<number | null>((resolve) => {
      live.done = this.run(live, shell, cwd, resolve).finally(() => {
        this.live.delete(job.id);
        resolve(null);
      });
    });
    if (pid === null) throw live.failure;
    await store.jobs.started(job.id, pid);
    return { ...job, pid };
  }

  /** Never rejects. */
  private async run(live: Live, shell: Shell, cwd: string, onStart: (pid: number) => void): Promise<void> {
    const { clock } = this.parts;
    const { job, control } = live;
    const over = new AbortController();
    let started = false;
    try {
      const running = shell.run(job.command, {
        cwd,
        signal: control.signal,
        timeoutMs: Number.POSITIVE_INFINITY,
        env: { ...markOf(job), [MEMBER_VARIABLE]: job.owner },
        outputFile: job.outputPath,
        onStart: (pid) => {
          started = true;
          onStart(pid);
        },
      });
      void watchSilence(job, this.parts.store.jobs, clock, over.signal);
      const result = await running;
      await this.report(live, endOf(result), true, notesOf(result));
    } catch (error) {
      live.failure = error;
      const { why, tell } = live.stopping ?? { why: messageOf(error), tell: true };
      // The caller hears at once that a command could not start.
      await this.report(live, { state: "stopped", why }, started && tell);
    } finally {
      over.abort();
    }
  }

  private async report(live: Live, end: JobEnd, tell = true, notes: readonly string[] = []): Promise<void> {
    const { store, clock } = this.parts;
    const { job } = live;
    const said = tell ? endText(end, await tailOf(job.outputPath, SHOWN), job) : null;
    const text = said === null ? null : [said, ...notes].join("\n");
    for (const wait of [...RETRIES_MS, null]) {
      try {
        await store.jobs.end(job.id, end, text);
        return;
      } catch {
        if (wait === null || this.closed) return; // another process finds it as lost when this host is gone
        await clock.sleep(wait);
      }
    }
  }

  async look(id: JobId, tailBytes: number): Promise<JobLook> {
    const job = await this.job(id);
    if (!this.isHere(job)) return { job, tail: "", totalBytes: 0, alive: null };
    const alive =
      this.live.has(id) || ((job.state === "unknown" || job.state === "running") && hasProcesses(job));
    return {
      job,
      tail: await tailOf(job.outputPath, tailBytes),
      totalBytes: await sizeOf(job.outputPath),
      alive,
    };
  }

  async stop(id: JobId, by: Name, why = `${by} stopped it.`): Promise<Job> {
    const live = this.live.get(id);
    if (live) await this.end(live, why, by !== live.job.owner);
    else await this.stopElsewhere(await this.job(id), by, why);
    return await this.job(id);
  }

  /** A job of another process on this machine, or one that outlived its process. */
  private async stopElsewhere(job: Job, by: Name, why: string): Promise<void> {
    if (job.state !== "running" && job.state !== "unknown") return;
    if (!this.isHere(job))
      throw notPermitted(
        `${showJob(job.id)} runs on ${job.machine} (process ${job.pid}); only a process there can end it.`,
      );
    // The row comes first: a watcher must not report this end as a failure.
    const end = { state: "stopped", why } as const;
    const text = by === job.owner ? null : endText(end, await tailOf(job.outputPath, SHOWN), job);
    await this.parts.store.jobs.end(job.id, end, text);
    await endProcesses(job);
  }

  has(owner: Name): boolean {
    return this.jobsOf(owner).length > 0;
  }

  async endAll(owner: Name, task?: TaskId): Promise<void> {
    const why = task === undefined ? `${owner} has left.` : `#${task} was taken from ${owner}.`;
    const due = this.jobsOf(owner).filter(({ job }) => task === undefined || job.task === task);
    await Promise.all(due.map((live) => this.end(live, why, false)));
  }

  private jobsOf(owner: Name): Live[] {
    return [...this.live.values()].filter((live) => live.job.owner === owner);
  }

  async reap(): Promise<void> {
    await this.parts.store.jobs.lose((job) => lostText(job, this.isHere(job) ? hasProcesses(job) : null));
  }

  /** Several machines may have one name. The file has a random name, and is made before the command starts. */
  private isHere({ machine, outputPath }: Job): boolean {
    return machine === this.parts.machine && existsSync(outputPath);
  }

  async close(): Promise<void> {
    this.closed = true;
    const why = "the process that ran it ended. Start it again if it is still needed.";
    await Promise.all([...this.live.values()].map((live) => this.end(live, why, true)));
  }

  private async end(live: Live, why: string, tell: boolean): Promise<void> {
    live.stopping ??= { why, tell };
    live.control.abort(new Error(why));
    await live.done;
  }

  private async job(id: JobId): Promise<Job> {
    const job = await this.parts.store.jobs.job(id);
    if (job) return job;
    throw notFound(`There is no background job ${showJob(id)}. check_background without an id lists yours.`);
  }
}

const notesOf = ({ droppedBytes, limit, denial, setAside, totalBytes }: ShellResult): string[] => [
  ...(droppedBytes > 0 ? [`[${droppedText(droppedBytes, totalBytes - droppedBytes)}]`] : []),
  ...[limit, denial, setAside].flatMap((note) => note ?? []),
];

const endOf = ({ exitCode, signal }: ShellResult): JobEnd => ({
  state: exitCode === 0 ? "done" : "failed",
  exitCode,
  signal,
});
