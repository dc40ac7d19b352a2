/** Rounds on one store until the time is up. The dice decide what is done; when it meets what, the machine decides. */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dice } from "../../fixtures/simulation.ts";
import type { Fault } from "../checker/history.ts";
import { CLASSES, type ClassName, INJECTIONS } from "./faults.ts";
import { type StoreName, skipped } from "./place.ts";
import { Postgres } from "./postgres.ts";
import { type Counts, round } from "./round.ts";

export type ChaosOptions = {
  readonly store: StoreName;
  readonly minutes: number;
  readonly seed: number;
  readonly classes: ReadonlySet<ClassName>;
  readonly say: (line: string) => void;
};
export type ChaosReport = {
  readonly counts: Counts & { readonly rounds: number };
  /** Each with the round it was found in. */
  readonly faults: readonly (Fault & { readonly round: number })[];
};

const NOTHING: Counts = {
  kills: 0,
  pauses: 0,
  restarts: 0,
  cuts: 0,
  fullDisks: 0,
  gitKills: 0,
  removals: 0,
  orders: 0,
  pushCuts: 0,
  newerPrograms: 0,
  collections: 0,
  locks: 0,
  sockets: 0,
  modelFaults: 0,
  requests: 0,
  tasks: 0,
  letters: 0,
  landings: 0,
};

/** Faults of one round that are printed. */
const SHOWN = 10;

/** Seeds of rounds that lie far apart. */
const ROUND_STEP = 0x9e3779b1;

export async function chaos({ store, minutes, seed, classes, say }: ChaosOptions): Promise<ChaosReport> {
  for (const name of classes) {
    const why = skipped(name, store);
    if (why !== null && !/^SQLite/.test(why)) say(`${name} is skipped: ${why}.`);
  }
  const left = (Object.keys(CLASSES) as ClassName[]).filter((name) => !classes.has(name));
  if (left.length > 0) say(`Not tried, because not asked for: ${left.join(", ")}.`);
  const able = new Set([...classes].filter((name) => skipped(name, store) === null));
  const postgres = store === "postgres" ? await Postgres.start() : null;
  const end = performance.now() + minutes * 60_000;
  const faults: (Fault & { round: number })[] = [];
  const total: Record<string, number> = { rounds: 0, ...NOTHING };
  const tried = new Set<ClassName>();
  try {
    for (let nth = 1; nth === 1 || performance.now() < end; nth += 1) {
      const report = await round({
        store,
        classes: able,
        dice: dice(seed + nth * ROUND_STEP),
        schema: `round_${nth}`,
        postgres,
      });
      total.rounds = nth;
      for (const name of report.tried) tried.add(name);
      for (const [name, count] of Object.entries(report.counts)) total[name] = (total[name] ?? 0) + count;
      faults.push(...report.faults.map((fault) => ({ ...fault, round: nth })));
      say(`${store} round ${nth} (${report.about}): ${summary(report.counts)}`);
      for (const { rule, what } of report.faults.slice(0, SHOWN)) say(`  FAULT ${rule}: ${what}`);
      if (report.faults.length > SHOWN) say(`  and ${report.faults.length - SHOWN} more faults`);
      if (report.faults.length > 0) say(`  The history is in ${kept(`${store}-${seed}-${nth}`, report)}.`);
    }
  } finally {
    await postgres?.stop();
  }
  const missed = [...able].filter((name) => INJECTIONS[name] && !tried.has(name));
  if (missed.length > 0)
    say(`Not tried, because the dice or the time did not allow it: ${missed.join(", ")}.`);
  return { counts: total as ChaosReport["counts"], faults };
}

export const summary = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${count}`)
    .join(", ");

/** Where a history that was rejected is kept for whoever looks for the cause. */
function kept(name: string, report: object): string {
  const path = join(tmpdir(), `ekiden-chaos-${name}.json`);
  writeFileSync(path, JSON.stringify(report, null, 1));
  return path;
}
