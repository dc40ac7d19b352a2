/**
 * The lease of this process. While it is renewed, other processes leave the members here alone. A host that cannot renew it stops its
 * members before the lease ends, because after that their tasks may start elsewhere. It takes members back once it has a lease again.
 */
import { isEkidenError } from "../../core/errors.ts";
import type { HostId } from "../../core/ids.ts";
import type { Clock, HostProcess, Shell, Store } from "../../ports/index.ts";

export type HostLeaseParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly host: HostId;
  readonly process: HostProcess;
  readonly leaseMs: number;
  /** Commands of the members end with the lease, also when this process is frozen. */
  readonly shell: Pick<Shell, "extend">;
  /** Ends the members here and resolves when they are gone. */
  readonly letGo: () => Promise<void>;
  /** Takes over the members that no other process runs. */
  readonly rejoin: () => Promise<unknown>;
};

/** This host was declared dead. */
export const isUnregistered = (error: unknown): boolean =>
  isEkidenError(error) && error.details.unregistered === true;

/** Shares of the lease. */
const BEAT = 1 / 3;
const OVERDUE = 1 / 2;
/** From here on a renewal gets `LAST_TRY`; then members are stopped. The rest is for the end of their commands. */
const FENCE = 0.7;
const LAST_TRY = 0.1;
const AGAIN = 0.1;
/** Commands that are still there are killed. */
const KILL = 0.9;

export class HostLease {
  private readonly parts: HostLeaseParts;
  private renewedAt: { readonly now: number; readonly uptime: number };
  private lateAt = Number.NEGATIVE_INFINITY;
  private fenced = false;
  private renewing: Promise<boolean> | null = null;

  constructor(parts: HostLeaseParts) {
    this.parts = parts;
    this.renewedAt = this.moment();
  }

  async open(): Promise<void> {
    const { store, host } = this.parts;
    const { machine, pid, identity } = this.parts.process;
    const asked = this.moment();
    await store.roster.open(host, machine, pid, identity);
    this.renewed(asked);
  }

  private moment(): typeof this.renewedAt {
    const { clock } = this.parts;
    return { now: clock.now(), uptime: clock.uptime() };
  }

  private renewed(asked: typeof this.renewedAt): void {
    const { shell, leaseMs } = this.parts;
    if (!this.isFresh) this.lateAt = asked.uptime;
    this.renewedAt = asked;
    shell.extend?.(leaseMs * KILL - this.age());
  }

  /** Since the last renewal. A clock may be set back, and the uptime may stand still while the machine sleeps: the longer time counts. */
  private age(): number {
    const { clock } = this.parts;
    return Math.max(clock.now() - this.renewedAt.now, clock.uptime() - this.renewedAt.uptime);
  }

  /** Until the signal aborts. Never rejects. */
  async keep(signal: AbortSignal): Promise<void> {
    await Promise.all([this.beat(signal), this.guard(signal)]);
  }

  /** False: the timers of this process were late, and other processes may count it as dead. */
  get isFresh(): boolean {
    return this.age() <= this.parts.leaseMs * OVERDUE;
  }

  /** False: this process was late a moment ago. If the whole machine was, the other hosts need time to renew their leases, too. */
  get mayJudge(): boolean {
    return this.isFresh && this.parts.clock.uptime() - this.lateAt >= this.parts.leaseMs * BEAT;
  }

  /** One renewal at a time. False: the store refused; the next one may succeed. Never rejects. */
  renew(): Promise<boolean> {
    this.renewing ??= this.renewOnce()
      .catch(() => false)
      .finally(() => {
        this.renewing = null;
      });
    return this.renewing;
  }

  private async renewOnce(): Promise<boolean> {
    const { store, host, letGo, rejoin } = this.parts;
    const asked = this.moment();
    const held = await store.roster.beat(host);
    if (held) {
      // While the store was away the renewal waited, and it counts from its end. The start is the safe side.
      this.renewed(asked);
      if (!this.fenced) return true;
    }
    this.fenced = true;
    await letGo();
    await this.open();
    this.fenced = false;
    await rejoin();
    return true;
  }

  private async beat(signal: AbortSignal): Promise<void> {
    const { clock, leaseMs } = this.parts;
    while (!signal.aborted) {
      await clock.sleep(leaseMs * BEAT, signal);
      if (!signal.aborted) await this.renew();
    }
  }

  private async guard(signal: AbortSignal): Promise<void> {
    const { clock, leaseMs, letGo } = this.parts;
    while (!signal.aborted) {
      const left = leaseMs * FENCE - this.age();
      if (left > 0) {
        await clock.sleep(left, signal);
        continue;
      }
      // A process that was frozen may still have its lease: the renewal tells.
      const renewal = this.renew();
      const waited = new AbortController();
      const late = clock.sleep(leaseMs * LAST_TRY, waited.signal).then(() => false);
      const inTime = await Promise.race([renewal, late]);
      waited.abort();
      if (inTime || signal.aborted) continue;
      if (!this.fenced) {
        this.fenced = true;
        void letGo();
      }
      await renewal;
      await clock.sleep(leaseMs * AGAIN, signal);
    }
  }
}
