/** What was spent, what may be, and a limit that is reached. */
import type { Step } from "../../core/progress/steps.ts";

/** The usage of one model call. `steps`: its calls with their results. */
export type Used = {
  readonly tokens: number;
  readonly usd: number;
  readonly steps?: readonly Step[];
  readonly text?: string;
};

/** A limit of the team is reached. `goOn`: the words that raise it, before or behind `ekiden resume`. */
export type Over = {
  readonly reason: "budget" | "turns" | "calls" | "progress";
  readonly text: string;
  readonly goOn?: string;
};

export type Limits = {
  readonly usd: number;
  readonly tokens: number;
  /** Infinity: no limit. */
  readonly mostUsd: number;
  readonly mostTokens: number;
};
