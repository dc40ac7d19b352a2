/** The target branch: linear, every commit gated, every completed task on it once, every landing that was told of is there. */
import { byPerson, factOf } from "./claims.ts";
import type { History } from "./history.ts";

export function linear({ landings }: History): string[] {
  const commits = landings?.commits ?? [];
  return commits.flatMap(({ hash, parents }, i) => {
    const before = commits[i - 1];
    if (parents.length !== 1) return [`commit ${hash}: ${parents.length} parents`];
    if (before && parents[0] !== before.hash)
      return [`commit ${hash}: its parent is ${parents[0]}, not ${before.hash}`];
    return [];
  });
}

export function gated({ landings }: History): string[] {
  const verdicts = new Map<string, boolean>();
  for (const { tree, green } of landings?.gates ?? []) verdicts.set(tree, green);
  return (landings?.commits ?? []).flatMap(({ hash, tree, subject }) => {
    const green = verdicts.get(tree);
    if (green) return [];
    return [
      `commit ${hash} (${subject}): its tree ${green === undefined ? "never passed the gate" : "was red"}`,
    ];
  });
}

/** Tasks work in worktrees, so the project's own checkout is as the target branch is. */
export const inWorktrees = ({ landings }: History): string[] =>
  (landings?.strays ?? []).map((line) => `the project's own checkout has "${line}"`);

/** Facts, tasks and commits speak of the same landings. */
export function landedOnce({ landings, tasks, events }: History): string[] {
  if (!landings) return [];
  const faults: string[] = [];
  const hashes = new Set(landings.commits.map(({ hash }) => hash));
  for (const event of events) {
    if (event.type !== "task.landed") continue;
    const { task, commit } = factOf(event);
    if (!hashes.has(String(commit))) faults.push(`#${task}: landed as ${commit}, which is not on the target`);
  }
  const byHand = new Set(byPerson({ events }));
  for (const { id, subject, status } of tasks) {
    const commits = landings.commits.filter((commit) => commit.subject === subject);
    if (commits.length > 1) faults.push(`#${id}: landed ${commits.length} times`);
    if (status !== "completed" || byHand.has(id)) continue;
    if (commits.length === 0) faults.push(`#${id}: completed, and no commit of it is on the target`);
    if (landings.odd && !landings.odd.includes(id))
      faults.push(`#${id}: completed, and its file with an odd name is not on the target`);
    if (landings.files[`out/${id}.txt`] !== `green ${id}\n`)
      faults.push(
        `#${id}: out/${id}.txt on the target is ${JSON.stringify(landings.files[`out/${id}.txt`])}`,
      );
  }
  const subjects = new Set(tasks.map(({ subject }) => subject));
  for (const { hash, subject } of landings.commits)
    if (!subjects.has(subject)) faults.push(`commit ${hash}: "${subject}" is the subject of no task`);
  return faults;
}
