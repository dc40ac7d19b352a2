/**
 * A control group for all confined commands of a process that runs as root: the kernel counts the processes of every other user by
 * itself. There is none where the system lets nobody make one, as in most containers; then only the looks of the shell count.
 */

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { succeeds } from "../../core/tried.ts";
import { livesAs, OWN_IDENTITY } from "../process-identity.ts";
import { namesIn, textIn } from "../small-files.ts";

const PREFIX = "ekiden-";
const ROOT = "/sys/fs/cgroup";
/** The part of the machine's process numbers that all commands together may have. */
const SHARE = 1 / 4;
/** With many more that never wait, the process that looks at them hardly gets its turn. */
const TASKS_PER_CORE = 2_048;
const CLOSE_TRIES = 10;
/** The shell becomes the program that follows; without the group it starts it all the same. */
const JOIN = '{ echo 0 > "$0"; } 2>/dev/null; exec "$@"';

export class TaskGroup {
  /** The command that starts a program in the group. */
  readonly join: readonly string[];
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.join = ["/bin/sh", "-c", JOIN, join(folder, "cgroup.procs")];
  }

  /** `tasks`: processes and threads at most. Null where there is no need or no way. `root`: where the control groups are. */
  static make(tasks: number, root = ROOT): TaskGroup | null {
    const parent = process.getuid?.() === 0 ? parentIn(root, textIn("/proc/self/cgroup")) : null;
    if (parent === null) return null;
    for (const name of namesIn(parent)) {
      const [, owner] = name.startsWith(PREFIX) ? (/^(.+)-/.exec(name.slice(PREFIX.length)) ?? []) : [];
      if (owner !== undefined && livesAs(owner) === false) removed(join(parent, name));
    }
    const folder = join(parent, `${PREFIX}${OWN_IDENTITY}-${randomBytes(4).toString("hex")}`);
    const numbers = Number(textIn("/proc/sys/kernel/pid_max")) * SHARE || tasks;
    const most = Math.floor(Math.min(tasks, numbers, TASKS_PER_CORE * availableParallelism()));
    try {
      mkdirSync(folder);
      writeFileSync(join(folder, "pids.max"), String(most), { flag: "r+" });
      return new TaskGroup(folder);
    } catch {
      removed(folder);
      return null;
    }
  }

  /** The processes in it have been killed and may not all be gone; the next process removes what stays. */
  async close(): Promise<void> {
    for (let tries = 0; tries < CLOSE_TRIES && !removed(this.folder); tries += 1) await sleep(10);
  }
}

/**
 * The group in which another one may be made that counts processes; null for none. `groups`: lines "NUMBER:CONTROLLERS:PATH". In the
 * second version a group with processes has no groups below it that count, so the new one is made beside the own one.
 */
export function parentIn(root: string, groups: string): string | null {
  const paths = new Map(
    groups.split("\n").flatMap((line) => {
      const [, controllers = "", path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      return path === undefined ? [] : [[controllers, path]];
    }),
  );
  const first = paths.get("pids");
  if (first !== undefined) return [join(root, "pids", first), join(root, "pids")].find(existsSync) ?? null;
  const second = paths.get("");
  if (second === undefined) return null;
  const parent = join(root, dirname(second));
  return textIn(join(parent, "cgroup.subtree_control")).split(/\s+/).includes("pids") ? parent : null;
}

const removed = (folder: string): boolean => succeeds(() => rmdirSync(folder)) || !existsSync(folder);
