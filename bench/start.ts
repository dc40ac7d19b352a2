/** (a) From process start to the first request at the model, against bare node doing one. */
import { bareRequest, ekidenRun } from "./agent.ts";
import type { Item } from "./measure.ts";
import { alternate, figure, median } from "./measure.ts";

export const start: Item = async (quick) => {
  await ekidenRun(0); // fills the disk cache for both, and keeps the compiled program, as any first run does
  const { a, b } = await alternate(quick ? 5 : 15, () => ekidenRun(0), bareRequest);
  const samples = a.map((run) => run.firstMs);
  return [
    figure({
      item: "a",
      name: "process start → first request",
      unit: "ms",
      value: median(samples),
      floor: median(b.map((run) => run.firstMs)),
      budget: { of: "ratio", atMost: 3.4 },
      samples,
      note: "floor: node and one request",
    }),
  ];
};
