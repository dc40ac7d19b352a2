/** What may be open over the page. */

/** `at`: as `ekiden fork --at` takes it. `words`: the point for the person. */
export type ForkPlace = { readonly at: string; readonly words: string };
/** `edit`: a task. */
export type DialogOf =
  | "none"
  | "new"
  | "help"
  | "more"
  | "share"
  | "palette"
  | { readonly edit: number }
  | { readonly fork: ForkPlace };
