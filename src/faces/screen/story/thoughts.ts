/** The choice how much of members' thoughts is shown: one for all stories of this terminal. */
import { forgetKept } from "../draw/kept.ts";

/** `hidden`: none. `folded`: the last line; Ctrl-O shows the rest. `shown`: all lines. */
export const THOUGHTS = ["hidden", "folded", "shown"] as const;
export type Thoughts = (typeof THOUGHTS)[number];

let chosen: Thoughts = "folded";

export const thoughtsShown = (): Thoughts => chosen;

export function showThoughts(how: Thoughts): void {
  chosen = how;
  forgetKept();
}
