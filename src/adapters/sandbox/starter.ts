/**
 * Starts confined shells from a small process instead of from this one: the kernel copies the page tables of the process that starts another
 * one, which costs a process with 100 MB several milliseconds on its main thread. The small process is in the control group
 * and in the network of the sandbox already, so these are not entered for each shell either.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { Duplex, Readable } from "node:stream";
import type { Program } from "../../ports/shell.ts";
import type { UnnamedFile } from "./bubblewrap.ts";

const FILTER = 3;
/** The descriptors of the first shell; in each shell they have these numbers, and the one after them says that its command began. */
const FIRST = 4;
export const BEGAN = FIRST + 2;

/**
 * Reads lines, each the number of the shell to start. The shell gets its own two sockets and no others, and a filter that is read from
 * its beginning. A group of its own (`set -m`) lets it be ended without the others. At the end of the lines this process ends,
 * and bubblewrap ends with its parent.
 */
const SCRIPT = `
set -m
end=$1
shift
while read -r nth; do
  orders=$((${FIRST} + 2 * nth)) status=$((${FIRST} + 1 + 2 * nth))
  (
    exec ${FILTER}</proc/self/fd/${FILTER} ${FIRST}<&"$orders" ${FIRST + 1}>&"$status" </dev/null >&"$orders" 2>&1 ${BEGAN}>&"$status"
    for ((other = ${BEGAN + 1}; other < end; other++)); do exec {other}<&-; done
    echo "$BASHPID" >&${FIRST + 1}
    exec "$@"
  ) &
  exec {orders}<&- {status}<&-
done`;

/** bash takes a socket as input for a login from afar, and would read what the person has for these. */
const QUIET = ["--norc", "--noprofile", "-c"];

export type Startable = {
  /** Puts a program into its control group and network. */
  readonly enter: readonly string[];
  /** The command of each shell: it gets orders as 4 and reports bubblewrap's status as 5. */
  readonly command: readonly string[];
  /** Its file is bash; its folder and environment are those of the shells. */
  readonly program: Program;
  /** The number of shells. Each needs two sockets from the beginning, because bash cannot open any. */
  readonly shells: number;
};

export class Starter {
  private readonly child: ChildProcess;
  private started = 0;
  private left: number;
  private living = 0;
  private isRetired = false;

  /** @throws an error of the system */
  constructor({ enter, command, program, shells }: Startable, filter: UnnamedFile) {
    this.left = shells;
    const { file: bash, cwd, env } = program;
    const end = FIRST + 2 * shells;
    const [file = "", ...args] = [...enter, bash, ...QUIET, SCRIPT, "ekiden", String(end), ...command];
    const descriptor = filter.open();
    const sockets = Array.from({ length: 2 * shells }, () => "pipe" as const);
    try {
      this.child = spawn(file, args, {
        ...{ cwd, env, detached: true },
        stdio: ["pipe", "ignore", "ignore", descriptor, ...sockets],
      });
    } finally {
      filter.closeOne(descriptor);
    }
    const gone = (): void => {
      this.isRetired = true;
    };
    this.child.once("error", gone).once("exit", gone);
    this.child.stdin?.on("error", gone);
    this.child.unref();
    for (const stream of this.child.stdio) (stream as Referenced | null)?.unref();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** It can start no further shell. */
  get isOver(): boolean {
    return this.isRetired || this.left === 0;
  }

  start(): StartedShell {
    const nth = this.started;
    this.started += 1;
    this.left -= 1;
    this.living += 1;
    this.child.stdin?.write(`${nth}\n`);
    const streams = this.child.stdio as readonly unknown[];
    const at = FIRST + 2 * nth;
    const shell = new StartedShell(streams[at] as Duplex, streams[at + 1] as Readable);
    shell.once("exit", () => {
      this.living -= 1;
      if (this.isOver) this.endUnused();
    });
    return shell;
  }

  /** It starts no more, and ends with the last of its shells. */
  retire(): void {
    this.isRetired = true;
    this.endUnused();
  }

  private endUnused(): void {
    if (this.living > 0) return;
    for (const stream of this.child.stdio.slice(FIRST)) (stream as Duplex | null)?.destroy();
    this.child.stdin?.end();
  }
}

type Referenced = { ref(): void; unref(): void };

/** The part of `ChildProcess` that the shell needs, for a process that is a grandchild. */
export class StartedShell extends EventEmitter {
  readonly stdin = null;
  /** Orders go to it, and output comes from it. */
  readonly stdout: Duplex;
  readonly stderr = null;
  /** The first process inside, once it is known. */
  inside: number | undefined;
  /** Its number may be that of another program then. */
  hasEnded = false;
  private readonly status: Readable;
  private said = "";

  constructor(orders: Duplex, status: Readable) {
    super();
    this.stdout = orders;
    this.status = status;
    orders.on("error", () => {});
    status.on("error", () => {});
    status.on("data", (chunk: Buffer) => {
      this.said += chunk;
      const inside = /"child-pid":\s*(\d+)/.exec(this.said)?.[1];
      if (inside === undefined || this.inside !== undefined) return;
      this.inside = Number(inside);
      this.emit("inside");
    });
    status.once("close", () => this.end());
  }

  /** The process id of the supervisor, which leads the group. */
  get pid(): number | undefined {
    const pid = /^(\d+)\n/.exec(this.said)?.[1];
    return pid === undefined ? undefined : Number(pid);
  }

  /** Whether the command may have done something. */
  get began(): boolean {
    return /^began$/m.test(this.said);
  }

  ref(): void {
    for (const one of [this.stdout, this.status]) (one as unknown as Referenced).ref();
  }

  unref(): void {
    for (const one of [this.stdout, this.status]) (one as unknown as Referenced).unref();
  }

  /** Its end is told to what is inside only after its files are closed, and that must have been done when it is reported. */
  private end(): void {
    if (this.pid !== undefined && lives(this.pid)) return void setImmediate(() => this.end());
    this.hasEnded = true;
    const code = /"exit-code":\s*(\d+)/.exec(this.said)?.[1];
    if (code === undefined) this.emit("exit", null, "SIGKILL");
    else this.emit("exit", Number(code), null);
  }
}

/** Whether the process lives and is no zombie. */
function lives(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
