/** The view of other faces on a run in this process: a face that opens its door hears the same as its screen. */

import type { Settings } from "../../core/settings/settings.ts";
import type { Door } from "../../host/attach/door.ts";
import { socketPath } from "../../host/attach/wire.ts";
import type { HostOptions, TeamHost } from "../../host/team-host.ts";
import type { Invocation } from "../kit/invocation.ts";

type Told = Pick<HostOptions, "onDelta" | "onOutput">;

/** Tells all of them, who may come later. */
export const toldTo = (all: () => readonly (Told | undefined)[]): Required<Told> => ({
  onDelta: (...heard) => {
    for (const one of all()) one?.onDelta?.(...heard);
  },
  onOutput: (...heard) => {
    for (const one of all()) one?.onOutput?.(...heard);
  },
});

/** Lets other terminals and a page of this person steer the run. Null where another process has the socket. */
export async function openToOthers(
  host: TeamHost,
  settings: Settings,
  { cwd, flags }: Invocation,
  signal: AbortSignal,
): Promise<Door | null> {
  if (signal.aborted || host.isEnding()) return null;
  try {
    const { Door } = await import("../../host/attach/door.ts");
    const door = await Door.open(socketPath(settings, cwd, "run"));
    door?.serve(host, Promise.resolve(), flags, true);
    return door;
  } catch {
    return null; // it costs no run that other faces cannot call it
  }
}
