/** The order that a lane gives to the process of a test file, and the lines by which it answers. Both are files. */

export type Order = {
  /** The faults to judge, the ones to judge again first. */
  readonly faults: readonly number[];
  /** The fault that is on before the first import, to judge a fault outside of all functions; null to judge `faults`. */
  readonly always: number | null;
  /** The milliseconds of tests that may still be spent on each of `faults`. */
  readonly left: Readonly<Record<number, number>>;
  /** The file that gets the lines. */
  readonly report: string;
};

export type Line =
  /** The file passes without a fault, how long it takes, and the faults whose switch it passes. */
  | { readonly at: "passed"; readonly ms: number; readonly passes: readonly number[] }
  /** The file fails without a fault, or fails when its tests run twice in one process. */
  | { readonly at: "unusable"; readonly why: string }
  /** Faults that are passed only while the source is imported. */
  | { readonly at: "imported"; readonly faults: readonly number[] }
  | { readonly at: "begin"; readonly fault: number }
  | { readonly at: "end"; readonly fault: number; readonly verdict: Seen; readonly ms: number };

/**
 * `timed out`: the fault looped until its switch ended it. After the other two the process is not used again: `late`: a test did not
 * end in time; `dirty`: the tests failed with the fault, and then without it.
 */
export type Seen = "killed" | "timed out" | "alive" | "late" | "dirty";

/** The switch: whether the fault of this number is on. Processes that a test starts do not have it, so it is called by `?.`. */
export const SWITCH = "globalThis.__ekidenFault";
/** The variable that names the file of the order. */
export const ORDER = "EKIDEN_MUTANTS_ORDER";
