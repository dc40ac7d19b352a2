/** The last measure of how much the gate of a project lets through; `ekiden doctor --gate` makes it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { jsonIn } from "../../adapters/small-files.ts";
import { type LastLeak, type LeakShown, leakShown } from "../../core/views/leak.ts";

/** `dismissed`: faults that change nothing. */
export type KeptLeak = { readonly dismissed: readonly string[]; readonly last: LastLeak | null };
const NONE: KeptLeak = { dismissed: [], last: null };

export const leakFileIn = (cwd: string): string => join(cwd, ".ekiden", "gate-leak.json");
export const keptLeak = (cwd: string): KeptLeak => ({
  ...NONE,
  ...(existsSync(leakFileIn(cwd)) ? jsonIn<KeptLeak>(leakFileIn(cwd)) : null),
});

/** Null where it was never measured, or what was kept is not one. */
export function lastLeak(cwd: string): LeakShown | null {
  const { last } = keptLeak(cwd);
  try {
    return last === null ? null : leakShown(last);
  } catch {
    return null;
  }
}
