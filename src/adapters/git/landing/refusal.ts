/** Reasons why a task does not land. A refusal counts against its task; a disk that git cannot write to does not. */

import type { Obstacle } from "../../../core/board/worktree.ts";
import { toolFailed } from "../../../core/errors.ts";
import { plainText } from "../../../core/text/plain-text.ts";
import { bounded, type Ran } from "../git.ts";

export type Refused = { readonly kind: "refused"; readonly why: Obstacle; readonly evidence: string };

export const EVIDENCE_MAX = 4_000;

export const refused = (why: Obstacle, evidence: string): Refused => ({
  kind: "refused",
  why,
  evidence: bounded(evidence, EVIDENCE_MAX),
});

/** Git says so when the disk is full, over its quota, read-only or broken. It does not give the reason for each file. */
const CANNOT_WRITE =
  /\b(?:unable to write|failed to write|write error|No space left|quota exceeded|disk quota|read-only file system|i\/o error|Input\/output error)\b/i;

/** The cause where the disk is at fault, and what to do then; "" for other faults. */
export const diskFault = (said: string, then: string): string =>
  CANNOT_WRITE.test(said)
    ? `\nGit was unable to write to the disk. See which disk is full or read-only (df), then ${then}.`
    : "";

/** Of git or of its hook, which often prints in colours. */
const wordsOf = ({ out, err, code }: Ran): string =>
  plainText(`${err}\n${out}`).trim() ||
  `it ended with exit code ${code} and printed nothing, so a hook (such as pre-commit or commit-msg) has refused it without a word. Run the hook in the worktree to see why`;

/** A step of git that failed. @throws EkidenError `tool_failed` when git could not write: no change of the branch mends that */
export function refusedByGit(step: string, ran: Ran): Refused {
  // On the line of the step: many views show one line.
  const said = `${step}: ${bounded(wordsOf(ran), EVIDENCE_MAX)}`;
  const then = "complete_task again. This does not count as a refusal, and nothing is lost";
  const fault = diskFault(ran.err, then);
  if (fault === "") return refused("branch", said);
  throw toolFailed(said + fault);
}
