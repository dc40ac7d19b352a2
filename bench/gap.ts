/** (b) From the end of a reply to the next request, with one shell call between, against a raw loop doing the same. */
import { ekidenRun, rawLoop } from "./agent.ts";
import type { Item } from "./measure.ts";
import { alternate, type Figure, figure, median } from "./measure.ts";

export const gap: Item = async (quick) => {
  const figures: Figure[] = [];
  for (const [calls, times] of quick
    ? ([
        [20, 3],
        [200, 1],
      ] as const)
    : ([
        [20, 7],
        [200, 5],
      ] as const)) {
    const { a, b } = await alternate(
      times,
      () => ekidenRun(calls),
      () => rawLoop(calls),
    );
    const samples = a.map((run) => median(run.gaps));
    figures.push(
      figure({
        item: "b",
        name: `reply → next request, ${calls} calls`,
        unit: "ms",
        value: median(a.flatMap((run) => run.gaps)),
        floor: median(b.flatMap((run) => run.gaps)),
        budget: { of: "ratio", atMost: 2 },
        samples,
        note: "floor: raw loop; spread over runs",
      }),
      figure({
        item: "b",
        name: `whole run, ${calls} calls`,
        unit: "ms",
        value: median(a.map((run) => run.ms)),
        floor: median(b.map((run) => run.ms)),
        samples: a.map((run) => run.ms),
      }),
    );
  }
  return figures;
};
