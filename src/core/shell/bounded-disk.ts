/**
 * The disk as one judgement sees it: each answer is kept, and the number of questions is limited. A short line can name thousands of
 * paths in several folders, and each path is looked up for several checks.
 */
import type { Disk } from "./places.ts";

/** A judgement was given up because the line needs too many look-ups. */
class TooMuchWork extends Error {}

/** A question that was answered before costs 1, a new one 10, and ten names of a folder 1. More than any line that people write. */
const WORK_MAX = 60_000;
const NEW = 10;
const NAMES_PER_UNIT = 10;
/** Each path is compared with each rule. This number of rules doubles the cost of a question. */
const RULES_PER_UNIT = 50;

/** The folders of a path beyond those of an ordinary one: each of them may be looked up where the path does not exist. */
const partsOver = (path: string): number => Math.max(1, path.split("/").length - DEPTH_USUAL);
const DEPTH_USUAL = 16;

/** Each of its functions throws what `withinWork` catches when the work is used up. */
export function boundedDisk(disk: Disk | undefined, rules: number): Disk | undefined {
  if (!disk) return undefined;
  const unit = 1 + rules / RULES_PER_UNIT;
  let left = WORK_MAX;
  const spend = (work: number): void => {
    left -= work * unit;
    if (left < 0) throw new TooMuchWork();
  };
  const kept = <T>(ask: (key: string) => T, parts = (_: string): number => 1): ((key: string) => T) => {
    const answers = new Map<string, { readonly answer: T }>();
    return (key) => {
      const known = answers.get(key);
      spend(known ? 1 : NEW * parts(key));
      const { answer } = known ?? { answer: ask(key) };
      if (!known) answers.set(key, { answer });
      return answer;
    };
  };
  const entries = kept((folder) => disk.entries(folder));
  const same = kept((one) => kept((other) => disk.isSame?.(one, other) === true));
  return {
    real: kept((path) => disk.real(path), partsOver),
    entries(folder) {
      const names = entries(folder);
      spend((names?.length ?? 0) / NAMES_PER_UNIT);
      return names;
    },
    ...(disk.isSame && { isSame: (one: string, other: string) => same(one)(other) }),
  };
}

/** The result of `work`; null when it used up the disk's work. */
export function withinWork<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return null;
  }
}
