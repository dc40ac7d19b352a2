/**
 * (f) The board: claim and complete, on boards of three sizes, by one to four processes, on both stores, against plain SQL of
 * the same two transactions; how often a task was had by two; and what one look costs when nothing is ready.
 */
import { join } from "node:path";
import type { Item } from "./main.ts";
import { type Figure, figure, median } from "./measure.ts";
import { startPostgres } from "./postgres.ts";
import { type Crew, crew, floorScript, freshFolder, ROOT, TSX } from "./stage.ts";

type Took = { readonly from: number; readonly to: number; readonly taken: readonly string[] };
type Taken = { readonly perSecond: number; readonly taken: readonly string[] };
type Backend = {
  readonly name: "SQLite" | "PostgreSQL";
  readonly ours: string;
  readonly floor: string;
  readonly takeMs: number;
  readonly looks: number;
};

const CREW = 4;

/** All at once, until the time is over; per second from the first start to the last end. */
async function takeAll(workers: readonly Crew[], teams: readonly string[], ms: number): Promise<Taken> {
  const took = await Promise.all(workers.map((worker) => worker.ask<Took>(`take ${teams.join(",")} ${ms}`)));
  const taken = took.flatMap((one) => one.taken);
  const seconds = (Math.max(...took.map((one) => one.to)) - Math.min(...took.map((one) => one.from))) / 1000;
  return { perSecond: taken.length / seconds, taken };
}

export const board: Item = async (quick) => {
  const folder = freshFolder();
  const server = await startPostgres();
  const backends: Backend[] = [
    {
      name: "SQLite",
      ours: `sqlite:${join(folder, "team.db")}`,
      floor: `sqlite:${join(folder, "floor.db")}`,
      takeMs: 250,
      looks: 20_000,
    },
    { name: "PostgreSQL", ours: `${server}/ekiden`, floor: `${server}/floor`, takeMs: 500, looks: 1_000 },
  ];
  const figures: Figure[] = [];
  for (const backend of backends) figures.push(...(await measure(backend, quick)));
  return figures;
};

async function measure(backend: Backend, quick: boolean): Promise<Figure[]> {
  const sizes = quick ? [100, 10_000] : [100, 10_000, 100_000];
  const crews = quick ? [1, 4] : [1, 2, 4];
  const times = quick ? 1 : 3;
  const open = async (script: string, url: string, args: readonly string[]): Promise<Crew[]> => {
    const all: Crew[] = [];
    for (let i = 0; i < CREW; i += 1) {
      const one = crew(script, [url], args);
      all.push(one);
      await one.ask("schema"); // one after the other: the first makes the tables
    }
    return all;
  };
  const ours = await open(join(ROOT, "bench/claimer.ts"), backend.ours, TSX);
  const floor = await open(floorScript("claimer.mjs"), backend.floor, []);
  const both = [ours, floor];
  const figures: Figure[] = [];
  const rates = new Map<string, number>();
  let doubles = 0;
  try {
    for (const size of sizes) {
      const samples = crews.map(() => ({ ours: [] as number[], floor: [] as number[] }));
      for (let round = 0; round < times; round += 1) {
        // Small boards are many, so that there is as much to take; the largest is long enough for all rounds.
        const boards = await Promise.all(both.map((all) => seed(all, size, round, crews.length)));
        for (const [nth, count] of crews.entries())
          for (const [side, all] of both.entries()) {
            const teams = boards[side]?.[nth] ?? [];
            const { perSecond, taken } = await takeAll(all.slice(0, count), teams, backend.takeMs);
            samples[nth]?.[side === 0 ? "ours" : "floor"].push(perSecond);
            if (side === 0) doubles += taken.length - new Set(taken).size;
          }
      }
      for (const [nth, count] of crews.entries()) {
        const of = samples[nth] ?? { ours: [], floor: [] };
        rates.set(`${size}/${count}`, median(of.ours));
        figures.push(
          figure({
            item: "f",
            name: `${backend.name}: claim + complete, board of ${size.toLocaleString("en-US")}, ${count} process${count > 1 ? "es" : ""}`,
            unit: "/s",
            value: median(of.ours),
            floor: median(of.floor),
            budget: { of: "ratio", atLeast: 0.6 },
            samples: of.ours,
          }),
        );
      }
    }
    const largest = sizes.at(-1) ?? 0;
    const flat = (count: number): number => (rates.get(`${largest}/${count}`) ?? 0) / (rates.get(`100/${count}`) ?? 1);
    figures.push(
      figure({
        item: "f",
        name: `${backend.name}: rate on ${largest.toLocaleString("en-US")} tasks over rate on 100`,
        unit: "×",
        value: flat(1),
        budget: { of: "value", atLeast: 0.75 },
        samples: crews.map(flat),
        note: "flat is 1; spread over processes",
      }),
      figure({
        item: "f",
        name: `${backend.name}: tasks had by two`,
        unit: "",
        value: doubles,
        budget: { of: "value", atMost: 0 },
      }),
      ...(await looks(backend, ours, floor, quick)),
    );
  } finally {
    await Promise.all(both.flat().map((one) => one.end()));
  }
  return figures;
}

/** @returns the boards for each number of processes of one round. */
async function seed(all: readonly Crew[], size: number, round: number, runs: number): Promise<string[][]> {
  const [first] = all;
  const boards: string[][] = [];
  for (let run = 0; run < runs; run += 1) {
    const small = size <= 1_000;
    const known = size >= 100_000 && (round > 0 || run > 0);
    const names = Array.from({ length: small ? 20 : 1 }, (_, i) => (small ? `b${size}-${round}-${run}-${i}` : `b${size}-${size >= 100_000 ? 0 : round}`));
    if (!known && !(run > 0 && !small)) for (const name of names) await first?.ask(`seed ${name} ${size}`);
    boards.push(names);
  }
  const names = [...new Set(boards.flat())].join(",");
  for (const one of all) await one.ask(`join ${names}`);
  return boards;
}

async function looks(
  { name, looks: times }: Backend,
  ours: readonly Crew[],
  floor: readonly Crew[],
  quick: boolean,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of quick ? [10_000] : [100, 10_000]) {
    const samples: { ours: number[]; floor: number[] } = { ours: [], floor: [] };
    for (const all of [ours, floor]) await all[0]?.ask(`seed still-${size} ${size} blocked`);
    for (let round = 0; round < 3; round += 1)
      for (const [side, all] of [["ours", ours] as const, ["floor", floor] as const]) {
        const looked = await all[0]?.ask<{ us: number }>(`look still-${size} ${quick ? times / 4 : times}`);
        samples[side].push(looked?.us ?? Number.NaN);
      }
    figures.push(
      figure({
        item: "f",
        name: `${name}: a look when nothing is ready, ${size.toLocaleString("en-US")} tasks`,
        unit: "µs",
        value: median(samples.ours),
        floor: median(samples.floor),
        ...(name === "SQLite" && { budget: { of: "value", atMost: 10 } }),
        samples: samples.ours,
      }),
    );
  }
  return figures;
}
