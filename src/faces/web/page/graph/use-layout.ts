/** The layout of a board, made in the worker and kept until tasks or edges change. */
import { useEffect, useState } from "preact/hooks";
import { inOrder } from "../../../../core/order.ts";
import type { Picture } from "../../../../core/picture/picture.ts";
import { groupOf } from "../board.ts";
import { trustedUrl } from "../trusted.ts";
import { type Layout, layout } from "./layout.ts";
import type { Laid, Wanted } from "./worker.ts";
import workerUrl from "./worker.ts?worker&url";

let worker: Worker | null = null;
let ticket = 0;
/** The last one, so that coming back to the board shows it at once. */
let last: { readonly model: Picture; readonly shape: number; readonly layout: Layout } | null = null;

/** A recording has no file for a worker beside it. */
function startWorker(): Worker | null {
  if (document.getElementById("recording")) return null;
  return new Worker(trustedUrl(workerUrl), { type: "module" });
}

function place(model: Picture): Promise<Layout> {
  const nodes = [...model.tasks.values()].map((task) => {
    const { id, blockedBy } = task;
    return { id, blockedBy, group: groupOf(task) };
  });
  worker ??= startWorker();
  const wanted: Wanted = { ticket: ++ticket, nodes };
  const at = worker;
  if (!at) return Promise.resolve(layout(nodes, inOrder(model.tasks)));
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

export function useLayout(model: Picture): Layout | null {
  const { shape } = model;
  const [laid, setLaid] = useState<Layout | null>(last?.model === model ? last.layout : null);
  useEffect(() => {
    if (last?.model === model && last.shape === shape) return setLaid(last.layout);
    let isOver = false;
    void place(model).then((made) => {
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
