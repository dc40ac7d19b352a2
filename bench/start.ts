/** (a) From process start to the first request at the model, against bare node doing one. */
import { bareRequest, ekidenRun, firstRun } from "./agent.ts";
import type { Item } from "./measure.ts";
import { alternate, figure, median } from "./measure.ts";

export const start: Item = async (quick) => {
  await firstRun(); // fills the disk cache for both
  const { a, b } = await alternate(quick ? 5 : 15, () => ekidenRun(0), bareRequest);
  const samples = a.map((run) => run.firstMs);
  return [
    figure({
      item: "a",
      name: "process start → first request",
      unit: "ms",
      value: median(samples),
      floor: median(b.map((run) => run.firstMs)),
      budget: { of: "ratio", atMost: 2.6 },
      samples,
      note: "floor: node and one request",
    }),
  ];
};
