/** Notices what somebody outside of the landing queue did to the target branch: commits, and rebases that took commits away. */
import { counted } from "../../../core/views/view.ts";
import { listed } from "../clones/preflight.ts";
import type { Git } from "../git.ts";
import type { LandingLine } from "./landing-line.ts";
import { inTurn, queueIn } from "./queue.ts";
import { TargetTip } from "./target-tip.ts";

type Where = {
  readonly git: Git;
  readonly project: string;
  readonly commonDir: string;
  /** The branch that is watched, in full and as a person types it. */
  readonly ref: string;
  readonly onto: string;
  /** It is on a remote: other machines land there, too, so only lost commits are news. */
  readonly isShared: boolean;
  readonly line: LandingLine;
};

/** `tell` comes before it counts as told: a kill in between tells it twice, not never. */
export async function noticeMoves(where: Where, tell: (text: string) => Promise<void>): Promise<void> {
  const { line, onto, commonDir } = where;
  const tip = new TargetTip(where);
  const seen = line.tipSeen(onto);
  if (seen?.tip === (await tip.read())) return;
  // Under the lock no landing is between its two steps.
  await inTurn(queueIn(commonDir), new AbortController().signal, async () => {
    const now = await tip.read(0);
    const known = line.tipSeen(onto);
    const text = known ? await changeOf(where, known, now) : null;
    if (text) await tell(text);
    line.seeTip(onto, now);
  });
}

async function changeOf(
  { git, project, onto: target, isShared }: Where,
  { tip, next }: { readonly tip: string; readonly next: string },
  now: string,
): Promise<string | null> {
  if (now === tip || now === next) return null;
  // A repository that was made anew in the same folder, or a rewrite that git gc has followed.
  if ((await git.tip(project, tip)) === null)
    return `${target} had the commit ${tip.slice(0, 12)} before, which this repository does not have any more.`;
  const hasNext = await git.isAncestor(project, next, now);
  if (hasNext || (await git.isAncestor(project, tip, now))) {
    if (isShared) return null;
    const added = await subjects({ git, project }, `${hasNext ? next : tip}..${now}`);
    return `${target} has ${counted(added.length, "commit")} that no task has landed: ${listed(added)}. Tasks that land next are put on top of them.`;
  }
  const range = `${now}...${tip}`;
  const gone = await subjects({ git, project }, `${now}..${tip}`);
  const lost = await subjects({ git, project }, "--right-only", "--cherry-pick", range);
  const kept = gone.length - lost.length;
  return [
    `${target} was rewritten by somebody else (a rebase, an amended commit or a reset): ${counted(gone.length, "commit")} of before ${gone.length === 1 ? "is" : "are"} not on it.`,
    ...(kept > 0 ? [`The changes of ${kept} are on it in other commits.`] : []),
    ...(lost.length > 0 ? [`Missing: ${listed(lost)}. git cherry-pick brings them back.`] : []),
  ].join(" ");
}

const subjects = async (
  { git, project }: Pick<Where, "git" | "project">,
  ...range: string[]
): Promise<string[]> =>
  (await git.run(project, "log", "--format=%h %s (%an)", ...range)).split("\n").filter(Boolean);
