/** The layout of a board, made in the worker and kept until tasks or edges change. */
import { useEffect, useState } from "preact/hooks";
import { inOrder } from "../../../../core/board/order.ts";
import type { Picture } from "../../../../core/picture/picture.ts";
import { groupOf } from "../board.ts";
import { trustedUrl } from "../trusted.ts";
import type { Fold } from "./fold.ts";
import { CARD, GAP, type Layout, layout, type Node } from "./layout.ts";
import type { Laid, Wanted } from "./worker.ts";
import workerUrl from "./worker.ts?worker&url";

let worker: Worker | null = null;
let ticket = 0;
/** The last one, so that coming back to the board shows it at once. */
let last: {
  readonly model: Picture;
  readonly shape: string;
  readonly layout: Layout;
} | null = null;

/** A recording has no file for a worker beside it. */
function startWorker(): Worker | null {
  if (document.getElementById("recording")) return null;
  return new Worker(trustedUrl(workerUrl), { type: "module" });
}

/** With room on the left for the card of what is folded. */
function shifted(laid: Layout): Layout {
  const by = CARD.width + GAP.x;
  const moved = ([x, y]: readonly [number, number]): readonly [number, number] => [x + by, y];
  return {
    ...laid,
    places: new Map([...laid.places].map(([id, place]) => [id, moved(place)])),
    edges: laid.edges.map((edge) => ({ ...edge, via: edge.via.map(moved) })),
    width: laid.width + by,
  };
}

async function place(model: Picture, fold: Fold | null): Promise<Layout> {
  const shown = [...model.tasks.values()].filter(({ id }) => !fold?.ids.has(id));
  const laid = await placed(shown.map((task) => ({ ...task, group: groupOf(task) })));
  return fold ? shifted(laid) : laid;
}

function placed(tasks: readonly Node[]): Promise<Layout> {
  const nodes = tasks.map(({ id, blockedBy, group = "" }) => ({ id, blockedBy, group }));
  worker ??= startWorker();
  const wanted: Wanted = { ticket: ++ticket, nodes };
  const at = worker;
  if (!at) return Promise.resolve(layout(nodes, inOrder(new Map(nodes.map((node) => [node.id, node])))));
  return new Promise((resolve) => {
    const hear = ({ data }: MessageEvent<Laid>): void => {
      if (data.ticket !== wanted.ticket) return;
      at.removeEventListener("message", hear);
      resolve(data.layout);
    };
    at.addEventListener("message", hear);
    at.postMessage(wanted);
  });
}

export function useLayout(model: Picture, fold: Fold | null): Layout | null {
  const shape = `${model.shape} ${fold ? [...fold.ids].join(" ") : ""}`;
  const [laid, setLaid] = useState<Layout | null>(last?.model === model ? last.layout : null);
  useEffect(() => {
    if (last?.model === model && last.shape === shape) return setLaid(last.layout);
    let isOver = false;
    void place(model, fold).then((made) => {
      if (isOver) return;
      last = { model, shape, layout: made };
      setLaid(made);
    });
    return () => {
      isOver = true;
    };
  }, [model, shape]);
  return laid;
}
