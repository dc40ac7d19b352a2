/**
 * (h) Which ready task first: random graphs worked off in virtual time over a real store, how long that takes over what no schedule
 * can beat, max(longest chain, work ÷ teammates), with estimates, without, and beside first-by-id. By itself: `tsx bench/scheduling.ts`.
 */
import { join, resolve } from "node:path";
import { name, openStore, type Store, systemClock } from "ekiden";
import {
  dice,
  estimated,
  firstById,
  lowerBound,
  makespan,
  randomGraph,
  type Telling,
  unestimated,
  workOff,
} from "../test/fixtures/simulation.ts";
import type { Item } from "./measure.ts";
import { type Figure, figure, quantile, table } from "./measure.ts";
import { cleanUp, freshFolder } from "./stage.ts";

const TASKS = 60;
const CREWS = [2, 4, 8];
const WAYS: Readonly<Record<string, Telling>> = {
  "with estimates": estimated,
  "without estimates": unestimated,
  "first by id": firstById,
};

export const scheduling: Item = async (quick) => {
  const graphs = quick ? 40 : 200;
  const url = `sqlite:${join(freshFolder(), "team.db")}`;
  const root = await openStore({ url, team: name("root"), clock: systemClock });
  try {
    const figures: Figure[] = [];
    for (const teammates of CREWS)
      for (const [way, telling] of Object.entries(WAYS)) {
        const ratios: number[] = [];
        for (let seed = 1; seed <= graphs; seed += 1)
          ratios.push(
            await ratio(root, `t${teammates}-${way.replaceAll(" ", "-")}-${seed}`, seed, teammates, telling),
          );
        const mean = ratios.reduce((sum, one) => sum + one, 0) / ratios.length;
        figures.push(
          figure({
            item: "h",
            name: `makespan, ${teammates} teammates, ${way}`,
            unit: "× bound",
            value: mean,
            ...(teammates === 8 &&
              telling === estimated && { budget: { of: "value", atMost: 1.02 } as const }),
            samples: ratios,
            note: `${mean.toFixed(4)} on average of ${graphs} graphs of ${TASKS} tasks; 95 of 100 under ${quantile(ratios, 0.95).toFixed(3)}`,
          }),
        );
      }
    return figures;
  } finally {
    await root.close();
  }
};

async function ratio(
  root: Store,
  team: string,
  seed: number,
  teammates: number,
  telling: Telling,
): Promise<number> {
  const graph = randomGraph(dice(seed), TASKS);
  const store = await root.forTeam(name(team.slice(0, 32)));
  try {
    const roles = Array.from({ length: teammates }, () => "");
    const done = await workOff(store, graph, roles, telling);
    if (done.length !== TASKS) throw new Error(`${team}: ${done.length} of ${TASKS} tasks were done.`);
    return makespan(done) / lowerBound(graph, teammates);
  } finally {
    await store.close();
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === import.meta.filename) {
  try {
    console.log(table(await scheduling(process.argv.includes("--quick"))));
  } finally {
    await cleanUp();
  }
}
