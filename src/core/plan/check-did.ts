/** What a check did beside its judgement: a fact, which every face says in the same words. Pure. */
import { listed } from "../text/listed.ts";

/** What is not there did not happen. */
export type CheckDid = {
  /** Files that are not as they were, also those that are gone. */
  readonly changed?: readonly string[] | undefined;
  readonly removed?: readonly string[] | undefined;
  /** Files and folders that git ignores and that are gone. */
  readonly ignored?: readonly string[] | undefined;
  /** The same, where a command of somebody else ran meanwhile and may have changed them. */
  readonly beside?: readonly string[] | undefined;
  /** The processes that it left running. They were ended. */
  readonly left?: number | undefined;
  /** The bytes that it printed, where these are many. */
  readonly printed?: number | undefined;
  /** It wanted a terminal or input. */
  readonly asks?: true | undefined;
};

const FILES_SHOWN = 8;
/** Bytes. */
export const MUCH = 1_000_000;

/** What it removes may be the work itself, so nothing is completed after it. */
export const doesHarm = ({ removed = [] }: CheckDid): boolean => removed.length > 0;

/** What it did, and what its owner is to do about that. */
export function rowsOf({
  changed = [],
  removed = [],
  ignored = [],
  beside = [],
  left = 0,
  printed = 0,
  asks,
}: CheckDid) {
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
      ignored[0],
      `removed what git ignores: ${files(ignored)}`,
      " No undo brings it back. Make it again if the work needs it.",
    ],
    [
      beside[0],
      `ran beside commands of others, and files changed: ${files(beside)}`,
      " Check whether it changed them.",
    ],
    [left, `left ${them} ended`, " Let it stop what it starts."],
    [printed, `printed ${Math.round(printed / MUCH)} MB, and only its ends are kept`, " Let it print less."],
    [asks, "seems to ask for input, by its output, and has no terminal", " Make it run without questions."],
  ];
  return rows.filter(([did]) => did);
}

/** The same for others, behind what it is about. "" where it did nothing else. */
export const didWords = (did: CheckDid): string =>
  rowsOf(did)
    .map(([, what]) => `; it ${what}`)
    .join("");
