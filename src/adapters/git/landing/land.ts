/**
 * Brings a branch to its target: uncommitted changes are committed, the branch waits in line, its commits are put on the target
 * and on those ahead in the line, the gate runs on the result, and exactly the commit that the gate has seen becomes the target.
 * If any step fails, the branch keeps every commit it had.
 */
import { LandingTree } from "./candidate.ts";
import type { Landed, LandingInput } from "./landing-job.ts";
import { LandingLine } from "./landing-line.ts";
import { LandingRun } from "./landing-run.ts";
import { TargetTip } from "./target-tip.ts";

/** It will come to the line again. */
const OPEN: ReadonlySet<Landed["kind"]> = new Set(["held", "doubted"]);
const PATHS_MAX = 1_000;

export async function landBranch(job: LandingInput): Promise<Landed> {
  const { by, work } = job;
  const line = await LandingLine.join(job);
  let done: Landed | null = null;
  try {
    for (; line.isTwice(await line.read()); await line.changed()) by.signal.throwIfAborted();
    done = await land(job, line);
    const isOpen = done.kind === "refused" ? done.why !== "dropped" : OPEN.has(done.kind);
    if (!isOpen) await by.landings.forget(work.branch);
    return done;
  } finally {
    await line.leave(done !== null);
  }
}

async function land(job: LandingInput, line: LandingLine): Promise<Landed> {
  const { work } = job;
  const target = await new TargetTip({ ...work, project: job.options.project }).read(); // a target that is gone has a message of its own
  const tree = await LandingTree.open(job);
  const fault = await tree.commitAll();
  if (fault) return fault;
  const head = await tree.head();
  if (job.proposal?.proposed === head)
    return {
      ...{ kind: "proposed", commit: head, said: "It was proposed before." },
      branch: job.proposal.request ?? work.branch,
    };
  const all = await tree.check(target, head);
  if ("kind" in all) return all;
  if (all.length === 0 && (await tree.ahead(head)) === 0) return { kind: "nothing" };
  const paths = all.length > PATHS_MAX ? null : all;
  await line.update({ paths, isReady: true });
  return await new LandingRun(job, tree, line, paths).run();
}
