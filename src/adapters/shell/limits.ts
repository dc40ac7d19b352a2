/**
 * Ends a confined command that uses more of the machine than the settings allow. The kernel counts processes of a user, and not of root,
 * and memory of one process; here the whole tree of a command counts. So all commands are looked at together, a few times
 * a second, and only while one of them runs for longer than most do.
 */

import { readlinkSync, statfsSync, statSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import {
  brokenLimit,
  type CommandLimits,
  type DiskUse,
  fileLimitNote,
} from "../../core/sandbox/command-limits.ts";
import { systemClock } from "../clock.ts";
import { sendSignal } from "../process-table.ts";
import { fullDiskNote } from "../shortages.ts";
import { namesIn, textIn } from "../small-files.ts";

const LOOK_MS = 200;
/** The part of the time that looks may take. */
const SHARE = 1 / 30;
const PAGE = 4_096;

type Watched = {
  /** A process whose children end with it, and take along all that they started. */
  readonly supervisor: number;
  readonly limits: CommandLimits;
  /** As they were at the start. */
  readonly disks: readonly DiskUse[];
  readonly onOver: (note: string) => void;
};
type Process = { readonly pid: number; readonly threads: number; readonly memory: number };

export class LimitWatch {
  private readonly watched = new Set<Watched>();
  private readonly temporary: string;
  private timer: NodeJS.Timeout | undefined;

  constructor(temporary = tmpdir()) {
    this.temporary = temporary;
  }

  /** Returns what ends the watch. */
  add(command: Omit<Watched, "disks"> & { readonly cwd: string }): () => void {
    // The private folder for temporary files is in that of the machine, which may be in memory.
    const disks = [command.cwd, this.temporary].flatMap((path) => {
      const free = freeOn(path);
      return free === null ? [] : [{ path, atStart: free, free }];
    });
    const watched = { ...command, disks };
    this.watched.add(watched);
    this.wait(LOOK_MS);
    return () => {
      this.watched.delete(watched);
      if (this.watched.size > 0) return;
      clearTimeout(this.timer);
      this.timer = undefined;
    };
  }

  private wait(ms: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const began = systemClock.uptime();
      this.look();
      if (this.watched.size > 0) this.wait(Math.max(LOOK_MS, (systemClock.uptime() - began) / SHARE));
    }, ms).unref();
  }

  private look(): void {
    const children = processesByParent();
    const outside = textIn("/proc/self/mountinfo");
    for (const one of this.watched) {
      const { supervisor, limits, onOver } = one;
      const [first = []] = [children.get(supervisor)];
      const found: Process[] = [...first];
      for (const { pid } of found) found.push(...(children.get(pid) ?? []));
      const sum = (of: (process: Process) => number) => found.reduce((all, process) => all + of(process), 0);
      const use = {
        ...{ processes: found.length, threads: sum(({ threads }) => threads) },
        disks: one.disks.map((disk) => ({ ...disk, free: freeOn(disk.path) ?? disk.free })),
      };
      const over = (memory: number) => brokenLimit({ ...use, memory }, limits, memoryOfMachine());
      const files = filesInMemory(
        found.map(({ pid }) => pid),
        outside,
      );
      // Memory that processes share counts once for each of them, so a second look divides it among them. Files in memory are part of it.
      const note =
        over(files + sum(({ memory }) => memory)) &&
        over(
          sum(({ pid }) => ownMemory(pid)) +
            Math.max(
              files,
              sum(({ pid }) => sharedMemory(pid)),
            ),
        );
      if (note === null) continue;
      this.watched.delete(one);
      onOver(note);
      for (const { pid } of first) sendSignal(pid, "SIGKILL");
    }
  }
}

/** The memory of this machine, or of the container in which this process runs. */
function memoryOfMachine(): number {
  const bound = process.constrainedMemory();
  return bound > 0 ? Math.min(bound, totalmem()) : totalmem();
}

function freeOn(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return null;
  }
}

function processesByParent(): Map<number, Process[]> {
  const children = new Map<number, Process[]>();
  for (const entry of namesIn("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    // "pid (name) state ppid …"; the name may hold spaces and brackets.
    const stat = textIn(`/proc/${entry}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const parent = Number(fields[1]);
    const siblings = children.get(parent);
    const process = { pid, threads: Number(fields[17]), memory: Number(fields[21]) * PAGE };
    if (siblings) siblings.push(process);
    else children.set(parent, [process]);
  }
  return children;
}

function ownMemory(pid: number): number {
  const [, resident = 0, shared = 0] = textIn(`/proc/${pid}/statm`, "latin1").split(" ").map(Number);
  return (resident - shared) * PAGE;
}

/** The part of a process in memory that is no file on a disk and that others may use, too. It takes long to ask for a large process. */
const sharedMemory = (pid: number): number =>
  1024 * Number(/^Pss_Shmem: +(\d+)/m.exec(textIn(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1] ?? 0);

/**
 * Files that take memory and belong to no process: those of file systems in memory that only the sandbox has (`/dev/shm`), and those without
 * a name (memfd) that a process holds open.
 */
function filesInMemory(pids: readonly number[], outside: string): number {
  const mounts = new Map<string, string>();
  const unnamed = new Map<string, number>();
  for (const pid of pids.slice(0, PROCESSES_MAX)) {
    if (mounts.size === 0)
      for (const line of textIn(`/proc/${pid}/mountinfo`).split("\n")) {
        const [, , device = "", , path = "", access = ""] = line.split(" ");
        const isOwn = line.includes(" - tmpfs ") && !outside.includes(` ${device} `);
        if (isOwn && access.startsWith("rw")) mounts.set(device, `/proc/${pid}/root${path}`);
      }
    const folder = `/proc/${pid}/fd`;
    for (const name of namesIn(folder).slice(0, FILES_MAX)) {
      const path = `${folder}/${name}`;
      try {
        if (!readlinkSync(path).startsWith("/memfd:")) continue;
        const { dev, ino, blocks } = statSync(path);
        unnamed.set(`${dev} ${ino}`, blocks * 512);
      } catch {
        // closed meanwhile
      }
    }
  }
  const used = [...mounts.values()].reduce((all, path) => all + usedOn(path), 0);
  return [...unnamed.values()].reduce((all, size) => all + size, used);
}
const [PROCESSES_MAX, FILES_MAX] = [100, 200];

/** The mark of a file system in memory (`statfs`). */
const TMPFS = 0x01021994;

/** 0 where the path has become another file system: a sandbox that is being built changes its root. */
function usedOn(path: string): number {
  try {
    const { type, blocks, bfree, bsize } = statfsSync(path);
    return type === TMPFS ? (blocks - bfree) * bsize : 0;
  } catch {
    return 0;
  }
}

/** One line for a command that failed at a limit on its files or at a full disk; else null. */
export const shortageNote = (
  exitCode: number | null,
  output: string,
  cwd: string,
  limits: CommandLimits | null,
): string | null =>
  (limits && fileLimitNote(exitCode, output, limits)) ?? fullDiskNote(exitCode, output, cwd);
