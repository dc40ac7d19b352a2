/** Ends the processes of a team on this machine by a signal: the store, through which it is asked otherwise, is away. */
import type { Settings } from "../../core/settings/settings.ts";
import { reach } from "./attached-host.ts";
import { socketPath } from "./wire.ts";

/** A process that stands still is not waited for. */
const FROZEN_MS = 3_000;

/** As Ctrl-C in their terminals does. Returns their process ids; none where no process of this machine runs the team. */
export async function endHere(settings: Pick<Settings, "store" | "team">, cwd: string): Promise<number[]> {
  const ended: number[] = [];
  for (const of of ["run", "host"] as const) {
    const found = await reach(socketPath(settings, cwd, of), FROZEN_MS);
    if (found === null || "refused" in found) continue;
    found.line.socket.destroy();
    process.kill(found.welcome.pid, "SIGINT");
    ended.push(found.welcome.pid);
  }
  return ended;
}
