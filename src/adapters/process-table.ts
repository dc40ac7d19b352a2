/**
 * The processes of a job: those of its group, those that carry its tag in their environment, however far they went away
 * (setsid, double fork, a closed pipe), and the descendants of the leader of its group, whatever their environment. All but groups
 * is read from /proc, so it is seen on Linux only.
 */

import { closeSync, openSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { tried } from "../core/tried.ts";
import { systemClock } from "./clock.ts";
import { namesIn } from "./small-files.ts";

const NO_GROUPS: ReadonlySet<number> = new Set();

/** Signal 0 asks the kernel whether a process exists without touching it. One system call. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // there, but not ours
  }
}

/** True while any process of the group is there. */
export const groupAlive = (group: number): boolean => isAlive(-group);

/** Living processes of these groups, and those that carry the tag. Zombies are dead. */
export function processesOf(tag: string, groups: ReadonlySet<number> = NO_GROUPS): number[] {
  const found: number[] = [];
  for (const entry of namesIn("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const tagged = read(`/proc/${entry}/environ`)?.includes(tag) === true;
    if (!tagged && groups.size === 0) continue;
    const stat = read(`/proc/${entry}/stat`)?.toString("latin1");
    // "pid (name) state ppid pgrp session …"; the name may hold spaces and brackets.
    const [state, , group] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
    if (state === undefined || state === "Z" || state === "X") continue;
    if (tagged || groups.has(Number(group))) found.push(pid);
  }
  return found;
}

type Kin = Map<number, string>;

/** Adds the descendants of these processes, each with the time of its start, since a process id may be given away again. */
function addDescendants(roots: ReadonlySet<number>, kin: Kin): void {
  const children = new Map<number, { readonly pid: number; readonly start: string }[]>();
  for (const entry of namesIn("/proc")) {
    const pid = Number(entry);
    const [, parent, start] = Number.isInteger(pid) ? (statOf(pid) ?? []) : [];
    if (parent === undefined || start === undefined) continue;
    const siblings = children.get(Number(parent)) ?? [];
    siblings.push({ pid, start });
    children.set(Number(parent), siblings);
  }
  const left = [...roots, ...kin.keys()];
  for (let parent = left.pop(); parent !== undefined; parent = left.pop())
    for (const { pid, start } of children.get(parent) ?? [])
      if (!kin.has(pid) && pid !== process.pid) {
        kin.set(pid, start);
        left.push(pid);
      }
}

/** All that these processes started, as far as it still has a parent among them. */
export function descendantsOf(roots: ReadonlySet<number>): number[] {
  const kin: Kin = new Map();
  addDescendants(roots, kin);
  return [...kin.keys()];
}

const livingKin = (kin: Kin): number[] =>
  [...kin].flatMap(([pid, start]) => {
    const [state, , now] = statOf(pid) ?? [];
    return now === start && state !== "Z" && state !== "X" ? [pid] : [];
  });

/** State, parent and start of a process. */
function statOf(pid: number): [state: string, parent: string, start: string] | undefined {
  const stat = read(`/proc/${pid}/stat`)?.toString("latin1");
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [fields[0] ?? "", fields[1] ?? "", fields[19] ?? ""];
}

/**
 * TERM to all of them, KILL to those left after `graceMs`. Resolves when none is left (or cannot be killed by us). `supervisor`:
 * a process, and leader of its group, whose end kills all that it started; it gets no TERM, so that they have their grace.
 */
export async function endAll(
  tag: string,
  graceMs: number,
  groups: ReadonlySet<number> = NO_GROUPS,
  supervisor: number | null = null,
): Promise<void> {
  const kin: Kin = new Map();
  const signalAll = (signal: NodeJS.Signals): boolean => {
    // Before the signal: the children of a process that has ended have another parent. A supervisor takes its own along.
    if (groups.size > 0 && supervisor === null) addDescendants(groups, kin);
    const spared = signal === "SIGTERM" ? supervisor : null;
    let any = false;
    for (const group of groups)
      if (group !== spared && groupAlive(group)) any = sendSignal(-group, signal) || any;
    for (const pid of processesOf(tag)) if (pid !== spared) any = sendSignal(pid, signal) || any;
    for (const pid of livingKin(kin)) any = sendSignal(pid, signal) || any;
    return any;
  };
  const gone = (): boolean =>
    process.platform === "linux"
      ? processesOf(tag, groups).length === 0 && livingKin(kin).length === 0
      : ![...groups].some(groupAlive);
  // Each look goes through all processes of the machine, so there is none without a reason.
  if (!signalAll("SIGTERM")) {
    // It has not started anything yet.
    if (supervisor !== null) sendSignal(-supervisor, "SIGKILL");
    return;
  }
  let left = !gone();
  const deadline = systemClock.uptime() + graceMs;
  for (let wait = 4; left && systemClock.uptime() <= deadline; wait = Math.min(wait * 2, 100)) {
    await sleep(wait);
    left = !gone();
  }
  // A process that forks while it is being killed may be missed once.
  for (let round = 0; left && round < 5; round += 1) {
    signalAll("SIGKILL");
    await sleep(5 * (round + 1));
    left = !gone();
  }
}

/** `target`: a process or, below 0, a group. False where it is gone, or not ours. */
export const sendSignal = (target: number, signal: NodeJS.Signals): boolean =>
  tried(() => process.kill(target, signal), false);

/** For one file after the other: to make room for each takes longer than to read it, and a machine has hundreds. */
let room = Buffer.allocUnsafe(64 * 1024);

/** Valid until the next one is read. */
function read(path: string): Buffer | undefined {
  let file: number | null = null;
  try {
    file = openSync(path, "r");
    for (let length = 0; ; ) {
      const more = readSync(file, room, length, room.length - length, null);
      if (more === 0) return room.subarray(0, length);
      length += more;
      if (length === room.length) room = Buffer.concat([room], 2 * length);
    }
  } catch {
    return undefined; // ended in between, or somebody else's
  } finally {
    if (file !== null) closeSync(file);
  }
}
