/** The checks of a commit: when they have come to an end, and to which. Pure. */
import { listed } from "../text/listed.ts";
import type { Check } from "./model.ts";

/** What was seen of them, and since when it has not changed. */
export type ChecksSeen = { readonly head: string; readonly signature: string; readonly since: number };

export type Verdict =
  | { readonly kind: "pending" }
  | { readonly kind: "green" }
  /** There are none. */
  | { readonly kind: "none" }
  /** A person must let them run. */
  | { readonly kind: "held"; readonly checks: readonly Check[] }
  /** `broken`: those that ended for a reason of the machines, and not of the work. */
  | { readonly kind: "red"; readonly failed: readonly Check[]; readonly broken: readonly Check[] };

export type Times = { readonly settleMs: number; readonly noneMs: number };

export const PASSES: ReadonlySet<string> = new Set(["success", "neutral", "skipped"]);
const BROKEN: ReadonlySet<string> = new Set(["cancelled", "timed_out", "startup_failure", "stale"]);

type Settled = { readonly seen: ChecksSeen; readonly verdict: Verdict };
type Head = { readonly head: string; readonly checks: readonly Check[] };
export function settle(
  before: ChecksSeen | null,
  { head, checks }: Head,
  now: number,
  times: Times,
): Settled {
  const lines = checks.map(({ name, conclusion, run, job }) => [name, conclusion, run, job].join(" "));
  const signature = JSON.stringify(lines.sort());
  const isSame = before?.head === head && before.signature === signature;
  const seen = isSame ? before : { head, signature, since: now };
  const settledMs = checks.length === 0 ? times.noneMs : times.settleMs;
  return { seen, verdict: verdictOf(checks, now - seen.since >= settledMs) };
}

function verdictOf(checks: readonly Check[], isSettled: boolean): Verdict {
  if (!isSettled || checks.some(({ conclusion }) => conclusion === null)) return { kind: "pending" };
  if (checks.length === 0) return { kind: "none" };
  const held = checks.filter(({ conclusion }) => conclusion === "action_required");
  if (held.length > 0) return { kind: "held", checks: held };
  const bad = checks.filter(({ conclusion }) => !PASSES.has(conclusion ?? ""));
  if (bad.length === 0) return { kind: "green" };
  const isBroken = ({ conclusion }: Check): boolean => BROKEN.has(conclusion ?? "");
  return { kind: "red", failed: bad.filter((one) => !isBroken(one)), broken: bad.filter(isBroken) };
}

/** One mail for all failing checks of a commit. */
export const redKey = (head: string, failed: readonly Check[]): string =>
  `checks:${head}:${namesOf(failed).sort().join(",")}`;
export const namesOf = (checks: readonly Check[]): string[] => [...new Set(checks.map(({ name }) => name))];
export const shownNames = (checks: readonly Check[]): string => listed(namesOf(checks));

const LINES_MAX = 200;
const LOG_MAX = 8_000;

/** The end of the log of a job, without the times that runners put before each line. */
export const logEnd = (log: string): string =>
  log
    .slice(-200_000)
    .trimEnd()
    .split("\n")
    .slice(-LINES_MAX)
    .map((line) => line.replace(/^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]{8,20}Z /, ""))
    .join("\n")
    .slice(-LOG_MAX);
