/**
 * Judges the base of a red candidate: whether the gate fails there, too. It runs in the clone of the task, where everything that the gate
 * needs is set up, and once for all landings of the store on this base.
 */
import { createHash } from "node:crypto";
import { repairTask } from "../../../core/gate/red-target.ts";
import type { BaseRecord } from "../../../ports/landings.ts";
import type { Candidate } from "../clones/task-branch.ts";
import type { LandingTree } from "./candidate.ts";
import type { LandingInput } from "./landing-job.ts";
import { runGate } from "./run-gate.ts";

/** Names a gate: hosts of another kind may judge otherwise. */
const hashOf = (command: string): string =>
  createHash("sha256")
    .update([process.platform, process.arch, command].join("\n"))
    .digest("hex")
    .slice(0, 16);

/** Null: it is green, or it cannot be told. The candidate is in the clone again then. */
export async function judgeBase(
  job: LandingInput,
  tree: LandingTree,
  { base, tip }: Candidate,
  signal: AbortSignal,
): Promise<BaseRecord | null> {
  const { by, work, options } = job;
  const { gate: command = "", redBase } = options;
  const gate = hashOf(command);
  const known = await by.landings.bases.find(base, gate);
  if (known) return known;
  // What has landed was green.
  if ((await by.landings.gates.green([base])).some((one) => one.command === command)) return null;
  if (!(await tree.show(base))) return null;
  try {
    const first = await runGate(job, command, `on ${work.onto}, without any task`, signal);
    const isFlaky = first.failing !== null && (await runGate(job, command, "", signal)).failing === null;
    const about = await work.git.run(options.project, "log", "-1", "--format=%ct %an", base);
    const [seconds = "0", ...author] = about.trim().split(" ");
    const red = {
      ...{ target: work.onto, commit: base, author: author.join(" "), authoredAt: Number(seconds) * 1_000 },
      names: first.failing?.names ?? [],
    };
    const verdict = first.failing === null ? "green" : isFlaky ? "flaky" : "red";
    const failing = first.failing ?? { exit: "", names: [], lines: [] };
    const repair = verdict === "red" && redBase?.() === "repair" ? repairTask(red, first.said) : null;
    const judged = { ...red, gate, verdict, ms: first.ms, failing } as const;
    return await by.landings.bases.judged(by.seat.name, command, judged, repair);
  } finally {
    await tree.show(tip);
  }
}
