/** How the thoughts of members are shown: one choice for all stories of this terminal. */
import { forgetKept } from "./kept.ts";

/** Not at all, the last line, or all of them. Ctrl-O shows all of what is folded. */
export const THOUGHTS = ["hidden", "folded", "shown"] as const;
export type Thoughts = (typeof THOUGHTS)[number];

let chosen: Thoughts = "folded";

export const thoughtsShown = (): Thoughts => chosen;

export function showThoughts(how: Thoughts): void {
  chosen = how;
  forgetKept();
}
