/** One run of the gate on a candidate. Its outcome is recorded with the tree it ran on. */
import { counted } from "../../../core/views/view.ts";
import type { ShellResult } from "../../../ports/shell.ts";
import { commitIn } from "../clones/bring.ts";
import { listed } from "../clones/preflight.ts";
import type { Candidate } from "../clones/task-branch.ts";
import { bounded } from "../git.ts";
import type { LandingTree } from "./candidate.ts";
import { NotesGone } from "./despite-others.ts";
import type { LandingInput } from "./landing-job.ts";
import { EVIDENCE_MAX, type Refused, refused } from "./refusal.ts";
import { type Doubt, doubtIn, judgedByBase } from "./second-gate.ts";

export class GateRun {
  /** Resolves when it has ended, in whatever way. */
  readonly ended: Promise<void>;
  verdict: Refused | "green" | null = null;
  isRunning = true;
  /** The reason why it could not be run. */
  error: unknown = null;
  private readonly abort = new AbortController();

  constructor(job: LandingInput, tree: LandingTree, command: string, candidate: Candidate) {
    // An abort leaves no verdict.
    this.ended = this.run(job, tree, command, candidate)
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
    job: LandingInput,
    worktree: LandingTree,
    command: string,
    candidate: Candidate,
  ): Promise<void> {
    const { task, by, options, work } = job;
    const { base, commit, tree, unseen } = candidate;
    const { gateTimeoutMs } = options;
    const { git, root, branch, onto } = work;
    const since = Date.now();
    const looked = doubtIn(job, command, candidate);
    looked.catch(() => {}); // a red gate does not ask for it
    const ran = await this.gate(job, command);
    // Somebody removed its folder, or its repository: the command may have run on nothing, or where it was made again on its branch.
    if (commitIn(root, "HEAD") === null) throw new NotesGone(root);
    const green = isGreen(ran);
    const ms = Date.now() - since;
    await by.landings.gates.record({ branch, task: task.id, base, commit, tree, command, green, ms });
    if (green) {
      this.verdict = await this.twice(job, worktree, command, candidate, await looked);
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

  private async gate({ by, options, workspace }: LandingInput, command: string): Promise<ShellResult> {
    return await options.shell.run(command, {
      cwd: workspace,
      signal: AbortSignal.any([by.signal, this.abort.signal]),
      timeoutMs: options.gateTimeoutMs,
    });
  }

  /** The verdict of a green gate, after another run with the judging files of the base where the change has signs of tampering. */
  private async twice(
    job: LandingInput,
    worktree: LandingTree,
    command: string,
    candidate: Candidate,
    { signals, files }: Doubt,
  ): Promise<Refused | "green"> {
    const { by, work, options } = job;
    if (signals.length === 0) return "green";
    if (files.length === 0) {
      await by.onSignals(signals, "none");
      return "green";
    }
    const tree = await judgedByBase(job, candidate, files);
    const ran = await worktree.withFiles(candidate.tip, tree, () => this.gate(job, command));
    const green = isGreen(ran);
    await by.onSignals(signals, green ? "green" : "red");
    if (green) return "green";
    const list = (lines: readonly string[]): string =>
      lines
        .slice(0, 10)
        .map((line) => `\n- ${line}`)
        .join("");
    return refused(
      "gate",
      `\`${command}\` is green with your change, but with the tests and scripts of ${work.onto} your change fails: it ${howItEnded(ran, options.gateTimeoutMs)}. Your change alters what judges it:${list(signals)}\nThese files were taken from ${work.onto}: ${listed(files)}. Make your code pass with them. If the task is meant to change them, say so to the lead: such a task has the line "Judges: yes".\n${bounded(ran.output, EVIDENCE_MAX - 2_500)}`,
    );
  }
}

const isGreen = ({ exitCode, timedOut }: ShellResult): boolean => exitCode === 0 && !timedOut;

const howItEnded = ({ timedOut, exitCode, signal }: ShellResult, timeoutMs: number): string =>
  timedOut
    ? `was not done after ${timeoutMs} ms`
    : `ended with ${exitCode === null ? signal : `exit code ${exitCode}`}`;
