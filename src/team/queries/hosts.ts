/** The processes that run the members of a team. */
import { systemClock } from "../../adapters/clock.ts";
import { livesAs } from "../../adapters/process-identity.ts";
import type { Host } from "../../core/board/host.ts";
import type { Store } from "../../ports/index.ts";

/** The lease of a process that was seen to have ended is over, as its members can be taken over at once. */
export async function readHosts({ roster }: Pick<Store, "roster">): Promise<Host[]> {
  const now = systemClock.now();
  return (await roster.hosts()).map((host) =>
    host.leaseUntil > now && livesAs(host.identity) === false ? { ...host, leaseUntil: now } : host,
  );
}

/** Its lease is over and it is there all the same: it was suspended, or its machine. Its members work no more, and nobody may end it but a person. */
export const standsStill = ({ leaseUntil, identity }: Host): boolean =>
  leaseUntil <= systemClock.now() && livesAs(identity) === true;

/** Said after what waits for the team: empty where a process runs it. */
export const atRest = async (store: Pick<Store, "roster">): Promise<string> =>
  (await liveHosts(store)).length > 0 ? "" : "; no process runs the team now. To start it: ekiden resume";

/** The processes that live, as far as can be seen from here. */
export async function liveHosts(store: Pick<Store, "roster">): Promise<Host[]> {
  const hosts = await readHosts(store);
  const now = systemClock.now();
  return hosts.filter(({ leaseUntil }) => leaseUntil > now);
}
