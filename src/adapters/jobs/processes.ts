/**
 * The processes of a job, also of one that outlived the process that started it. A mark in their environment identifies them:
 * the kernel may have given a process id to another process.
 */
import type { Job } from "../../core/board/job.ts";
import { endAll, groupAlive, processesOf } from "../process-table.ts";

const MARK = "EKIDEN_JOB_OUTPUT";
/** The time between TERM and KILL. */
const GRACE_MS = 2_000;
/** Other systems cannot read environments, so the process group has to do. */
const canSeeMarks = process.platform === "linux";

/** The environment of a job's processes. A program may use it to find its own output. */
export const markOf = (job: Pick<Job, "outputPath">): Record<string, string> => ({ [MARK]: job.outputPath });

const tag = (job: Job): string => `${MARK}=${job.outputPath}`;

export const hasProcesses = (job: Job): boolean =>
  canSeeMarks ? processesOf(tag(job)).length > 0 : job.pid !== null && groupAlive(job.pid);

export const endProcesses = (job: Job): Promise<void> =>
  endAll(tag(job), GRACE_MS, new Set(canSeeMarks || job.pid === null ? [] : [job.pid]));
