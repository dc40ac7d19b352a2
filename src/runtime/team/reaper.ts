/**
 * Looks for hosts that have died, for their jobs, and for requests whose deadline has passed. Where another host lives, its end is
 * noticed at once. A host that is alone looks less often: these looks would be most of what an idle team costs.
 */
import type { HostLease } from "./host-lease.ts";
import type { TeamParts } from "./team-parts.ts";

/** A host that is alone waits so many times longer for its next look. */
const ALONE_FACTOR = 6;

type Options = {
  readonly parts: Pick<TeamParts, "store" | "clock" | "isAlive" | "onOrphans" | "jobs" | "host">;
  readonly lease: Pick<HostLease, "isFresh" | "renew" | "mayJudge">;
  /** Whether dead hosts may be removed now. */
  readonly mayRemove: () => Promise<boolean>;
};

export class Reaper {
  private readonly options: Options;
  private isAlone = false;

  constructor(options: Options) {
    this.options = options;
  }

  /** Looks until the signal aborts. */
  async keep(reapMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.options.parts.clock.sleep(this.isAlone ? reapMs * ALONE_FACTOR : reapMs, signal);
      if (!signal.aborted) await this.look();
    }
  }

  async look(): Promise<void> {
    const { parts, lease, mayRemove } = this.options;
    // A look that ends early is repeated soon.
    this.isAlone = false;
    if (!lease.isFresh) await lease.renew(); // or this host may count as dead itself
    if (!lease.mayJudge) return;
    if (await mayRemove()) await this.removeDeadHosts().catch(() => {});
    await parts.jobs?.reap().catch(() => {});
    await parts.store.requests.expire("Nobody answered before the deadline.").catch(() => {});
  }

  private async removeDeadHosts(): Promise<void> {
    const { store, isAlive, onOrphans, host } = this.options.parts;
    let isAlone = true;
    await store.roster.reap((one) => {
      if (one.id === host) return true;
      isAlone = false;
      return isAlive(one);
    }, onOrphans);
    this.isAlone = isAlone;
  }
}
