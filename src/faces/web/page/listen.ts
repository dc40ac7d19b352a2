/**
 * Connects this tab with the live journal: through the worker that all tabs share, or by itself in a browser without such workers. Then it
 * listens only while it is seen, so that hidden tabs hold no connection.
 */
import type { Asked, Told } from "./stream-worker.ts";
import workerUrl from "./stream-worker.ts?sharedworker&url";
import { type Heard, type Place, Streams } from "./streams.ts";
import { trustedUrl } from "./trusted.ts";

type Ear = (heard: Heard) => void;

let port: MessagePort | null | undefined;
let nth = 0;

function sharedPort(): MessagePort | null {
  if (typeof SharedWorker === "undefined") return null;
  const worker = new SharedWorker(trustedUrl(workerUrl), { type: "module", name: "ekiden" });
  worker.port.start();
  return worker.port;
}

/** `placeNow`: where to go on after the tab was away. Ends with the returned function. */
export function listen(placeNow: () => Place, ear: Ear): () => void {
  port ??= sharedPort();
  return port ? throughWorker(port, placeNow, ear) : whileSeen(placeNow, ear);
}

function throughWorker(to: MessagePort, placeNow: () => Place, ear: Ear): () => void {
  const mine = ++nth;
  const ask = (place: Place | null): void => to.postMessage({ nth: mine, place } satisfies Asked);
  const hear = ({ data }: MessageEvent<Told>): void => {
    if (data.nth === mine) ear(data.heard);
  };
  // A tab that goes may come back out of the browser's cache.
  const away = (): void => ask(null);
  const back = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) ask(placeNow());
  };
  to.addEventListener("message", hear);
  addEventListener("pagehide", away);
  addEventListener("pageshow", back);
  ask(placeNow());
  return () => {
    to.removeEventListener("message", hear);
    removeEventListener("pagehide", away);
    removeEventListener("pageshow", back);
    if (mine === nth) away();
  };
}

const HIDDEN_MS = 5_000;

function whileSeen(placeNow: () => Place, ear: Ear): () => void {
  const streams = new Streams();
  let leave: (() => void) | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (!document.hidden) leave ??= streams.listen(placeNow(), ear);
    else
      timer = setTimeout(() => {
        leave?.();
        leave = null;
      }, HIDDEN_MS);
  };
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
    leave?.();
  };
}
