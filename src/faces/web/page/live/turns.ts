/** The turns of all members, for the lanes: those that the server keeps, and those that come; in a replay those until its moment. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import { type Turn, turnOf } from "../../../../core/picture/turns.ts";
import type { TurnTimes } from "../../wire.ts";
import { app } from "../app.ts";
import { useAnswer } from "./facts.ts";

/** `events`: of the moment that is shown. */
export function useTurns(events: readonly Event[]): ReadonlyMap<string, readonly Turn[]> {
  const isPast = app.replay !== null;
  const { data } = useAnswer<TurnTimes>(isPast || app.source.recording ? null : "turns");
  const [fresh, setFresh] = useState<readonly Turn[]>([]);
  useEffect(() => {
    setFresh([]);
    return app.tap((batch) => {
      const turns = turnsIn(batch);
      if (turns.length > 0) setFresh((before) => [...before, ...turns]);
    });
  }, [app.route.team]);
  const past = isPast ? events : null;
  return useMemo(() => {
    const kept =
      data?.turns.map(([nth, to, ms]) => ({ who: data.names[nth] ?? "", from: to - ms, to })) ?? [];
    const last = kept.at(-1)?.to ?? 0;
    const all = past ? turnsIn(past) : [...kept, ...fresh.filter(({ to }) => to > last)];
    const found = new Map<string, Turn[]>();
    for (const turn of all) {
      const list = found.get(turn.who);
      if (list) list.push(turn);
      else found.set(turn.who, [turn]);
    }
    return found;
  }, [data, fresh, past]);
}

const turnsIn = (events: readonly Event[]): Turn[] =>
  events.flatMap((event) => {
    const turn = turnOf(event);
    return turn === null ? [] : [turn];
  });
