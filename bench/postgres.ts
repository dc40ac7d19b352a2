/** (n) Claim and complete on PostgreSQL with many members, in one process and in eight, beside graphile-worker on the same server. */

import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { figure, type Item, median } from "./measure.ts";
import { atEnd, type Crew, crew, floorScript, ROOT, TSX } from "./stage.ts";

type Took = { readonly from: number; readonly to: number; readonly taken: number };
/** Processes, and members of each. */
const SHAPES = [
  [1, 8],
  [1, 24],
  [8, 3],
] as const;

export const postgres: Item = async (quick) => {
  const server = await startPostgres();
  atEnd(server.stop);
  const sides = {
    ours: () => crew(join(ROOT, "bench/members.ts"), [`${server.url}?schema=ours`], TSX),
    floor: () => crew(floorScript("graphile.mjs"), [server.url]),
  };
  const tasks = quick ? 1_000 : 3_000;
  const cases = SHAPES.map((shape) => ({ shape, ours: [] as number[], floor: [] as number[] }));
  for (const side of ["floor", "ours"] as const) await rate(sides[side], `warm-${side}`, 300, [1, 8]);
  for (let round = 0; round < (quick ? 1 : 3); round += 1)
    for (const [nth, one] of cases.entries())
      for (const side of ["floor", "ours"] as const)
        one[side].push(await rate(sides[side], `t${nth}-${round}`, tasks, one.shape));
  return cases.map(({ shape: [processes, members], ours, floor }) =>
    figure({
      item: "n",
      name: `PostgreSQL: claim + complete, ${processes} × ${members} members`,
      unit: "/s",
      value: median(ours),
      floor: median(floor),
      ratio: median(ours.map((one, i) => one / (floor[i] ?? Number.NaN))),
      budget: { of: "ratio", atLeast: 1 },
      samples: ours,
      note: "floor: graphile-worker, one by one",
    }),
  );
};

/** From the first start to the last end of all processes, once they are up. */
async function rate(
  start: () => Crew,
  queue: string,
  tasks: number,
  [processes, members]: readonly [number, number],
): Promise<number> {
  const all: Crew[] = [];
  try {
    for (let i = 0; i < processes; i += 1) all.push(start());
    await all[0]?.ask(`seed ${queue} ${tasks}`);
    await Promise.all(all.slice(1).map((one, i) => one.ask(`seed none-${i}-${queue} 0`)));
    const took = await Promise.all(all.map((one) => one.ask<Took>(`take ${queue} ${members}`)));
    const taken = took.reduce((sum, one) => sum + one.taken, 0);
    if (taken !== tasks) throw new Error(`${taken} of ${tasks} tasks were taken`);
    return (
      (1000 * taken) / (Math.max(...took.map(({ to }) => to)) - Math.min(...took.map(({ from }) => from)))
    );
  } finally {
    await Promise.all(all.map((one) => one.end()));
  }
}
