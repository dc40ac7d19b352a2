/** The outcome of a team: its runs and what they have changed, and a comment on a line of that. */
import type { LeakShown } from "./leak.ts";

/** On a line or a range of lines of the outcome's diff. */
export type ReviewComment = {
  readonly path: string;
  readonly line: number;
  /** The last line of a range that begins with `line`. */
  readonly until?: number;
  /** The lines are gone: their numbers are those of the file as it was. */
  readonly removed?: boolean;
  readonly excerpt: string;
  readonly text: string;
};
export type Outcome = {
  readonly runs: number;
  readonly began: number | null;
  /** Null while the last run continues. */
  readonly ended: number | null;
  /** The last sign of its members. */
  readonly worked: number | null;
  readonly reason: string;
  /** Spent in these runs. */
  readonly usd: number;
  readonly tokens: number;
  /** The first words of what completed tasks have come to, by task. */
  readonly results: Readonly<Record<string, string>>;
  /** The files that tasks changed beside those that they name, by task. */
  readonly beside: Readonly<Record<string, readonly string[]>>;
  /** The last text of the lead. */
  readonly words: string;
  /** The changes of the folder since `began`, by anybody; null outside of a repository. */
  readonly diff: string | null;
  readonly cut: boolean;
  /** The tasks that changed a file, the latest last. */
  readonly tasks: Readonly<Record<string, readonly number[]>>;
  /** How much the gate let through when it was measured last. Recordings have none. */
  readonly leak?: LeakShown | null;
};
