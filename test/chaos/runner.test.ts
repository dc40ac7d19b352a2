/** One minute of chaos on both stores at once, with every class of faults that holds. By hand: npm run chaos -- --minutes 10. */
import { expect, it } from "vitest";
import { FUZZ } from "../fixtures/fuzz.ts";
import { classesFrom, INJECTIONS } from "./runner/faults.ts";
import { chaos, summary } from "./runner/run.ts";

const MINUTES = 1;
/** The last round begins before the minute is over and may take as long as a round may take, on a machine that is busy with other tests. */
const TIMEOUT_MS = 900_000;

it.concurrent.each(["sqlite", "postgres"] as const)(
  "the checker finds nothing after a minute of faults on %s",
  async (store) => {
    const { seed } = FUZZ;
    const lines: string[] = [`seed ${seed}`];
    const { counts, faults } = await chaos({
      store,
      minutes: MINUTES,
      seed,
      classes: classesFrom(""),
      say: (line) => void lines.push(line),
    });
    console.log(`${store}, seed ${seed}: ${summary(counts)}`);
    expect(faults, lines.join("\n")).toEqual([]);
    // The faults of a minute are random.
    const injected = Object.values(INJECTIONS).map(({ counts: name }) => counts[name]);
    expect(Math.max(...injected)).toBeGreaterThan(0);
    expect(counts.tasks).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
