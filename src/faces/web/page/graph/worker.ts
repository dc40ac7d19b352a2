/** Lays the board out beside the page's own thread, which goes on scrolling. */
import { inOrder } from "../../../../core/board/order.ts";
import { type Layout, layout, type Node } from "./layout.ts";

export type Wanted = { readonly ticket: number; readonly nodes: readonly Node[] };
export type Laid = { readonly ticket: number; readonly layout: Layout };

self.onmessage = ({ data }: MessageEvent<Wanted>) => {
  const order = inOrder(new Map(data.nodes.map((node) => [node.id, node])));
  self.postMessage({ ticket: data.ticket, layout: layout(data.nodes, order) } satisfies Laid);
};
