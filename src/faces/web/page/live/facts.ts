/** The facts that lanes and landings are drawn from: loaded when first wanted, then kept up with the stream. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import { app } from "../app.ts";
import { loadFacts } from "./replay.ts";

/** Counts how often the server came back while something was missing: an effect that has it among its values asks again. */
export function useReturns(isMissing: boolean): number {
  const isLive = app.connection.is === "live";
  const wasLive = useRef(isLive);
  const [returns, setReturns] = useState(0);
  useEffect(() => {
    if (isLive && !wasLive.current && isMissing) setReturns(returns + 1);
    wasLive.current = isLive;
  }, [isLive]);
  return returns;
}

type Facts = { readonly events: readonly Event[]; readonly isLoading: boolean; readonly error: string };
const NONE: Facts = { events: [], isLoading: true, error: "" };

export function useFacts(): Facts {
  const { team } = app.route;
  const { replay } = app;
  const [facts, setFacts] = useState<Facts>(NONE);
  const returns = useReturns(facts.error !== "");
  useEffect(() => {
    if (replay) return;
    let isOver = false;
    let [loaded, waiting]: [Event[] | null, Event[]] = [null, []];
    const stop = app.tap((events) => {
      if (!loaded) return void waiting.push(...events);
      loaded = [...loaded, ...events];
      setFacts({ events: loaded, isLoading: false, error: "" });
    });
    loadFacts(app.source, team, false).then(
      (events) => {
        if (isOver) return;
        const known = new Set(events.slice(-5_000).map((event) => event.seq));
        loaded = [...events, ...waiting.filter((event) => !known.has(event.seq))];
        waiting = [];
        setFacts({ events: loaded, isLoading: false, error: "" });
      },
      (error: Error) => !isOver && setFacts({ events: [], isLoading: false, error: error.message }),
    );
    return () => {
      isOver = true;
      stop();
      setFacts(NONE);
    };
  }, [team, replay, returns]);
  if (!replay) return facts;
  return { events: replay.events.slice(0, count(replay.events, replay.time)), isLoading: false, error: "" };
}

/** The number of the events, which are in order of time, that had happened. */
function count(events: readonly Event[], time: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle] as Event).at <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Answer<T> = { readonly path: string | null; readonly data: T | null; readonly error: string };

/** An answer of the server, asked for again when `key` changes. The last answer stays while the next one comes. */
export function useAnswer<T>(path: string | null, key: unknown = ""): Omit<Answer<T>, "path"> {
  const [state, setState] = useState<Answer<T>>({ path: null, data: null, error: "" });
  const returns = useReturns(state.error !== "");
  useEffect(() => {
    if (path === null) return;
    let isOver = false;
    app.source.get<T>(`${app.route.team}/${path}`).then(
      (data) => !isOver && setState({ path, data, error: "" }),
      (error: Error) => !isOver && setState({ path, data: null, error: error.message }),
    );
    return () => {
      isOver = true;
    };
  }, [path, key, app.route.team, returns]);
  return state.path === path ? state : { data: null, error: "" };
}
