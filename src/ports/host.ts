import type { HostId, Instant } from "../core/ids.ts";

/** A process that runs members. */
export type Host = {
  readonly id: HostId;
  readonly machine: string;
  readonly pid: number;
  readonly leaseUntil: Instant;
  /** Of its program. */
  readonly version: string;
  /** How many members it takes; 0 for a process that is not a worker, or that is leaving. */
  readonly capacity: number;
  /** How many members it runs, and how many of them are at work. */
  readonly members: number;
  readonly working: number;
};
