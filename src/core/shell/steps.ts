/** The order in which the commands of a line run, as far as it matters for the folder that each runs in. */

export type Step =
  /** `at`: its place among the commands of the line. */
  | { readonly kind: "run"; readonly at: number }
  /** `a && b || c`: an operator between two neighbours. */
  | { readonly kind: "list"; readonly parts: readonly Steps[]; readonly operators: readonly string[] }
  /** A process of its own: a subshell, a part of a pipeline, a substitution, a background job. */
  | { readonly kind: "apart"; readonly steps: Steps }
  | {
      readonly kind: "if";
      readonly clauses: readonly (readonly [condition: Steps, then: Steps])[];
      readonly last: Steps;
    }
  /** Any of them, or none. One may go on in the next. */
  | { readonly kind: "choice"; readonly branches: readonly Steps[] }
  /** `until`: the condition ends it where it succeeds. An empty condition may end it before each round. */
  | { readonly kind: "loop"; readonly condition: Steps; readonly until: boolean; readonly body: Steps }
  /** Whether it has succeeded is not known behind it. */
  | { readonly kind: "not"; readonly steps: Steps }
  /** The body of a function: nobody knows when it runs. */
  | { readonly kind: "later"; readonly steps: Steps };

/** One after the other. */
export type Steps = readonly Step[];
