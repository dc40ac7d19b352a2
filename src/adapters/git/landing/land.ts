/**
 * Brings a branch to its target: uncommitted changes are committed, the branch waits in line, its commits are put on the target
 * and on those ahead in the line, the gate runs on the result, and exactly the commit that the gate has seen becomes the target.
 * If any step fails, the branch keeps every commit it had.
 */
import { LandingTree } from "./candidate.ts";
import type { Landed, LandingInput } from "./landing-job.ts";
import { LandingLine, type Place } from "./landing-line.ts";
import { LandingRun, POLL_MS } from "./landing-run.ts";
import { TargetTip } from "./target-tip.ts";

const PATHS_MAX = 1_000;

export async function landBranch(job: LandingInput): Promise<Landed> {
  const { task, by, options, work } = job;
  const line = new LandingLine(work.commonDir);
  const place = line.join({
    ...{ branch: work.branch, target: work.target, team: options.team, task: task.id, by: by.name },
    ...{ subject: task.subject, since: Date.now(), isReady: false, paths: null },
    ...{ state: "waiting", base: null, commit: null, gateSince: null, why: null },
  });
  try {
    // A former owner may not know yet that it is not the owner.
    while (line.isTwice(place)) {
      by.signal.throwIfAborted();
      await new Promise((later) => setTimeout(later, POLL_MS));
    }
    return await land(job, line, place);
  } finally {
    place.leave();
  }
}

async function land(job: LandingInput, line: LandingLine, place: Place): Promise<Landed> {
  const { work, by } = job;
  await new TargetTip({ ...work, project: job.options.project }).read(); // a target that is gone has a message of its own
  const tree = await LandingTree.open(job);
  const fault = await tree.commitAll();
  if (fault) return fault;
  const head = await tree.head();
  if (job.proposal?.proposed === head)
    return { kind: "proposed", commit: head, said: "It was proposed before." };
  const all = await tree.check(work.ref, head);
  if ("kind" in all) return all;
  if (all.length === 0 && (await tree.ahead(head)) === 0) {
    line.obeyed(work.branch);
    await by.reservations.forget(work.branch);
    return { kind: "nothing" };
  }
  const paths = all.length > PATHS_MAX ? null : all;
  place.update({ paths, isReady: true, number: line.nextNumber() });
  return await new LandingRun(job, tree, line, place, paths).run();
}
