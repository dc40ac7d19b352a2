/** Background commands ("jobs"): their state, and the words about it. Pure. */
import type { HostId, Instant, JobId, Name, TaskId } from "../ids.ts";

/**
 * running ──exit 0──▶ done, ──exit n, signal──▶ failed, ──asked──▶ stopped. `unknown`: the process that started it died, so its end
 * was not seen.
 */
export const JOB_STATES = ["running", "done", "failed", "stopped", "unknown"] as const;
export type JobState = (typeof JOB_STATES)[number];

export type Job = {
  readonly id: JobId;
  readonly owner: Name;
  readonly command: string;
  readonly state: JobState;
  /** Leader of its process group, on `machine`. Null until it has started. */
  readonly pid: number | null;
  readonly machine: string;
  readonly host: HostId;
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
  readonly exitCode: number | null;
  /** The file with all its output, absolute, on `machine`. */
  readonly outputPath: string;
  /** The task of its owner when it started: a member waits for a job only as long as for this task. */
  readonly task: TaskId | null;
};

export type JobEnd =
  | { readonly state: "done" | "failed"; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly state: "stopped"; readonly why: string };

export const showJob = (id: JobId): string => `j${id}`;

/** A command whose output has not changed for this long may wait for input. */
export const SILENT_MS = 45_000;

/**
 * Whether an output ends like a prompt to a person at a keyboard: an unfinished line of the usual shape.
 * A finished line is a report, whatever its words.
 */
export function looksLikePrompt(tail: string): boolean {
  const last = lastLine(tail);
  if (last === "" || last.length > 300) return false;
  return /[?:>\])]$/.test(last) ? !PROGRESS.test(last) : ASKS.test(last);
}

const ASKS = /press (?:any key|enter|return)|\b(?:yes\/no|y\/n)\b|password|passphrase|are you sure/i;
/** "[====>   ]", "(3 of 10)", "[ 40%]": lines that a program redraws. */
const PROGRESS = /^[[(][=#.\->\s]*[\])]?$|\d+\s*(?:%|of\s*\d+|\/\s*\d+)\s*[\])]$/;
/** Colours, titles and other control characters, except line ends. */
const ESCAPES =
  /(?![\t\n\r])\p{Cc}\[[0-9;?]*[ -/]*[@-~]|(?![\t\n\r])\p{Cc}\][^\p{Cc}]*\p{Cc}|(?![\t\n\r])\p{Cc}/gu;
const strip = (text: string): string => text.replace(ESCAPES, "");
const lastLine = (tail: string): string =>
  strip(tail)
    .split(/[\r\n]/)
    .at(-1)
    ?.trimEnd() ?? "";

/** The end of a job, in words for its owner. */
export function endText(end: JobEnd, tail: string, job: Pick<Job, "outputPath">): string {
  const how =
    end.state === "stopped"
      ? `Stopped: ${end.why}`
      : end.signal !== null
        ? `Ended by ${end.signal}.`
        : `Exit code ${end.exitCode}.`;
  const shown = strip(tail).trimEnd();
  return `${how} Its whole output is in ${job.outputPath}.${shown ? `\nIts last lines:\n${shown}` : " It printed nothing."}`;
}

/** The words about a job whose host died. */
export function lostText(job: Job, alive: boolean | null): string {
  const now =
    alive === null
      ? `It ran on ${job.machine}, which cannot be seen from here.`
      : alive
        ? `It still runs (process ${job.pid}): stop_background ends it, check_background shows what it prints.`
        : "It has ended, and its exit code is unknown.";
  return `The process that started it died. ${now} Its output is in ${job.outputPath}. Check what it did before you start it again.`;
}

/** A server that has been silent for this long may have been forgotten. */
export const STALE_MS = 600_000;

export const silentText = (job: Pick<Job, "id" | "command" | "task">): string =>
  `Background job ${showJob(job.id)} (${job.command}) has printed nothing for ${STALE_MS / 60_000} minutes and still runs. If it is needed, there is nothing to do. If not, stop_background it: the team does not count as finished ${job.task === null ? "while it runs" : `before #${job.task} has ended, and a member that is idle while it runs gets no reminder of the task`}.`;

export const promptText = (job: Pick<Job, "id" | "command">, tail: string): string =>
  `Background job ${showJob(job.id)} (${job.command}) has printed nothing for ${SILENT_MS / 1000} s and seems to wait for input, which it will not get. Its last line: ${lastLine(tail).trimStart()}\nIf so, stop_background and run it so that it does not ask (such as with --yes, or input from a file).`;
