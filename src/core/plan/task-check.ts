/**
 * The check of a task: the command of its line "Check: `…`", which proves that it is done. It runs before the first change of an attempt
 * and at the completion. Pure.
 */

import type { TaskId } from "../ids.ts";
import { listed } from "../text/listed.ts";
import { headAndTail } from "../text/valid.ts";

/** late: it was ended at its limit. none: it could not run, such as for want of a permission. */
export type CheckOutcome = "green" | "red" | "late" | "none";
/** Who may refuse a completion, other than a landing. */
export type Refuser = "hook" | "check" | "review";

/** `said`: its output with how it ended, or the reason why it could not run. `ms`: how long it took. */
export type Checked = {
  readonly command: string;
  readonly outcome: CheckOutcome;
  readonly said: string;
  readonly ms: number;
  /** The files of the task that the command changed. */
  readonly changed: readonly string[];
};

const SAID_MAX = 4_000;
const FILES_SHOWN = 8;

/** The note behind the first result after a claim; "" for none. */
export const claimNote = (id: TaskId, { command, outcome }: Checked): string =>
  outcome === "green"
    ? `[The check of #${id}, \`${command}\`, is green before any change. The work may be done already: look at that first, and change nothing that needs no change.]`
    : "";

/** The evidence of a refusal. */
export function refusedByCheck({ command, outcome, said }: Checked): string {
  const how = outcome === "late" ? "was ended at its limit" : "fails";
  return `\`${command}\` ${how}:\n${headAndTail(said, SAID_MAX, "run it to see the rest")}`;
}

/** A sentence for the owner about files that the check itself changed; "" for none. */
export function changedNote({ command, changed }: Checked): string {
  if (changed.length === 0) return "";
  return `The check \`${command}\` changed files: ${listed(changed, FILES_SHOWN)}.`;
}

/** The files whose parts of a `git diff` differ. */
export function changedBetween(before: string, after: string): string[] {
  const [old, now] = [partsOf(before), partsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((file) => old.get(file) !== now.get(file));
}

function partsOf(diff: string): Map<string, string> {
  const parts = diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
  return new Map(parts.map((part) => [/ "?b\/(.*?)"?$/.exec(part.split("\n", 1)[0] ?? "")?.[1] ?? "", part]));
}
