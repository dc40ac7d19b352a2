/**
 * (f) The board: claim and complete, on boards of three sizes, by one to four processes, on both stores, against plain SQL of
 * the same two transactions; how often a task was had by two; and what one look costs when nothing is ready.
 */
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import type { Item } from "./measure.ts";
import { type Figure, figure, median, show } from "./measure.ts";
import { atEnd, type Crew, crew, floorScript, freshFolder, ROOT, TSX } from "./stage.ts";

type Backend = {
  readonly name: "SQLite" | "PostgreSQL";
  /** Addresses of two databases. */
  readonly ours: string;
  readonly floor: string;
  /** The duration of one measurement. */
  readonly takeMs: number;
  readonly looks: number;
};

/** Processes of one kind on one database. Boards are made through the store for both kinds. */
type Side = { readonly workers: readonly Crew[]; readonly maker: Crew; readonly made: Set<string> };

const CREW = 4;
const claimer = (url: string): Crew => crew(join(ROOT, "bench/claimer.ts"), [url], TSX);

export const board: Item = async (quick) => {
  const folder = freshFolder();
  const server = await startPostgres();
  atEnd(server.stop);
  const files = { ours: `sqlite:${join(folder, "team.db")}`, floor: `sqlite:${join(folder, "floor.db")}` };
  const databases = { ours: `${server.url}?schema=ours`, floor: `${server.url}?schema=floor` };
  return [
    ...(await measure({ name: "SQLite", ...files, takeMs: 250, looks: 20_000 }, quick)),
    ...(await measure({ name: "PostgreSQL", ...databases, takeMs: 500, looks: 1_000 }, quick)),
  ];
};

async function measure(backend: Backend, quick: boolean): Promise<Figure[]> {
  const ours = await side(backend.ours, () => claimer(backend.ours));
  const floor = await side(backend.floor, () => crew(floorScript("claimer.mjs"), [backend.floor]));
  try {
    return [...(await rates(backend, ours, floor, quick)), ...(await looks(backend, ours, floor, quick))];
  } finally {
    for (const { workers, maker } of [ours, floor])
      await Promise.all([...workers, maker].map((one) => one.end()));
  }
}

async function side(url: string, worker: () => Crew): Promise<Side> {
  const maker = claimer(url);
  await maker.ask("open"); // the first makes the tables
  const workers: Crew[] = [];
  for (let i = 0; i < CREW; i += 1) {
    const one = worker();
    workers.push(one);
    await one.ask("open");
  }
  return { workers, maker, made: new Set() };
}

/** Small boards are many, so that there is as much to take; the largest is long enough for all measurements. */
async function boards(
  { workers, maker, made }: Side,
  size: number,
  round: number,
  run: number,
): Promise<string> {
  const names =
    size < 1_000
      ? Array.from({ length: 20 }, (_, i) => `b${size}-${round}-${run}-${i}`)
      : [size < 100_000 ? `b${size}-${round}` : `b${size}`];
  for (const name of names) {
    if (made.has(name)) continue;
    made.add(name);
    await maker.ask(`seed ${name} ${size}`);
  }
  const list = names.join(",");
  for (const worker of workers) await worker.ask(`join ${list}`);
  return list;
}

type Took = { readonly from: number; readonly to: number; readonly taken: readonly string[] };

/** All at once, until the time is over; per second from the first start to the last end. */
async function takeAll(
  workers: readonly Crew[],
  list: string,
  ms: number,
): Promise<{ rate: number; doubles: number }> {
  const took = await Promise.all(workers.map((worker) => worker.ask<Took>(`take ${list} ${ms}`)));
  const taken = took.flatMap((one) => one.taken);
  const spent = Math.max(...took.map((one) => one.to)) - Math.min(...took.map((one) => one.from));
  return { rate: (1000 * taken.length) / spent, doubles: taken.length - new Set(taken).size };
}

/** Until all of them have done this many: what Node makes of a program it has just begun to run says little of either side. */
const WARM = 1_000;

async function warmUp({ workers, maker }: Side): Promise<void> {
  await maker.ask(`seed warm ${4 * CREW * WARM}`);
  await Promise.all(
    workers.map(async (worker) => {
      await worker.ask("join warm");
      for (let done = 0; done < WARM; ) done += (await worker.ask<Took>("take warm 100")).taken.length;
    }),
  );
}

async function rates(backend: Backend, ours: Side, floor: Side, quick: boolean): Promise<Figure[]> {
  const sizes = quick ? [100, 10_000] : [100, 10_000, 100_000];
  const crews = quick ? [1, 4] : [1, 2, 4];
  const cases = sizes.flatMap((size) =>
    crews.map((count) => ({ size, count, ours: [] as number[], floor: [] as number[] })),
  );
  for (const one of [floor, ours]) await warmUp(one);
  let doubles = 0;
  for (let round = 0; round < (quick ? 3 : 5); round += 1)
    for (const [nth, one] of cases.entries()) {
      const theirs = await boards(floor, one.size, round, nth);
      one.floor.push((await takeAll(floor.workers.slice(0, one.count), theirs, backend.takeMs)).rate);
      const mine = await boards(ours, one.size, round, nth);
      const took = await takeAll(ours.workers.slice(0, one.count), mine, backend.takeMs);
      one.ours.push(took.rate);
      doubles += took.doubles;
    }
  const rate = (size: number, count: number): number =>
    median(cases.find((one) => one.size === size && one.count === count)?.ours ?? []);
  const largest = sizes.at(-1) ?? 0;
  const flatness = crews.map((count) => rate(largest, count) / rate(100, count));
  return [
    ...cases.map(({ size, count, ...samples }) =>
      figure({
        item: "f",
        name: `${backend.name}: claim + complete, ${show(size)} tasks, ${count} process${count > 1 ? "es" : ""}`,
        unit: "/s",
        value: median(samples.ours),
        floor: median(samples.floor),
        // Side by side they met the same machine.
        ratio: median(samples.ours.map((rate, i) => rate / (samples.floor[i] ?? Number.NaN))),
        budget: { of: "ratio", atLeast: 0.6 },
        samples: samples.ours,
      }),
    ),
    figure({
      item: "f",
      name: `${backend.name}: rate on ${show(largest)} tasks over rate on 100`,
      unit: "×",
      value: median(flatness),
      budget: { of: "value", atLeast: 0.75 },
      samples: flatness,
      note: "flat is 1; spread over processes",
    }),
    figure({
      item: "f",
      name: `${backend.name}: tasks had by two`,
      unit: "",
      value: doubles,
      budget: { of: "value", atMost: 0 },
    }),
  ];
}

async function looks(
  { name, looks: times }: Backend,
  ours: Side,
  floor: Side,
  quick: boolean,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of quick ? [10_000] : [100, 10_000]) {
    const samples = { ours: [] as number[], floor: [] as number[] };
    for (const { maker, workers } of [ours, floor]) {
      await maker.ask(`seed still-${size} ${size} blocked`);
      await workers[0]?.ask(`join still-${size}`);
    }
    for (let round = 0; round < 3; round += 1)
      for (const [key, { workers }] of [["floor", floor] as const, ["ours", ours] as const]) {
        const looked = await workers[0]?.ask<{ us: number }>(
          `look still-${size} ${quick ? times / 4 : times}`,
        );
        samples[key].push(looked?.us ?? Number.NaN);
      }
    figures.push(
      figure({
        item: "f",
        name: `${name}: a look when nothing is ready, ${show(size)} tasks`,
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
