/** The times in which a member waited for a person to permit a call. Pure. */
import type { Event } from "../../../../core/event.ts";

export type Range = { readonly from: number; readonly to: number };

/** `events`: of one member, in their order. Answers of the first version name no request. */
export function permissionWaits(events: readonly Event[]): readonly Range[] {
  const open = new Map<string, number>();
  const waits: Range[] = [];
  for (const event of events) {
    if (event.type === "permission.asked") open.set(event.request, event.at);
    const from = event.type === "permission.answered" ? open.get(event.request ?? "") : undefined;
    if (from !== undefined) waits.push({ from, to: event.at });
  }
  return waits;
}

/** In milliseconds; waits at the same time count once for each. */
export const overlap = (waits: readonly Range[], { from, to }: Range): number =>
  waits.reduce((sum, wait) => sum + Math.max(0, Math.min(to, wait.to) - Math.max(from, wait.from)), 0);
