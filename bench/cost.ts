/**
 * (c) Peak memory and CPU of one agent that makes 20 shell calls, against the raw loop; and memory for each further teammate
 * that one process hosts.
 */
import { join } from "node:path";
import { ekidenRun, rawLoop } from "./agent.ts";
import type { Item } from "./main.ts";
import { alternate, type Figure, figure, median } from "./measure.ts";
import { crew, freshFolder, ROOT, TSX } from "./stage.ts";

const CALLS = 20;

export const cost: Item = async (quick) => {
  const { a, b } = await alternate(
    quick ? 3 : 7,
    () => ekidenRun(CALLS),
    () => rawLoop(CALLS),
  );
  const memory = a.map((run) => run.peakMb);
  const cpu = a.map((run) => run.cpuMs);
  return [
    figure({
      item: "c",
      name: "one agent, peak memory",
      unit: "MB",
      value: median(memory),
      floor: median(b.map((run) => run.peakMb)),
      budget: { of: "ratio", atMost: 1.8 },
      samples: memory,
    }),
    figure({
      item: "c",
      name: "one agent, CPU of 20 calls",
      unit: "ms",
      value: median(cpu),
      floor: median(b.map((run) => run.cpuMs)),
      budget: { of: "ratio", atMost: 3.5 },
      samples: cpu,
      note: "without the commands themselves",
    }),
    ...(await teammates(quick)),
  ];
};

type Memory = { readonly rssMb: number; readonly usedMb: number };

/** What the process holds with so many idle teammates, less what it holds with one, for each. */
async function teammates(quick: boolean): Promise<Figure[]> {
  const sizes = quick ? [10, 100] : [10, 100, 1_000];
  const each = new Map(sizes.map((size) => [size, { used: [] as number[], rss: [] as number[] }]));
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    const host = crew(join(ROOT, "bench/hosted.ts"), [freshFolder()], ["--expose-gc", ...TSX]);
    await host.ask("hire 1");
    await host.ask<Memory>("memory");
    const one = await host.ask<Memory>("memory");
    let hired = 0;
    for (const size of sizes) {
      await host.ask(`hire ${size - hired}`);
      hired = size;
      const now = await host.ask<Memory>("memory");
      each.get(size)?.used.push((now.usedMb - one.usedMb) / size);
      each.get(size)?.rss.push((now.rssMb - one.rssMb) / size);
    }
    await host.end();
  }
  return sizes.map((size) => {
    const samples = each.get(size) ?? { used: [], rss: [] };
    return figure({
      item: "c",
      name: `memory for each of ${size.toLocaleString("en-US")} further teammates`,
      unit: "MB",
      value: median(samples.rss),
      budget: { of: "value", atMost: 1 },
      samples: samples.rss,
      note: `resident; in use ${(median(samples.used) * 1024).toFixed(0)} KB`,
    });
  });
}
