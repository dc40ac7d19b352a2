/** Folds facts into the landings that wait, those that were refused, and those that are done. Pure. */
import type { Event } from "../../../../core/event.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;
type Waiting = {
  readonly task: number;
  readonly by: string;
  readonly at: number;
  readonly target: string;
  readonly gate: string;
};

export function landings(events: readonly Event[]) {
  const waiting = new Map<number, Waiting>();
  const refused: Of<"task.reopened">[] = [];
  const landed: Of<"task.landed">[] = [];
  for (const event of events)
    switch (event.type) {
      case "task.queued":
        if (!waiting.get(event.task)?.gate) waiting.set(event.task, { ...event, gate: "" });
        break;
      case "gate.started":
        waiting.set(event.task, { target: "", ...waiting.get(event.task), ...event, gate: event.command });
        break;
      case "task.landed":
        waiting.delete(event.task);
        landed.unshift(event);
        break;
      case "task.reopened":
        waiting.delete(event.task);
        refused.unshift(event);
        break;
      case "task.completed":
      case "task.failed":
      case "task.released":
      case "task.cancelled":
        waiting.delete(event.task);
    }
  // A refusal that has been overcome is history; it stands with its task.
  const isLanded = new Set(landed.map((one) => one.task));
  return {
    waiting: [...waiting.values()].sort((a, b) => Number(b.gate !== "") - Number(a.gate !== "")),
    refused: refused.filter((one) => !isLanded.has(one.task)),
    landed,
  };
}
