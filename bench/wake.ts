/** (e) From a task becoming ready to the next model request of the teammate that takes it, in a team of ten that was all idle. */
import { join } from "node:path";
import type { Item } from "./measure.ts";
import { type Figure, figure, quantile } from "./measure.ts";
import { type Crew, crew, freshFolder, ROOT, TSX } from "./stage.ts";

const TEAMMATES = 10;

export const wake: Item = async (quick) => {
  const times = quick ? 60 : 300;
  const folder = freshFolder();
  const script = join(ROOT, "bench/hosted.ts");
  const host = crew(script, [folder, String(TEAMMATES)], TSX);
  const inside = await samples(times, async () => (await host.ask<{ ms: number }>("wake")).ms);
  const other = crew(join(ROOT, "bench/claimer.ts"), [`sqlite:${join(folder, ".ekiden/team.db")}`], TSX);
  await other.ask("open");
  const between = await samples(times, () => across(host, other));
  await other.end();
  await host.end();
  return [...figures("in one process", inside, 10), ...figures("between processes", between, 50)];
};

async function samples(times: number, one: () => Promise<number>): Promise<number[]> {
  for (let i = 0; i < 10; i += 1) await one();
  const all: number[] = [];
  for (let i = 0; i < times; i += 1) all.push(await one());
  return all;
}

async function across(host: Crew, other: Crew): Promise<number> {
  const claimed = host.ask<{ at: number }>("next");
  const added = await other.ask<{ at: number }>("add");
  return (await claimed).at - added.at;
}

function figures(where: string, samples: readonly number[], p99: number): Figure[] {
  const shared = { item: "e", unit: "ms", samples } as const;
  return [
    figure({ ...shared, name: `task added → request, ${where}, p50`, value: quantile(samples, 0.5) }),
    figure({
      ...shared,
      name: `task added → request, ${where}, p99`,
      value: quantile(samples, 0.99),
      budget: { of: "value", atMost: p99 },
    }),
  ];
}
