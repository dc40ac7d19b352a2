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

/** A file that is not as it was before the check. `isShared`: a command of somebody else ran meanwhile, too, and may have changed it. */
export type TouchedFile = { readonly path: string; readonly isGone: boolean; readonly isShared: boolean };

/** `said`: its output with how it ended, or the reason why it could not run. `ms`: how long it took. */
export type Checked = {
  readonly command: string;
  readonly outcome: CheckOutcome;
  readonly said: string;
  readonly ms: number;
  readonly touched: readonly TouchedFile[];
  /** The bytes that it printed. */
  readonly printed: number;
  /** The processes that it left running. They were ended. */
  readonly left: number;
};

const SAID_MAX = 4_000;
const FILES_SHOWN = 8;
const MUCH = 1_000_000;
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
  const output = headAndTail(said, SAID_MAX, "run it to see the rest");
  return [`\`${command}\` ${how}:`, ...(outcome === "green" ? [] : [output]), ...checkNotes(checked)].join(
    "\n",
  );
}

/** The files that the check has changed, without those that somebody else may have changed. */
export const changedBy = ({ touched }: Checked): string[] =>
  touched.flatMap(({ path, isShared }) => (isShared ? [] : path));

export const removedBy = ({ touched }: Pick<Checked, "touched">): string[] =>
  touched.flatMap(({ path, isGone, isShared }) => (isGone && !isShared ? path : []));

/** What it removes may be the work itself, so nothing is completed after it. */
export const doesHarm = (checked: Pick<Checked, "touched">): boolean => removedBy(checked).length > 0;

/** What a check does beside its judgement, a line each that says what to do about it. */
export function checkNotes({ command, outcome, said, touched, printed, left }: Checked): string[] {
  const check = `The check \`${command}\``;
  const files = (of: (file: TouchedFile) => boolean): string =>
    listed(
      touched.filter(of).map(({ path }) => path),
      FILES_SHOWN,
    );
  const removed = files(({ isGone, isShared }) => isGone && !isShared);
  const changed = files(({ isGone, isShared }) => !isGone && !isShared);
  const unsure = files(({ isShared }) => isShared);
  return [
    removed &&
      `${check} removed files: ${removed}. Put them back. It needs a check that removes nothing: ask the lead.`,
    changed && `${check} changed files: ${changed}.`,
    unsure &&
      `${check} ran beside commands of others, and files changed: ${unsure}. Look whether it changed them.`,
    left > 0 &&
      `${check} left ${left === 1 ? "a process" : `${left} processes`} running, which ${left === 1 ? "was" : "were"} ended. Let it stop what it starts.`,
    printed > MUCH &&
      `${check} printed ${Math.round(printed / MUCH)} MB, and only its ends are kept. Let it print less.`,
    outcome !== "green" &&
      ASKS.test(said) &&
      `${check} asks somebody, and has no terminal and no input. Let it ask nothing.`,
  ].flatMap((note) => note || []);
}
