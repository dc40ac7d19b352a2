/**
 * The check of a task: the command of its line "Check: `…`", which proves that it is done. It runs before the first change of an attempt
 * and at the completion. Pure.
 */

import type { TaskId } from "../ids.ts";
import { markedLines } from "../text/marked-lines.ts";
import { headAndTail } from "../text/valid.ts";
import { type CheckDid, MUCH, rowsOf } from "./check-did.ts";

/** late: it was ended at its limit. none: it could not run, such as for want of a permission. */
export type CheckOutcome = "green" | "red" | "late" | "none";
/** Who may refuse a completion, other than a landing. */
export type Refuser = "hook" | "check" | "review";

/**
 * A file that is not as it was before the check. `isShared`: a command of somebody else ran meanwhile, too, and may have changed it.
 * `isIgnored`: git ignores it, so no record has it. A folder of such files ends with a slash.
 */
export type TouchedFile = {
  readonly path: string;
  readonly isGone: boolean;
  readonly isShared: boolean;
  readonly isIgnored?: boolean;
};

/** `said`: its output with how it ended, or the reason why it could not run. `ms`: how long it took. */
export type Checked = {
  readonly command: string;
  readonly outcome: CheckOutcome;
  readonly said: string;
  readonly ms: number;
  readonly did: CheckDid;
};

const SAID_MAX = 4_000;
/** What programs print that find neither a terminal nor input. */
const ASKS = /\/dev\/tty\b|\bEOF when reading\b|\bnot a (?:tty|terminal)\b|Inappropriate ioctl/i;

/** A note behind the first result after a claim; "" for none. `laterMs`: the limit at the completion. */
export function claimNote(id: TaskId, checked: Checked, laterMs: number): string {
  const { command, outcome, ms } = checked;
  const words = {
    green: `The check of #${id}, \`${command}\`, is green before any change. The work may be done already: look at that first, and change nothing that needs no change.`,
    late: `The check of #${id}, \`${command}\`, was ended after ${Math.round(ms / 1_000)} s. It runs again when you complete the task, for ${Math.round(laterMs / 1_000)} s at most.`,
    ...{ red: "", none: "" },
  }[outcome];
  const notes = [words, ...checkNotes(checked)].filter(Boolean).join("\n");
  return notes === "" ? "" : `[${notes}]`;
}

/** The evidence of a refusal. */
export function refusedByCheck(checked: Checked): string {
  const { command, outcome, said } = checked;
  const how = outcome === "late" ? "was ended at its limit" : outcome === "green" ? "does harm" : "fails";
  return [`\`${command}\` ${how}:`, ...(outcome === "green" ? [] : [said]), ...checkNotes(checked)].join(
    "\n",
  );
}

/** The output of a check, each line marked, so that it says nothing in the name of the program. Cut first: a cut begins inside a line. */
export const quotedOutput = (output: string): string =>
  markedLines(headAndTail(output, SAID_MAX, "run it to see the rest"));

export function didOf(
  touched: readonly TouchedFile[],
  { printed, left, said, outcome }: Pick<Checked, "said" | "outcome"> & { printed: number; left: number },
): CheckDid {
  const own = touched.filter(({ isShared, isIgnored }) => !isShared && !isIgnored);
  const did = {
    changed: pathsOf(own),
    removed: pathsOf(own.filter(({ isGone }) => isGone)),
    ignored: pathsOf(touched.filter(({ isShared, isIgnored }) => !isShared && isIgnored)),
    beside: pathsOf(touched.filter(({ isShared }) => isShared)),
    left: left || undefined,
    printed: printed > MUCH ? printed : undefined,
    asks: (outcome === "red" || outcome === "late") && ASKS.test(said) ? (true as const) : undefined,
  };
  return Object.fromEntries(Object.entries(did).filter(([, one]) => one !== undefined));
}

const pathsOf = (files: readonly TouchedFile[]): string[] | undefined =>
  files.length > 0 ? files.map(({ path }) => path) : undefined;

/** What a check did beside its judgement, a line each for its owner. */
export const checkNotes = ({ command, did }: Checked): string[] =>
  rowsOf(did).map(([, what, advice = ""]) => `The check \`${command}\` ${what}.${advice}`);
