/** One team's view of a driver: runs its operations and wakes waiters after the commit. */

import type { LandingSettings } from "../../core/board/landing-settings.ts";
import type { Name } from "../../core/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { WakeTopic } from "../../ports/store.ts";
import type { Outage } from "./databases/outage.ts";
import type { Driver, Op, Tx } from "./sql.ts";

export type Limits = {
  /** The time for which a host counts as alive after its last `beat`. */
  readonly leaseMs: number;
  /** A task whose owner died or gave it back fails after this many tries. */
  readonly maxAttempts: number;
  /** Whether the lead may claim a further task while it has one. */
  readonly leadMayHoldSeveral: boolean;
  /** The version of this program. Hosts of another version may not join while one with a lease is there; "" joins any. */
  readonly version: string;
  /** Hosts that land in another way may not join while one with a lease is there; null joins any. */
  readonly lands: LandingSettings | null;
  /** Takes secrets out of all texts that are stored. */
  readonly redact: (text: string) => string;
};

export class Session {
  readonly team: Name;
  readonly driver: Driver;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Null: errors of a database that is away are thrown at once. */
  readonly outage: Outage | null;

  constructor(team: Name, driver: Driver, clock: Clock, limits: Limits, outage: Outage | null = null) {
    this.outage = outage;
    this.team = team;
    this.driver = driver;
    this.clock = clock;
    this.limits = limits;
  }

  look<T>(work: (tx: Tx) => Op<T>): Promise<T> {
    return this.through(() => this.driver.look(() => work(this.tx(null))));
  }

  read<T>(work: (tx: Tx) => Op<T>): Promise<T> {
    return this.through(() => this.driver.read(() => work(this.tx(null))));
  }

  async write<T>(work: (tx: Tx) => Op<T>): Promise<T> {
    let topics = new Set<WakeTopic>();
    const result = await this.through(() =>
      this.driver.write(() => {
        topics = new Set();
        return work(this.tx(topics));
      }),
    );
    this.driver.hub.announce(this.team, topics);
    return result;
  }

  private through<T>(step: () => Promise<T>): Promise<T> {
    return this.outage ? this.outage.through(step) : step();
  }

  private tx(topics: Set<WakeTopic> | null): Tx {
    const { dialect } = this.driver;
    const { simulated } = this.clock;
    const now = this.clock.now();
    return {
      team: this.team,
      now,
      leaseClock: (simulated ? null : dialect.clock) ?? now,
      dialect,
      notify: (topic) => topics?.add(topic),
    };
  }
}
