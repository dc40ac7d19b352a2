/**
 * Confined shells that were started in advance, each with one policy, and wait for a command: mounts and namespaces cost several
 * milliseconds, which pass while the model thinks and while other commands run. A spare runs one command and ends. A policy belongs to
 * a spare only while its mounts are what they were: a file that a program outside replaces (git does so with its configuration)
 * loses the mount on it, and a folder that is removed stays mounted.
 */

import { existsSync, readFileSync } from "node:fs";
import { MEMBER_VARIABLE } from "../../core/board/member.ts";
import { isWithin } from "../../core/paths/paths.ts";
import type { CommandLimits } from "../../core/sandbox/command-limits.ts";
import { tried } from "../../core/tried.ts";
import type { Program } from "../../ports/shell.ts";
import { sendSignal } from "../process-table.ts";
import { textIn } from "../small-files.ts";
import { within } from "../within.ts";
import type { UnnamedFile } from "./bubblewrap.ts";
import { hasMounts } from "./mounts.ts";
import { ordersOf, waitingShell } from "./orders.ts";
import { type StartedShell, Starter } from "./starter.ts";

/** The number of spares of all policies together; members work with few. */
const KEPT = 12;
/** For a policy whose commands follow each other at once; the kernel lets each start wait, so several start side by side. */
const READY_AT_ONCE = 3;
const AT_ONCE_MS = 100;
/** A short command is not slowed down by the preparation of the next one. */
const LONG_COMMAND_MS = 20;
/** The first starter of a policy, and the others. */
const [FIRST_SHELLS, SHELLS] = [3, 16];
/** The longest wait for a spare that is being started. A new process would not be faster. */
const LONGEST_START_MS = 2_000;

export type Asked = {
  /** The command that puts a program into its control group and network. */
  readonly enter: readonly string[];
  /** The command that confines, with all its arguments. */
  readonly jail: readonly string[];
  /** Parts of the lines that its table of mounts must have. They follow from `jail` and the mounts of this process. */
  readonly mounts: () => readonly string[];
  readonly program: Program;
  readonly limits: CommandLimits;
  readonly coversMovable: boolean;
};
type Spare = {
  readonly child: StartedShell;
  readonly by: Starter;
  readonly env: Readonly<Record<string, string>>;
  /** Its mounts when it began to wait for a command; null when it never will. */
  readonly ready: Promise<Mounts | null>;
};
/** To be started or ended. */
export type Taken = { start(): StartedShell; end(): void };
type Mounts = { readonly pid: number; readonly table: string };
type Pool = {
  spares: Spare[];
  /** The environment of its shells is the one that it was given. */
  starter: { readonly by: Starter; readonly env: Spare["env"] } | null;
  /** As they were found for a spare of this policy. */
  mounts: readonly string[] | null;
  usedAt: number;
  /** The policy covers files in folders that a command may move. bubblewrap makes a mount point that has just gone. */
  readonly coversMovable: boolean;
  /** Starts its spares. Where it covers something movable, only when no command runs. */
  due: (() => void) | null;
};

export class Spares {
  private readonly filter: UnnamedFile;
  /** The one that was used last is at the end. */
  private readonly pools = new Map<string, Pool>();
  private closed = false;
  private running = 0;

  constructor(filter: UnnamedFile) {
    this.filter = filter;
  }

  /**
   * To be called before each command; the function that it gives, once, when the command has ended. No spare is still starting
   * then that the command could disturb by a move.
   */
  async began(): Promise<() => void> {
    this.running += 1;
    const movable = [...this.pools.values()].flatMap((one) => (one.coversMovable ? one.spares : []));
    await Promise.all(movable.map(async (spare) => (await soonReady(spare)) ?? endSpare(spare.child)));
    return () => {
      this.running -= 1;
      for (const pool of this.pools.values())
        if (!pool.coversMovable) later(pool, 1);
        else if (this.running === 0) pool.due?.();
    };
  }

  /** Null when no spare fits. Spares for the next commands are prepared in any case. */
  async take(asked: Asked): Promise<Taken | null> {
    const { enter, jail, program, coversMovable } = asked;
    // The first process inside says for good whose command it runs.
    const key = [program.env[MEMBER_VARIABLE], ...enter, ...jail].join("\0");
    const now = performance.now();
    const pool = this.pools.get(key) ?? newPool(coversMovable);
    const wanted = now - pool.usedAt < AT_ONCE_MS ? READY_AT_ONCE : 1;
    pool.usedAt = now;
    this.pools.delete(key);
    this.pools.set(key, pool);
    pool.due = () => this.fill(pool, wanted, asked);
    if (!coversMovable) later(pool, LONG_COMMAND_MS);
    for (;;) {
      const spare = pool.spares[0];
      const text = spare === undefined ? null : ordersOf(spare.env, program);
      if (spare === undefined || text === null) return null;
      pool.spares.shift();
      // It ends with what started it, and that may not have come to its own end yet.
      if (isStopped(spare.by.pid)) spare.by.retire();
      const mounts = await soonReady(spare);
      const { child } = spare;
      if (mounts === null) pool.starter?.by.retire();
      if (
        mounts !== null &&
        tableOf(mounts.pid) === mounts.table &&
        ![spare.by.pid, child.pid, mounts.pid].some(isStopped)
      )
        return {
          start() {
            child.ref();
            child.stdout.end(text);
            return child;
          },
          end: () => endSpare(child),
        };
      endSpare(child);
    }
  }

  close(): void {
    this.closed = true;
    for (const pool of this.pools.values()) endPool(pool);
    this.pools.clear();
  }

  private fill(pool: Pool, wanted: number, asked: Asked): void {
    pool.due = null;
    // Something may have moved what is covered, and bubblewrap makes a mount point that is missing.
    if (pointsOf(asked.jail).some((path) => !existsSync(path))) return;
    try {
      while (!this.closed && pool.spares.length < wanted) this.prepare(pool, asked);
    } catch {
      // Too many open files: the next command starts without a spare.
    }
    let kept = 0;
    for (const [key, one] of [...this.pools].reverse()) {
      kept += one.spares.length;
      if (kept <= KEPT) continue;
      endPool(one);
      this.pools.delete(key);
    }
  }

  private prepare(pool: Pool, { enter, jail, mounts, program, limits }: Asked): void {
    if (pool.starter === null || pool.starter.by.isOver) {
      // The tag of a command would end this one with it; the warden of the shell ends spares of a process that was killed.
      const { EKIDEN_JOB = "", ...more } = program.env;
      const env = { ...more, EKIDEN_SPARE: EKIDEN_JOB.replace(/\.\d+;$/, ";") };
      const command = [...jail, "--json-status-fd", "5", "--", ...waitingShell(program.file, limits)];
      pool.starter = {
        by: new Starter(
          { enter, command, program: { ...program, env }, shells: pool.starter ? SHELLS : FIRST_SHELLS },
          this.filter,
        ),
        env,
      };
    }
    const { by, env } = pool.starter;
    const child = by.start();
    const ready = new Promise<Mounts | null>((resolve) => {
      child.once("exit", () => {
        resolve(null);
        pool.spares = pool.spares.filter((one) => one.child !== child);
      });
      let isReady = false;
      const look = (): void => {
        const pid = child.inside;
        if (!isReady || pid === undefined) return;
        const table = tableOf(pid) ?? "";
        if (pool.mounts === null || !hasMounts(table, pool.mounts)) pool.mounts = mounts();
        resolve(hasMounts(table, pool.mounts) ? { pid, table } : null);
      };
      child.once("inside", look);
      // An empty line; the text after it is output of the command.
      child.stdout.once("readable", () => {
        const first: Buffer | null = child.stdout.read(1);
        isReady = first?.toString() === "\n";
        if (isReady) look();
        else endSpare(child);
      });
    });
    pool.spares.push({ child, by, env, ready });
  }
}

/** Null when it does not get ready. */
const soonReady = ({ ready }: Spare): Promise<Mounts | null> => within(LONGEST_START_MS, ready, null);

const newPool = (coversMovable: boolean): Pool => ({
  ...{ spares: [], starter: null, mounts: null, usedAt: -Infinity, coversMovable, due: null },
});

const later = (pool: Pool, ms: number): void => void setTimeout(() => pool.due?.(), ms).unref();

/** Its starter stays while commands run that it started. */
function endPool({ spares, starter }: Pool): void {
  for (const { child } of spares) endSpare(child);
  starter?.by.retire();
}

/** A supervisor that is killed while it starts may leave a process; that one ends when its orders do. */
function endSpare(child: StartedShell): void {
  child.stdout.destroy();
  if (child.pid !== undefined && !child.hasEnded) sendSignal(-child.pid, "SIGKILL");
}

const bindsOf = (jail: readonly string[]): [source: string, target: string][] =>
  jail.flatMap((word, at) =>
    /^--(?:ro-)?bind$/.test(word) ? [[jail[at + 1] ?? "", jail[at + 2] ?? ""] as [string, string]] : [],
  );
const targetsOf = (jail: readonly string[]): string[] => bindsOf(jail).map(([, target]) => target);

/** Mount points in folders of the disk, not in the private folders that lie over them. */
function pointsOf(jail: readonly string[]): string[] {
  const binds = bindsOf(jail);
  return targetsOf(jail).filter((path) => {
    const around = binds
      .filter(([, target]) => target !== path && isWithin(target, path))
      .sort(([, a], [, b]) => b.length - a.length);
    return around.length === 0 || around[0]?.[0] === around[0]?.[1];
  });
}

/** SIGKILL and SIGSTOP in the masks of `/proc`. A process that has waited for a processor since then still counts as running. */
const ENDING = (1 << 8) | (1 << 18);

/** By SIGSTOP, or killed a moment ago: it would take a command and never run it. */
function isStopped(pid: number | undefined): boolean {
  const status = textIn(`/proc/${pid}/status`, "latin1");
  const pending = /^ShdPnd:\s+\w*?(\w{8})$/m.exec(status)?.[1] ?? "0";
  return !/^State:\s+[RSDI]/m.test(status) || (Number.parseInt(pending, 16) & ENDING) !== 0;
}

const tableOf = (pid: number): string | null =>
  tried(() => readFileSync(`/proc/${pid}/mountinfo`, "utf8"), null);
