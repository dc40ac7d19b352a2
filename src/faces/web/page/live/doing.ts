/** What members do at this moment, asked for each second while anybody looks. */
import { useEffect, useState } from "preact/hooks";
import type { Doing } from "../../wire.ts";
import { app } from "../app.ts";

const LOOK_MS = 1_000;

/** `seen`: the members in sight; it may change. */
export function useDoing(seen: ReadonlySet<string>): ReadonlyMap<string, Doing> {
  const [doing, setDoing] = useState<ReadonlyMap<string, Doing>>(new Map());
  const { team } = app.route;
  useEffect(() => {
    if (app.source.recording) return;
    let [isOver, isOld] = [false, true];
    const look = async (): Promise<void> => {
      if (isOver || !isOld || document.hidden || app.replay || seen.size === 0) return;
      isOld = false;
      const who = [...seen].slice(0, 60).join(",");
      const list = await app.source.get<Doing[]>(`${team}/doing`, { who }).catch(() => []);
      if (!isOver && list.length > 0) setDoing(new Map(list.map((one) => [one.name, one])));
    };
    const stop = app.tap(() => {
      isOld = true;
    });
    const timer = setInterval(() => void look(), LOOK_MS);
    const first = setTimeout(() => void look(), 60);
    return () => {
      isOver = true;
      stop();
      clearInterval(timer);
      clearTimeout(first);
    };
  }, [team]);
  return doing;
}
