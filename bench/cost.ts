/**
 * (c) Peak memory and CPU of one agent that makes 20 shell calls, against the raw loop; and memory for each further teammate
 * that one process hosts.
 */
import { join } from "node:path";
import { ekidenRun, rawLoop } from "./agent.ts";
import type { Item } from "./measure.ts";
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

/** The memory of a process with so many idle teammates, less that with one, for each. */
async function teammates(quick: boolean): Promise<Figure[]> {
  const sizes = quick ? [10, 100] : [10, 100, 1_000];
  const each = sizes.map((size) => ({ size, used: [] as number[], rss: [] as number[] }));
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    const one = await held(1);
    for (const { size, used, rss } of each) {
      const all = await held(1 + size);
      used.push((all.usedMb - one.usedMb) / size);
      rss.push((all.rssMb - one.rssMb) / size);
    }
  }
  return each.map(({ size, used, rss }) =>
    figure({
      item: "c",
      name: `memory for each of ${size.toLocaleString("en-US")} further teammates`,
      unit: "MB",
      // Resident memory of a few is lost in the noise of the process; their used memory is not.
      value: Math.max(median(rss), median(used)),
      budget: { of: "value", atMost: 1 },
      samples: rss,
      note: `resident; in use ${(median(used) * 1024).toFixed(0)} KB each`,
    }),
  );
}

async function held(count: number): Promise<Memory> {
  const args = [freshFolder(), String(count)];
  const host = crew(join(ROOT, "bench/hosted.ts"), args, ["--expose-gc", ...TSX]);
  const memory = await host.ask<Memory>("memory");
  await host.end();
  return memory;
}
