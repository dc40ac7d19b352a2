/**
 * The identity of this process, so that others can see whether it lives. A process id names one process only on one kernel, in one
 * namespace of process ids, and until the kernel gives it to another process. An identity holds all of that: "PLACE.PID.START".
 */

import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { tried } from "../core/tried.ts";
import { isAlive } from "./process-table.ts";

/** The kernel and the namespace of process ids. Containers with the same host name have different ones. */
export const PLACE = createHash("sha256")
  .update([kernel(), tried(() => readlinkSync("/proc/self/ns/pid"), "")].join("\n"))
  .digest("hex")
  .slice(0, 12);

/** Another namespace may have mounted its /proc here. Its numbers are not ours. */
const canSeeStarts = tried(() => readFileSync("/proc/self/stat", "utf8"), "").startsWith(`${process.pid} `);
const UNKNOWN = "0";
const ENDED = "ended";

export const identityOf = (pid: number): string => `${PLACE}.${pid}.${startOf(pid)}`;

/** The identity of this process, read once: later its /proc may be gone. */
export const OWN_IDENTITY = identityOf(process.pid);

/** The beginning of the tags in the environment of our children. `scope` names the team whose hosts may end them. */
export const markOf = (scope: string): string => `${OWN_IDENTITY}.${scope}`;

/** Whether that process lives; null if it cannot be seen from here. "" is nobody's identity. */
export function livesAs(identity: string): boolean | null {
  const [place, pid, start] = identity.split(".");
  if (place !== PLACE || !pid || !start) return null;
  if (!isAlive(Number(pid))) return false;
  const now = startOf(Number(pid));
  return now !== ENDED && (now === UNKNOWN || start === UNKNOWN || now === start);
}

/** Without a boot id, which only Linux shows, the host name has to do. */
function kernel(): string {
  const boot = tried(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"), "");
  return boot === "" ? hostname() : boot + tried(() => readFileSync("/etc/machine-id", "utf8"), "");
}

/** When the kernel started a process, in its ticks since the boot. A zombie runs no more, but keeps its id until somebody reads its end. */
function startOf(pid: number): string {
  if (!canSeeStarts) return UNKNOWN;
  const stat = tried(() => readFileSync(`/proc/${pid}/stat`, "latin1"), "");
  // The name of the program, in brackets, may hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? ENDED : (fields[19] ?? UNKNOWN);
}
