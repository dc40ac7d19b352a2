/** The processes that run members. */
import type { HostId, Instant } from "../ids.ts";

export type HostProcess = {
  /** For people. Several machines may have one name. */
  readonly machine: string;
  readonly pid: number;
  /** By which other processes see whether it lives; "" if only its lease tells. */
  readonly identity: string;
};

/** Whether a process lives; null if it cannot be seen from here. */
export type IsAlive = (process: HostProcess) => boolean | null;

export type Host = HostProcess & {
  readonly id: HostId;
  /** In the time of the reader's clock. */
  readonly leaseUntil: Instant;
  /** The version of its program. */
  readonly version: string;
  /** The number of members that it takes; 0 for a process that is not a worker, or that is leaving. */
  readonly capacity: number;
  /** The numbers of members that it runs, and of those at work. */
  readonly members: number;
  readonly working: number;
};
