/** What is drawn under the lanes: turns with their tools, and the times that are folded. */
import { useMemo } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import type { Lanes } from "../../../../core/picture/spans.ts";
import { stepsOf } from "../../../../core/picture/turns.ts";
import { app } from "../app.ts";
import { useTurns } from "../live/turns.ts";
import { gapsIn, type View } from "./lanes-bars.ts";

/** The turns of each member with their tools, and the times in which nobody did anything. */
export function useSteps(all: Lanes, events: readonly Event[], { from, to, width }: View) {
  const turns = useTurns(events);
  const steps = useMemo(() => {
    const isOn = (who: string): boolean => app.replay !== null || app.live.members.get(who)?.hosted === true;
    return new Map(
      [...turns].map(([who, list]) => {
        const own = stepsOf(list, all.rests.get(who) ?? []);
        return [who, isOn(who) ? own : own.map((one) => ({ ...one, to: one.to ?? one.from }))] as const;
      }),
    );
  }, [turns, all]);
  // Not each second: a gap at the end grows without anybody seeing it.
  const end = Math.round(to / 10_000);
  const gaps = useMemo(() => {
    const busy = [...all.spans, ...[...turns.values()].flat()].map((one) => ({
      from: one.from,
      to: one.to ?? to,
    }));
    return gapsIn(busy, { from, to }, width);
  }, [all, turns, from, end, width]);
  return { steps, gaps };
}
