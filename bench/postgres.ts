/**
 * (n) Claim and complete on PostgreSQL with many members, in one process and in eight, beside graphile-worker on the same server; and a
 * thousand teammates with tasks that take time, in one process and in eight.
 */

import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { type Figure, figure, type Item, median } from "./measure.ts";
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
  const rates = cases.map(({ shape: [processes, members], ours, floor }) =>
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
  return [...rates, await spread(sides.ours, quick ? 200 : 1_000)];
};

/**
 * Few tasks of a model take less. Almost all of the difference is the first claims: eight processes compile the program and open their
 * connections on the same processors at the same moment, which takes half a second once.
 */
const WORK_MS = 10_000;
const TASKS_EACH = 4;

/** The time of a team in eight processes over that in one, with tasks that take time, as those of models do. */
async function spread(start: () => Crew, members: number): Promise<Figure> {
  const seconds = async (processes: number): Promise<number> => {
    const tasks = members * TASKS_EACH;
    return tasks / (await rate(start, `s${processes}`, tasks, [processes, members / processes], WORK_MS));
  };
  const [one, eight] = [await seconds(1), await seconds(8)];
  return figure({
    item: "n",
    name: `${members} teammates in 8 processes, ${TASKS_EACH} tasks of ${WORK_MS / 1000} s for each`,
    unit: "s",
    value: eight,
    floor: one,
    budget: { of: "ratio", atMost: 1.05 },
    samples: [eight],
    note: "floor: the same in one process",
  });
}

/** From the first start to the last end of all processes, once they are up. */
async function rate(
  start: () => Crew,
  queue: string,
  tasks: number,
  [processes, members]: readonly [number, number],
  workMs = 0,
): Promise<number> {
  const all: Crew[] = [];
  try {
    for (let i = 0; i < processes; i += 1) all.push(start());
    await all[0]?.ask(`seed ${queue} ${tasks}`);
    await Promise.all(all.slice(1).map((one, i) => one.ask(`seed none-${i}-${queue} 0`)));
    if (workMs > 0) await Promise.all(all.map((one) => one.ask(`join ${queue} ${members}`)));
    const took = await Promise.all(all.map((one) => one.ask<Took>(`take ${queue} ${members} ${workMs}`)));
    const taken = took.reduce((sum, one) => sum + one.taken, 0);
    if (taken !== tasks) throw new Error(`${taken} of ${tasks} tasks were taken`);
    return (
      (1000 * taken) / (Math.max(...took.map(({ to }) => to)) - Math.min(...took.map(({ from }) => from)))
    );
  } finally {
    await Promise.all(all.map((one) => one.end()));
  }
}
