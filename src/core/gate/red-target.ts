/**
 * The verdict about a base: whether the gate fails on the target itself. A candidate that fails as its base does is not at fault, so it waits. Pure.
 */

import { markedLines } from "../text/marked-lines.ts";

export type BaseVerdict = "green" | "red" | "flaky";

/** What the setting `redBase` says: a task repairs it, the person is told, or every red candidate counts. */
export const RED_BASE = ["repair", "tell", "ignore"] as const;
export type RedBase = (typeof RED_BASE)[number];

export type RedTarget = {
  readonly target: string;
  readonly commit: string;
  /** Of the commit. */
  readonly author: string;
  readonly authoredAt: number;
  readonly names: readonly string[];
};

const clock = (at: number): string =>
  new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

/** "main is red since 1a2b3c4 (by ann, 12:04): 3 tests fail without any task." */
export function redWords({ target, commit, author, authoredAt, names }: RedTarget): string {
  const failing =
    names.length === 0
      ? "the gate fails"
      : names.length === 1
        ? "1 test fails"
        : `${names.length} tests fail`;
  return `${target} is red since ${commit.slice(0, 7)} (by ${author}, ${clock(authoredAt)}): ${failing} without any task.`;
}

/** The task that repairs it. `said`: the words of the gate. */
export const repairTask = (
  red: RedTarget,
  said: string,
): { readonly subject: string; readonly description: string; readonly priority: number } => ({
  subject: `Repair ${red.target}: the gate is red at ${red.commit.slice(0, 12)}`,
  description: `${redWords(red)} The landings of the other tasks wait for you. Find the cause, repair it, and complete this task: it lands first.\n\n${markedLines(said)}`,
  priority: 1_000_000,
});
