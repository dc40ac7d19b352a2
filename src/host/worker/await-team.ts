/** Waits until there is a team to work for: a worker may be started before its database, and before the team. */
import { existsSync } from "node:fs";
import { systemClock } from "../../adapters/clock.ts";
import { openStore } from "../../adapters/store/index.ts";
import { isEkidenError, messageOf } from "../../core/errors.ts";
import { LEAD } from "../../core/ids.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { refuseInReach, sqlitePath, storeUrl } from "../../project/store-address.ts";

const LOOK_MS = 1_000;

/** False if the signal aborts first. `tell` gets each new reason to wait. @throws what no wait can change */
export async function awaitTeam(
  settings: Settings,
  cwd: string,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let told = "";
  while (!signal.aborted) {
    const why = await missing(settings, cwd, tell);
    if (why === null) return true;
    if (why !== told) tell(why);
    told = why;
    await systemClock.sleep(LOOK_MS, signal);
  }
  return false;
}

/** A sentence about the missing part; null if the team can be joined. */
async function missing(
  settings: Settings,
  cwd: string,
  tell: (text: string) => void,
): Promise<string | null> {
  const { team, leaseMs, maxAttempts } = settings;
  const notYet = `Waits for team "${team}": ekiden run or ekiden resume starts it.`;
  refuseInReach(settings, cwd);
  const path = sqlitePath(settings.store, cwd);
  if (path !== null && !existsSync(path)) return notYet;
  try {
    const url = storeUrl(settings, cwd);
    const store = await openStore({
      url,
      team,
      clock: systemClock,
      leaseMs,
      maxAttempts,
      access: "use",
      tell,
    });
    try {
      // Without a model in the settings, that of the lead tells whether the team runs on the embedded one.
      return settings.model !== undefined || (await store.roster.member(LEAD)) ? null : notYet;
    } finally {
      await store.close();
    }
  } catch (error) {
    if (isEkidenError(error, "not_found")) return notYet;
    if (isEkidenError(error, "store_unavailable")) return `Waits for the store. ${messageOf(error)}`;
    throw error;
  }
}
