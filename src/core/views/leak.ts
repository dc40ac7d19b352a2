/** How much a gate lets through, in words. */
import type { Leak, Mutant } from "../gate/mutants.ts";
import { counted } from "./view.ts";

export type Survivor = Mutant & { readonly id: string };
export type LeakReport = Leak & {
  readonly target: string;
  readonly gate: string;
  readonly commits: number;
  readonly killed: number;
  readonly timedOut: number;
  /** Of the faults that could be made, so many were tried. */
  readonly of: number;
  readonly survivors: readonly Survivor[];
  /** It was ended before all were tried. */
  readonly isCut: boolean;
};
export type LastLeak = LeakReport & { readonly at: number };
/** Of the last measure. `lines`: what no test noticed. */
export type LeakShown = { readonly words: string; readonly lines: readonly string[] };

const percent = (part: number): string => `${Math.round(part * 100)} %`;

export const leakWords = ({ leak, low, high, killed, survivors, timedOut }: LeakReport): string =>
  `your tests do not notice ${survivors.length} of ${counted(killed + survivors.length, "fault")} in what landed lately (${percent(leak)}, between ${percent(low)} and ${percent(high)})${timedOut > 0 ? `; ${timedOut} more were too slow to tell` : ""}`;

/** "src/sum.js:3" and the fault. */
const survivorWords = ({ path, line, before, after }: Survivor): string =>
  `${path}:${line} ${before.trim()} → ${after.trim() || "(nothing)"}`;

export const leakShown = (last: LastLeak): LeakShown => ({
  words: `On ${new Date(last.at).toISOString().slice(0, 10)}: ${leakWords(last)}`,
  lines: last.survivors.map(survivorWords),
});
