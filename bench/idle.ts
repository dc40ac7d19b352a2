/** (d) What an idle team costs, the lead alone and with a hundred teammates: nothing is to happen until something happens. */
import { join } from "node:path";
import type { Item } from "./measure.ts";
import { figure } from "./measure.ts";
import { crew, freshFolder, ROOT, TSX } from "./stage.ts";

export const idle: Item = async (quick) => {
  const ms = quick ? 5_000 : 20_000;
  const used: number[] = [];
  for (const teammates of [0, 100]) {
    const host = crew(join(ROOT, "bench/hosted.ts"), [freshFolder(), String(teammates)], TSX);
    const { cpuMs } = await host.ask<{ cpuMs: number }>(`cpu ${ms}`);
    used.push((100 * cpuMs) / ms);
    await host.end();
  }
  const [alone = Number.NaN, hundred = Number.NaN] = used;
  return [
    figure({
      item: "d",
      name: `CPU of 100 idle teammates over ${ms / 1000} s`,
      unit: "% of a core",
      value: hundred,
      budget: { of: "value", atMost: 0.4 },
    }),
    figure({
      item: "d",
      name: `CPU of an idle lead over ${ms / 1000} s`,
      unit: "% of a core",
      value: alone,
      budget: { of: "value", atMost: 0.3 },
    }),
  ];
};
