/**
 * Confined shells that were started in advance, each with one policy, and wait for a command: mounts and namespaces cost several
 * milliseconds, which pass while the model thinks and while other commands run. A spare runs one command and ends. A policy belongs to
 * a spare only while its mounts are what they were: a file that a program outside replaces (git does so with its configuration)
 * loses the mount on it, and a folder that is removed stays mounted.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { Duplex, Readable } from "node:stream";
import type { CommandLimits } from "../../core/command-limits.ts";
import { MEMBER_VARIABLE } from "../../core/member.ts";
import { isWithin } from "../../core/paths.ts";
import type { Program } from "../../ports/shell.ts";
import { textIn } from "../small-files.ts";
import { ENDS_FIRST, tasksOf, type UnnamedFile } from "./bubblewrap.ts";
import { hasMounts } from "./mounts.ts";

/** Of all policies together; members work with few. */
const KEPT = 12;
/** For a policy whose commands follow each other at once; the kernel lets each start wait, so several start side by side. */
const READY_AT_ONCE = 3;
const AT_ONCE_MS = 100;
/** Of a spare that is being started. A new process would not be faster. */
const LONGEST_START_MS = 2_000;
/** bash reads a pipe byte by byte: a longer command starts as fast without a spare. */
const LONGEST = 8_192;
const VARIABLE = /^[A-Za-z_]\w*$/;

/** bash does not let these be set. */
const READ_ONLY = /^(?:E?UID|PPID|BASHOPTS|SHELLOPTS|BASH_VERSINFO)$/;

/**
 * Reads variables to set and names to remove, an empty word, the program with its arguments and `end`. Without `end` the other
 * side died while it wrote.
 */
const SCRIPT = `
((BASH_VERSINFO[0] > 4)) || exit
${ENDS_FIRST}
ulimit -f "$1"; ulimit -u "$2" 2>/dev/null
echo >&4
mapfile -d '' -t ekiden_words <&4
exec 4>&-
[ "\${ekiden_words[-1]}" = end ] || exit
set -- "\${ekiden_words[@]:0:\${#ekiden_words[@]}-1}"
while [ "$1" ]; do
  if [[ $1 = *=* ]]; then export "$1"; else unset -v "$1"; fi
  shift
done
shift
exec "$@"`;

export type Asked = {
  /** What confines, with all its arguments. */
  readonly jail: readonly string[];
  /** Parts of the lines that its table of mounts must have. */
  readonly mounts: readonly string[];
  readonly program: Program;
  readonly limits: CommandLimits;
  readonly coversMovable: boolean;
};
type Spare = {
  readonly child: ChildProcess;
  readonly env: Readonly<Record<string, string>>;
  /** Its mounts when it began to wait for a command; null when it never will. */
  readonly ready: Promise<Mounts | null>;
};
/** To be started or ended. */
export type Taken = { start(): ChildProcess; end(): void };
type Mounts = { readonly pid: number; readonly table: string };
type Pool = {
  spares: Spare[];
  usedAt: number;
  /** The policy covers files in folders that a command may move. bubblewrap makes a mount point that has just gone. */
  readonly coversMovable: boolean;
  /** Starts its spares when no command runs. */
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
      if (this.running > 0) return;
      for (const { due } of this.pools.values()) due?.();
    };
  }

  /** Null when no spare fits. Spares for the next commands are prepared in any case. */
  async take(asked: Asked): Promise<Taken | null> {
    const { jail, program, coversMovable } = asked;
    // The first process inside says for good whose command it runs.
    const key = [program.env[MEMBER_VARIABLE], ...jail].join("\0");
    const now = performance.now();
    const pool = this.pools.get(key) ?? { spares: [], usedAt: -Infinity, coversMovable, due: null };
    const wanted = now - pool.usedAt < AT_ONCE_MS ? READY_AT_ONCE : 1;
    pool.usedAt = now;
    this.pools.delete(key);
    this.pools.set(key, pool);
    // After the step that starts the command, so that it does not delay it.
    const fill = (): void => this.fill(pool, wanted, asked);
    if (coversMovable) pool.due = fill;
    else setTimeout(fill, 1).unref();
    for (;;) {
      const spare = pool.spares[0];
      const text = spare === undefined ? null : ordersOf(spare, program);
      if (spare === undefined || text === null) return null;
      pool.spares.shift();
      const mounts = await soonReady(spare);
      const { child } = spare;
      if (mounts !== null && tableOf(mounts.pid) === mounts.table && ![child.pid, mounts.pid].some(isStopped))
        return {
          start() {
            for (const one of [child, child.stdout, child.stderr]) (one as Referenced).ref();
            (child.stdio[4] as Duplex).end(text);
            return child;
          },
          end: () => endSpare(child),
        };
      endSpare(child);
    }
  }

  close(): void {
    this.closed = true;
    for (const { spares } of this.pools.values()) for (const { child } of spares) endSpare(child);
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
    for (const [key, { spares }] of [...this.pools].reverse()) {
      kept += spares.length;
      if (kept <= KEPT) continue;
      for (const { child } of spares) endSpare(child);
      this.pools.delete(key);
    }
  }

  private prepare(pool: Pool, { jail, mounts, program, limits }: Asked): void {
    const { file: shell, cwd, env: all } = program;
    // The tag of a command would end this one with it; the warden of the shell ends spares of a process that was killed.
    const { EKIDEN_JOB = "", ...more } = all;
    const env = { ...more, EKIDEN_SPARE: EKIDEN_JOB.replace(/\.\d+;$/, ";") };
    const [file = "", ...args] = jail;
    const filter = this.filter.open();
    // bash counts files in blocks of 1,024 bytes.
    const numbers = [limits.commandFileMb * 1_024, tasksOf(limits)];
    const script = [shell, "-c", SCRIPT, "ekiden", ...numbers.map(String)];
    const child = spawn(file, [...args, "--json-status-fd", "5", "--", ...script], {
      ...{ cwd, env, detached: true },
      stdio: ["ignore", "pipe", "pipe", filter, "pipe", "pipe"],
    });
    this.filter.closeOne(filter);
    const streams = child.stdio as readonly unknown[];
    const ready = new Promise<Mounts | null>((resolve) => {
      const end = (): void => {
        resolve(null);
        pool.spares = pool.spares.filter((one) => one.child !== child);
      };
      child.once("error", end).once("exit", end);
      if (child.pid === undefined) return;
      const [orders, status] = [streams[4] as Duplex, streams[5] as Readable];
      let [text, isReady] = ["", false];
      const look = (): void => {
        const pid = Number(/"child-pid":\s*(\d+)/.exec(text)?.[1] ?? 0);
        if (!isReady || pid === 0) return;
        const table = tableOf(pid);
        resolve(table !== null && hasMounts(table, mounts) ? { pid, table } : null);
      };
      status.on("data", (chunk: Buffer) => {
        text += chunk;
        look();
      });
      orders.once("data", () => {
        isReady = true;
        look();
      });
      for (const stream of [orders, status]) stream.on("error", () => {});
    });
    child.unref();
    for (const stream of streams) (stream as Referenced | null)?.unref();
    if (child.pid !== undefined) pool.spares.push({ child, env, ready });
  }
}

/** Null when it does not get ready. */
async function soonReady({ ready }: Spare): Promise<Mounts | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, LONGEST_START_MS, null);
  });
  try {
    return await Promise.race([ready, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What it reads to run the program; null when it would read something else. */
function ordersOf({ env }: Spare, program: Program): string | null {
  const changed = Object.entries(program.env).filter(([name, value]) => env[name] !== value);
  const removed = Object.keys(env).filter((name) => program.env[name] === undefined);
  const names = [...changed.map(([name]) => name), ...removed];
  const words = [
    ...changed.map((pair) => pair.join("=")),
    ...removed,
    "",
    ...[program.file, ...program.args, "end"],
  ];
  const text = words.map((word) => `${word}\0`).join("");
  const isReadable = text.length <= LONGEST && !words.some((word) => word.includes("\0"));
  return isReadable && names.every((name) => VARIABLE.test(name) && !READ_ONLY.test(name)) ? text : null;
}

type Referenced = { ref(): void; unref(): void };

/** A supervisor that is killed while it starts may leave a process; that one ends when its orders do. */
function endSpare(child: ChildProcess): void {
  (child.stdio[4] as Duplex).destroy();
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
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

function tableOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, "utf8");
  } catch {
    return null;
  }
}
