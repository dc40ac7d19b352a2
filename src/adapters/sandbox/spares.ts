/**
 * Confined shells that were started in advance, each with one policy, and wait for a command: mounts and namespaces cost several
 * milliseconds, which pass while the model thinks. A spare runs one command and ends. A policy belongs to a spare only while each
 * of its mounts exists: a file that a program outside replaces (git does so with its configuration) loses the mount on it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Duplex, Readable } from "node:stream";
import { MEMBER_VARIABLE } from "../../core/member.ts";
import type { Program } from "../../ports/shell.ts";
import type { UnnamedFile } from "./bubblewrap.ts";

/** Members work with few policies: their worktree, writable or read-only. */
const KEPT = 3;
/** The next one starts after the command has begun, so that it does not delay it. */
const DELAY_MS = 50;
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

type Spare = {
  readonly child: ChildProcess;
  readonly env: Readonly<Record<string, string>>;
  /** Its first process inside. */
  pid: number;
  /** It waits for a command. */
  isReady: boolean;
};

export class Spares {
  private readonly filter: UnnamedFile;
  private readonly spares = new Map<string, Spare>();
  private readonly wanted = new Map<string, () => void>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(filter: UnnamedFile) {
    this.filter = filter;
  }

  /** `jail`: what confines, with all its arguments. Null when no spare fits. A spare for the next command is prepared in any case. */
  start(jail: readonly string[], program: Program): ChildProcess | null {
    // The first process inside says for good whose command it runs.
    const key = [program.env[MEMBER_VARIABLE], ...jail].join("\0");
    const spare = this.spares.get(key);
    this.want(key, jail, program);
    if (!spare?.isReady || spare.pid === 0) return null;
    const changed = Object.entries(program.env).filter(([name, value]) => spare.env[name] !== value);
    const removed = Object.keys(spare.env).filter((name) => program.env[name] === undefined);
    const names = [...changed.map(([name]) => name), ...removed];
    const words = [
      ...changed.map((pair) => pair.join("=")),
      ...removed,
      "",
      ...[program.file, ...program.args, "end"],
    ];
    const text = words.map((word) => `${word}\0`).join("");
    const isReadable = text.length <= LONGEST && !words.some((word) => word.includes("\0"));
    if (!isReadable || names.some((name) => !VARIABLE.test(name) || READ_ONLY.test(name))) return null;
    this.spares.delete(key);
    if (!hasMounts(spare.pid, targetsOf(jail))) {
      endSpare(spare.child);
      return null;
    }
    for (const one of [spare.child, spare.child.stdout, spare.child.stderr]) (one as Referenced).ref();
    (spare.child.stdio[4] as Duplex).end(text);
    return spare.child;
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    for (const { child } of this.spares.values()) endSpare(child);
    this.spares.clear();
  }

  private want(key: string, jail: readonly string[], program: Program): void {
    this.wanted.set(key, () => this.prepare(key, jail, program));
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.closed) return;
      const latest = [...this.wanted.values()].slice(-KEPT);
      this.wanted.clear();
      try {
        for (const prepare of latest) prepare();
      } catch {
        // Too many open files: the next command starts without a spare.
      }
    }, DELAY_MS).unref();
  }

  private prepare(key: string, jail: readonly string[], { file: shell, cwd, env: all }: Program): void {
    const present = this.spares.get(key);
    this.spares.delete(key);
    if (present) {
      this.spares.set(key, present);
      return;
    }
    // The tag of a command would end this one with it; the warden of the shell ends spares of a process that was killed.
    const { EKIDEN_JOB = "", ...more } = all;
    const env = { ...more, EKIDEN_SPARE: EKIDEN_JOB.replace(/\.\d+;$/, ";") };
    const [file = "", ...args] = jail;
    const filter = this.filter.open();
    const child = spawn(file, [...args, "--json-status-fd", "5", "--", shell, "-c", SCRIPT], {
      ...{ cwd, env, detached: true },
      stdio: ["ignore", "pipe", "pipe", filter, "pipe", "pipe"],
    });
    this.filter.closeOne(filter);
    const spare: Spare = { child, env, pid: 0, isReady: false };
    const forget = (): void => {
      if (this.spares.get(key) === spare) this.spares.delete(key);
    };
    child.once("error", forget).once("exit", forget);
    if (child.pid === undefined) return;
    const streams = child.stdio as readonly unknown[];
    const [orders, status] = [streams[4] as Duplex, streams[5] as Readable];
    let text = "";
    status.on("data", (chunk: Buffer) => {
      text += chunk;
      spare.pid = Number(/"child-pid":\s*(\d+)/.exec(text)?.[1] ?? 0);
    });
    orders.once("data", () => {
      spare.isReady = true;
    });
    for (const stream of [orders, status]) stream.on("error", () => {});
    child.unref();
    for (const stream of streams) (stream as Referenced | null)?.unref();
    this.spares.set(key, spare);
    const [[oldest, { child: unused }] = [key, spare]] = this.spares;
    if (this.spares.size <= KEPT) return;
    this.spares.delete(oldest);
    endSpare(unused);
  }
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

const targetsOf = (jail: readonly string[]): string[] =>
  jail.flatMap((word, at) => (/^--(?:ro-)?bind$/.test(word) ? (jail[at + 2] ?? []) : []));

function hasMounts(pid: number, targets: readonly string[]): boolean {
  try {
    const mounted = new Set(
      readFileSync(`/proc/${pid}/mountinfo`, "utf8")
        .split("\n")
        .map((line) => line.split(" ")[4]),
    );
    // The kernel writes blanks and backslashes as octal numbers.
    return targets.every((path) =>
      mounted.has(path.replace(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`)),
    );
  } catch {
    return false;
  }
}
