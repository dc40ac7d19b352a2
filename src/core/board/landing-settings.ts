/** The settings of landings that all hosts of a team need alike: with others, a host would land elsewhere or without the gate. Pure. */

/** Null: not set. `targetBranch`: the branch that tasks land on; null for a host without worktrees. */
export type LandingSettings = {
  readonly remote: string | null;
  readonly targetBranch: string | null;
  readonly gate: string | null;
};

/** The first setting that differs, as "NAME is X there and Y here"; null if both land alike, or if one lands nothing. */
export function differenceOf(here: LandingSettings, there: LandingSettings): string | null {
  const isLocal = here.remote === null && there.remote === null;
  if (isLocal && (here.targetBranch === null || there.targetBranch === null)) return null;
  for (const name of ["remote", "targetBranch", "gate"] as const)
    if (here[name] !== there[name])
      return `${name} is ${shown(there[name])} there and ${shown(here[name])} here`;
  return null;
}

const shown = (value: string | null): string => (value === null ? "not set" : JSON.stringify(value));
