/** The gate, run once on the files of a clone. */
import { type Failing, failingIn } from "../../../core/gate/red-target.ts";
import type { ShellResult } from "../../../ports/shell.ts";
import { commitIn } from "../clones/bring.ts";
import { bounded } from "../git.ts";
import { NotesGone } from "./despite-others.ts";
import type { LandingInput } from "./landing-job.ts";
import { EVIDENCE_MAX } from "./refusal.ts";

/** `failing`: null for a green one. `said`: how it ended, with its output. */
export type GateResult = { readonly failing: Failing | null; readonly said: string; readonly ms: number };

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
  });
  // Somebody removed its folder, or its repository: the command may have run on nothing, or where it was made again on its branch.
  if (commitIn(root, "HEAD") === null) throw new NotesGone(root);
  const ended = howItEnded(ran, gateTimeoutMs);
  const output =
    ran.output.trim() === "" ? " and printed nothing." : `:\n${bounded(ran.output, EVIDENCE_MAX - 1_500)}`;
  const aside = [ran.limit, ran.setAside].map((note) => (note === null ? "" : `\n${note}`)).join("");
  return {
    failing: ran.exitCode === 0 && !ran.timedOut ? null : failingIn(ran.output, ended, root),
    said: `\`${command}\` ${ended} ${where}${output}${aside}`,
    ms: Date.now() - since,
  };
}

const howItEnded = ({ timedOut, exitCode, signal }: ShellResult, timeoutMs: number): string =>
  timedOut
    ? `was not done after ${timeoutMs} ms`
    : `ended with ${exitCode === null ? signal : `exit code ${exitCode}`}`;
