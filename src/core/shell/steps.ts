/** The order in which the commands of a line run, as far as it matters for the folder that each runs in. */

export type Step =
  /** `at`: its place among the commands of the line. */
  | { readonly kind: "run"; readonly at: number }
  /** `a && b || c`: an operator between two neighbours. */
  | { readonly kind: "list"; readonly parts: readonly Steps[]; readonly operators: readonly string[] }
  /** A process of its own: a subshell, a part of a pipeline, a substitution, a background job. */
  | { readonly kind: "apart"; readonly steps: Steps }
  /** Some of them run: a condition, a choice. `again`: any number of times. */
  | { readonly kind: "maybe"; readonly steps: Steps; readonly again: boolean }
  /** The body of a function: nobody knows when it runs. */
  | { readonly kind: "later"; readonly steps: Steps };

/** One after the other. */
export type Steps = readonly Step[];
