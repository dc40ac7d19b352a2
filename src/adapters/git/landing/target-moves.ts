/** Notices what somebody outside of the landing queue did to the target branch: commits, and rebases that took commits away. */

import { join } from "node:path";
import { listed } from "../../../core/text/listed.ts";
import { counted } from "../../../core/views/view.ts";
import { jsonIn, replaceOwnFile } from "../../small-files.ts";
import { ownStateOf } from "../clones/own-state.ts";
import type { Git } from "../git.ts";
import { inTurn } from "./in-turn.ts";
import { TargetTip } from "./target-tip.ts";

/** The tip of a target that was last seen, and the one that a landing moves it to. */
type Seen = { readonly tip: string; readonly next: string };

type Where = {
  readonly git: Git;
  readonly project: string;
  readonly commonDir: string;
  /** The branch that is watched, in full and as a person types it. */
  readonly ref: string;
  readonly onto: string;
  /** It is on a remote: other machines land there, too, so only lost commits are news. */
  readonly isShared: boolean;
};

/** In a file, because it is about the branch of this clone. */
const noteOf = ({ commonDir, onto }: Pick<Where, "commonDir" | "onto">): string =>
  join(ownStateOf(commonDir), "landings", "tips", `${encodeURIComponent(onto)}.json`);

/** A landing is about to move the target, so that this is no news. */
export function willMove(where: Pick<Where, "commonDir" | "onto">, tip: string, next: string): void {
  replaceOwnFile(noteOf(where), JSON.stringify({ tip, next } satisfies Seen));
}

/** `tell` comes before it counts as told: a kill in between tells it twice, not never. */
export async function noticeMoves(where: Where, tell: (text: string) => Promise<void>): Promise<void> {
  const note = noteOf(where);
  const tip = new TargetTip(where);
  const seen = (): Seen | null => jsonIn<Seen>(note);
  if ((await tip.read()) === seen()?.tip) return;
  await inTurn(where.commonDir, async () => {
    const known = seen();
    const now = await tip.read(0);
    if (now === known?.tip) return;
    const text = known && now !== known.next ? await changeOf(where, known, now) : null;
    if (text) await tell(text);
    // Another process may have begun a landing since.
    const then = seen();
    if (then?.tip === known?.tip && then?.next === known?.next)
      replaceOwnFile(note, JSON.stringify({ tip: now, next: now } satisfies Seen));
  });
}

async function changeOf(
  { git, project, onto: target, isShared }: Where,
  { tip, next }: Seen,
  now: string,
): Promise<string | null> {
  // A repository that was made again in the same folder, or a rewrite that git gc has followed.
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
    `${target} was rewritten by somebody else (a rebase, an amended commit or a reset): ${counted(gone.length, "earlier commit")} ${gone.length === 1 ? "is" : "are"} not on it.`,
    ...(kept > 0 ? [`The changes of ${kept} are on it in other commits.`] : []),
    ...(lost.length > 0 ? [`Missing: ${listed(lost)}. git cherry-pick brings them back.`] : []),
  ].join(" ");
}

const subjects = async (
  { git, project }: Pick<Where, "git" | "project">,
  ...range: string[]
): Promise<string[]> =>
  (await git.run(project, "log", "--format=%h %s (%an)", ...range)).split("\n").filter(Boolean);
