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

/** What a check did beside its judgement, as its fact has it: what is not there did not happen. */
export type CheckDid = {
  /** Files that are not as they were, also those that are gone. */
  readonly changed?: readonly string[] | undefined;
  readonly removed?: readonly string[] | undefined;
  /** The same, where a command of somebody else ran meanwhile and may have changed them. */
  readonly beside?: readonly string[] | undefined;
  /** The processes that it left running. They were ended. */
  readonly left?: number | undefined;
  /** The bytes that it printed, where these are many. */
  readonly printed?: number | undefined;
  /** It wanted a terminal or input. */
  readonly asks?: true | undefined;
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

export function didOf(
  touched: readonly TouchedFile[],
  { printed, left, said, outcome }: Pick<Checked, "said" | "outcome"> & { printed: number; left: number },
): CheckDid {
  const own = touched.filter(({ isShared }) => !isShared);
  const did = {
    changed: pathsOf(own),
    removed: pathsOf(own.filter(({ isGone }) => isGone)),
    beside: pathsOf(touched.filter(({ isShared }) => isShared)),
    left: left || undefined,
    printed: printed > MUCH ? printed : undefined,
    asks: (outcome === "red" || outcome === "late") && ASKS.test(said) ? (true as const) : undefined,
  };
  return Object.fromEntries(Object.entries(did).filter(([, one]) => one !== undefined));
}

const pathsOf = (files: readonly TouchedFile[]): string[] | undefined =>
  files.length > 0 ? files.map(({ path }) => path) : undefined;

/** What it removes may be the work itself, so nothing is completed after it. */
export const doesHarm = ({ removed = [] }: CheckDid): boolean => removed.length > 0;

/** What it did, and what its owner is to do about that. */
function rowsOf({ changed = [], removed = [], beside = [], left = 0, printed = 0, asks }: CheckDid) {
  const files = (paths: readonly string[]): string => listed(paths, FILES_SHOWN);
  const only = changed.filter((path) => !removed.includes(path));
  const them = left === 1 ? "a process running, which was" : `${left} processes running, which were`;
  const rows: readonly (readonly [did: unknown, what: string, advice?: string])[] = [
    [
      removed[0],
      `removed files: ${files(removed)}`,
      " Put them back. It needs a check that removes nothing: ask the lead.",
    ],
    [only[0], `changed files: ${files(only)}`],
    [
      beside[0],
      `ran beside commands of others, and files changed: ${files(beside)}`,
      " Look whether it changed them.",
    ],
    [left, `left ${them} ended`, " Let it stop what it starts."],
    [printed, `printed ${Math.round(printed / MUCH)} MB, and only its ends are kept`, " Let it print less."],
    [asks, "asks somebody, and has no terminal and no input", " Let it ask nothing."],
  ];
  return rows.filter(([did]) => did);
}

/** What a check did beside its judgement, a line each for its owner. */
export const checkNotes = ({ command, did }: Checked): string[] =>
  rowsOf(did).map(([, what, advice = ""]) => `The check \`${command}\` ${what}.${advice}`);

/** The same for others, behind what it is about. "" where it did nothing else. */
export const didWords = (did: CheckDid): string =>
  rowsOf(did)
    .map(([, what]) => `; it ${what}`)
    .join("");
