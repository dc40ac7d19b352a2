/** One run of the gate on a candidate. Its outcome is recorded with the tree it ran on. */
import { counted } from "../../../core/views/view.ts";
import type { ShellResult } from "../../../ports/shell.ts";
import { commitIn } from "../clones/bring.ts";
import { listed } from "../clones/preflight.ts";
import type { Candidate } from "../clones/task-branch.ts";
import { bounded } from "../git.ts";
import { NotesGone } from "./despite-others.ts";
import type { LandingInput } from "./landing-job.ts";
import { EVIDENCE_MAX, type Refused, refused } from "./refusal.ts";

export class GateRun {
  /** Resolves when it has ended, in whatever way. */
  readonly ended: Promise<void>;
  verdict: Refused | "green" | null = null;
  isRunning = true;
  /** The reason why it could not be run. */
  error: unknown = null;
  private readonly abort = new AbortController();

  constructor(job: LandingInput, command: string, candidate: Candidate) {
    // An abort leaves no verdict.
    this.ended = this.run(job, command, candidate)
      .catch((error: unknown) => {
        if (!this.abort.signal.aborted) this.error = error;
      })
      .finally(() => {
        this.isRunning = false;
      });
  }

  async stop(): Promise<void> {
    this.abort.abort(new Error("The gate is not needed any more."));
    await this.ended;
  }

  private async run(
    { task, by, options, work, workspace }: LandingInput,
    command: string,
    { base, commit, tree, unseen }: Candidate,
  ): Promise<void> {
    const { gateTimeoutMs } = options;
    const { git, root, branch, onto } = work;
    const since = Date.now();
    const ran = await options.shell.run(command, {
      cwd: workspace,
      signal: AbortSignal.any([by.signal, this.abort.signal]),
      timeoutMs: gateTimeoutMs,
    });
    // Somebody removed its folder, or its repository: the command may have run on nothing, or where it was made again on its branch.
    if (commitIn(root, "HEAD") === null) throw new NotesGone(root);
    const green = ran.exitCode === 0 && !ran.timedOut;
    const ms = Date.now() - since;
    await by.landings.gates.record({ branch, task: task.id, base, commit, tree, command, green, ms });
    if (green) {
      this.verdict = "green";
      return;
    }
    const left = (await git.inside.changes(root)).map((path) => path.slice(3));
    const changed =
      left.length > 0
        ? `\nIt has changed files of the worktree: ${listed(left)}. What is still there when the task is completed again is committed.`
        : "";
    const others =
      unseen.length > 0
        ? `\nThe work was made before ${counted(unseen.length, "commit")} of ${onto} that it now builds on: ${listed(unseen, 3)}.`
        : "";
    const head = `\`${command}\` ${howItEnded(ran, gateTimeoutMs)} on the merged tree`;
    const output =
      ran.output.trim() === "" ? " and printed nothing." : `:\n${bounded(ran.output, EVIDENCE_MAX - 1_500)}`;
    const aside = [ran.limit, ran.setAside].map((note) => (note === null ? "" : `\n${note}`)).join("");
    this.verdict = refused("gate", `${head}${output}${aside}${changed}${others}`);
  }
}

const howItEnded = ({ timedOut, exitCode, signal }: ShellResult, timeoutMs: number): string =>
  timedOut
    ? `was not done after ${timeoutMs} ms`
    : `ended with ${exitCode === null ? signal : `exit code ${exitCode}`}`;
