/** The gate, run once on the files of a clone. */
import { setTimeout } from "node:timers/promises";
import { casesRun } from "../../../core/gate/cases.ts";
import { type Failing, failingIn } from "../../../core/gate/failing.ts";
import type { ShellResult } from "../../../ports/shell.ts";
import { commitIn } from "../clones/bring.ts";
import { bounded } from "../git.ts";
import { NotesGone } from "./despite-others.ts";
import type { LandingInput } from "./landing-job.ts";
import { EVIDENCE_MAX } from "./refusal.ts";

/** `failing`: null for a green one. `said`: how it ended, with its output. `cases`: that ran; undefined where not all of its output is kept. */
export type GateResult = {
  readonly failing: Failing | null;
  /** It was ended at its limit. */
  readonly isLate: boolean;
  readonly said: string;
  readonly ms: number;
  readonly cases: number | null | undefined;
};

/** A summary of tests is anywhere in the output. */
const KEEP_BYTES = 400_000;

/** Runs the gate once on what is in the clone of the task. @throws when it could not be run */
export async function runGate(
  { by, options, work: { root }, workspace }: LandingInput,
  command: string,
  where: string,
  signal: AbortSignal,
): Promise<GateResult> {
  const { gateTimeoutMs } = options;
  const since = Date.now();
  const ran = await options.shell.run(command, {
    cwd: workspace,
    signal: AbortSignal.any([by.signal, signal]),
    timeoutMs: gateTimeoutMs,
    keepBytes: KEEP_BYTES,
  });
  // Somebody removed its folder, or its repository: the command may have run on nothing, or where it was made again on its branch.
  if (commitIn(root, "HEAD") === null) throw new NotesGone(root);
  const ended = howItEnded(ran, gateTimeoutMs);
  const output =
    ran.output.trim() === "" ? " and printed nothing." : `:\n${bounded(ran.output, EVIDENCE_MAX - 1_500)}`;
  const aside = [ran.limit, ran.setAside].map((note) => (note === null ? "" : `\n${note}`)).join("");
  return {
    failing: ran.exitCode === 0 && !ran.timedOut ? null : failingIn(ran.output, ended, root),
    isLate: ran.timedOut,
    said: `\`${command}\` ${ended} ${where}${output}${aside}`,
    ms: Date.now() - since,
    cases: ran.spooledTo === null && ran.limit === null ? casesRun(ran.output) : undefined,
  };
}

const howItEnded = ({ timedOut, exitCode, signal }: ShellResult, timeoutMs: number): string =>
  timedOut
    ? `was not done after ${timeoutMs} ms`
    : `ended with ${exitCode === null ? signal : `exit code ${exitCode}`}`;

/**
 * Waits before other files are put in the place of those of `since`, for a further run of the gate. Python takes its compiled code for
 * current where a source has the same size and was written in the same second: the gate would judge the files of the run before.
 */
export async function nextSecond(since: number): Promise<number> {
  while (Math.floor(Date.now() / 1_000) <= Math.floor(since / 1_000))
    await setTimeout(1_000 - (Date.now() % 1_000));
  return Date.now();
}
