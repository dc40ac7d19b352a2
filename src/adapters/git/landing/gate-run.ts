/** One run of the gate on a candidate. Its outcome is recorded with the tree it ran on. */

import { setImmediate } from "node:timers/promises";
import type { Failing } from "../../../core/gate/failing.ts";
import { listed } from "../../../core/text/listed.ts";
import { counted } from "../../../core/views/view.ts";
import type { Candidate } from "../clones/task-branch.ts";
import type { LandingTree } from "./candidate.ts";
import type { DoubtedLanding, LandingInput } from "./landing-job.ts";
import { type Refused, refused } from "./refusal.ts";
import { runGate } from "./run-gate.ts";
import { doubtIn, judgedTwice } from "./second-gate.ts";

export class GateRun {
  /** Resolves when it has ended, in whatever way. */
  readonly ended: Promise<void>;
  verdict: Refused | DoubtedLanding | "green" | null = null;
  /** How it failed. */
  failing: Failing | null = null;
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
    const { task, by, work } = job;
    const { base, commit, tree } = candidate;
    const running = runGate(job, command, "on the merged tree", this.abort.signal);
    // The gate is at work by then: it does not wait for the look.
    const looked = setImmediate().then(() => doubtIn(job, candidate));
    looked.catch(() => {}); // a red gate does not ask for it
    const { failing, said, ms, cases } = await running;
    const gate = {
      branch: work.branch,
      task: task.id,
      base,
      commit,
      tree,
      command,
      green: failing === null,
      ms,
      cases: failing === null ? (cases ?? null) : null,
    };
    await by.landings.gates.record(gate, by.seat.name, failing?.names ?? []);
    this.failing = failing;
    this.verdict =
      failing === null
        ? await judgedTwice(job, worktree, command, candidate, await looked, cases, this.abort.signal)
        : refused("gate", said + (await notesOn(job, candidate)));
  }
}

async function notesOn({ work }: LandingInput, { unseen }: Candidate): Promise<string> {
  const { git, root, onto } = work;
  const left = (await git.inside.changes(root)).map((path) => path.slice(3));
  const changed =
    left.length > 0
      ? `\nIt has changed files of the worktree: ${listed(left)}. What is still there when the task is completed again is committed.`
      : "";
  const others =
    unseen.length > 0
      ? `\nThe work was made before ${counted(unseen.length, "commit")} of ${onto} that it now builds on: ${listed(unseen, 3)}.`
      : "";
  return changed + others;
}
