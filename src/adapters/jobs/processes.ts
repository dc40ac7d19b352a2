/**
 * The processes of a job, also of one that outlived the process that started it. They are known by a mark in their environment:
 * a process id alone may long belong to somebody else.
 */
import type { Job } from "../../core/job.ts";
import { endAll, groupAlive, processesOf } from "../process-table.ts";

const MARK = "EKIDEN_JOB_OUTPUT";
const NO_GROUPS: ReadonlySet<number> = new Set();
/** Between TERM and KILL. */
const GRACE_MS = 2_000;
/** Elsewhere environments cannot be read, so the process group has to do. */
const canSeeMarks = process.platform === "linux";

/** What a job's processes carry; programs may like to know where their output goes, too. */
export const markOf = (job: Pick<Job, "outputPath">): Record<string, string> => ({ [MARK]: job.outputPath });

const tag = (job: Job): string => `${MARK}=${job.outputPath}`;

export const hasProcesses = (job: Job): boolean =>
  canSeeMarks ? processesOf(NO_GROUPS, tag(job)).length > 0 : job.pid !== null && groupAlive(job.pid);

export const endProcesses = (job: Job): Promise<void> =>
  endAll(canSeeMarks || job.pid === null ? NO_GROUPS : new Set([job.pid]), tag(job), GRACE_MS);
