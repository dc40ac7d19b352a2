/** Times that continue: an element with one is drawn again each second, alone, and only while the page is seen. */
import { useEffect, useState } from "preact/hooks";
import { span } from "../../../../core/views/view.ts";
import { app } from "../app.ts";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(on: () => void): () => void {
  listeners.add(on);
  timer ??= setInterval(() => {
    if (document.hidden || app.replay) return;
    for (const listener of [...listeners]) listener();
  }, 1_000);
  return () => {
    listeners.delete(on);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Draws the component each second while `isOn`. */
export function useClock(isOn: boolean): void {
  const [, tick] = useState(0);
  useEffect(() => (isOn ? subscribe(() => tick((n) => n + 1)) : undefined), [isOn]);
}

/** The time since it, until now or until `to`. */
export function Elapsed({ since, to = null }: { since: number; to?: number | null }) {
  useClock(to === null);
  return <>{span((to ?? app.now) - since)}</>;
}

const DAY_MS = 86_400_000;

/** The time until then. */
export function Left({ until }: { until: number }) {
  useClock(true);
  const ms = Math.max(0, until - app.now);
  // A question that waits as long as the team lives has no end to show.
  return <>{ms > DAY_MS ? "" : `${span(ms)} left`}</>;
}
