/**
 * Brings a branch to its target: uncommitted changes are committed, the branch waits in line, its commits are put on the target
 * and on those ahead in the line, the gate runs on the result, and exactly the commit that the gate has seen becomes the target.
 * If any step fails, the branch keeps every commit it had.
 */
import { LandingTree } from "./candidate.ts";
import type { Landed, LandingInput } from "./landing-job.ts";
import { LandingLine, type Place } from "./landing-line.ts";
import { LandingRun, POLL_MS } from "./landing-run.ts";
import { listed } from "./preflight.ts";
import { protectedFault } from "./protected-changes.ts";
import { refused } from "./refusal.ts";
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
  const proposed = job.proposal?.proposed ?? null;
  if (proposed !== null && proposed === (await work.git.run(work.root, "rev-parse", "HEAD")))
    return { kind: "proposed", commit: proposed, said: "It was proposed before." };
  const changes = await tree.changes();
  if (changes.kind === "refused") return changes;
  const { paths: all, inner } = changes;
  if (all.length === 0 && (await tree.ahead()) === 0) {
    line.obeyed(work.branch);
    await by.reservations.forget(work.branch);
    return { kind: "nothing" };
  }
  if (inner.length > 0)
    return refused(
      "branch",
      `${listed(inner)}: a git repository of its own inside the worktree. None of its files would land, only the number of a commit that nobody else has. Delete its .git folder and run: git rm -r --cached ${inner[0]}. Or have git ignore it, or make it a submodule.`,
    );
  const closed = protectedFault(job, all);
  if (closed !== null) return refused("branch", closed);
  const paths = all.length > PATHS_MAX ? null : all;
  place.update({ paths, isReady: true, number: line.nextNumber() });
  return await new LandingRun(job, tree, line, place, paths).run();
}
