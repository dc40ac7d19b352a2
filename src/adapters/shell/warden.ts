/**
 * Ends the commands of a process that cannot do it: one that was killed, or frozen for longer than its lease. A small shell process
 * hears from this one through a pipe. It knows the process groups of the commands and, on Linux, looks for their descendants, so that
 * it also finds children without our variables in their environment that have left the group.
 *
 * Lines: "+ GROUP" and "- GROUP" when a command begins and has ended, "t SECONDS" when the lease was renewed, "x" when all is
 * over. At the end of the pipe, or after the last time, it kills the groups and the descendants of their leaders. At the end of the pipe it also looks for our tags,
 * because this process may have been killed before it could name the group of its latest command. Git with our tag gets TERM first, so
 * that it removes its locks. It prints a line before it kills.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "../clock.ts";
import { scriptArgs } from "./programs.ts";

/**
 * Only bash can wait for a line with a limit. Nothing but words of the shell runs here until the pipe ends. Everything is stopped before anything is
 * killed: the children of a killed process get another parent, so they could not be found any more.
 */
const SCRIPT = `
trap '' TERM INT HUP PIPE
groups=' '
limit=0
below() {
  local file line rest more=1 pid parents=()
  for file in /proc/[0-9]*/stat; do
    { IFS= read -r line < "$file"; } 2>/dev/null || continue
    rest=\${line##*) }
    rest=\${rest#* }
    parents[\${line%% *}]=\${rest%% *}
  done
  while [ $more = 1 ]; do
    more=0
    for pid in "\${!parents[@]}"; do
      case $found in *" $pid "*) continue ;; esac
      case $groups$found in *" \${parents[$pid]} "*) found="$found$pid "; more=1 ;; esac
    done
  done
}
send() {
  local one
  for one in $groups; do kill "$1" -- "-$one"; done
  for one in $found; do kill "$1" "$one"; done
} 2>/dev/null
end() {
  [ "$groups" = ' ' ] && return
  echo k 2>/dev/null
  found=' '
  below; send -STOP
  below; send -STOP
  send -KILL
  groups=' '
}
sweep() {
  local file pid name gits=
  found=' '
  for file in $(grep -lF -e "$1." -e "EKIDEN_SPARE=$1;" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    found="$found$pid "
    { IFS= read -r name < "/proc/$pid/comm"; } 2>/dev/null || continue
    case $name in git*) gits="$gits $pid" ;; esac
  done
  below
  if [ -n "$gits" ]; then kill -TERM $gits 2>/dev/null; sleep 0.3; fi
  send -KILL
}
while :; do
  if [ "$limit" = 0 ]; then IFS= read -r line; else IFS= read -r -t "$limit" line; fi
  status=$?
  if [ $status -gt 128 ]; then end; limit=0; continue; fi
  if [ $status -ne 0 ]; then end; sweep "$1"; sleep 0.2; sweep "$1"; exit 0; fi
  case $line in
    '+ '*) groups="$groups\${line#+ } " ;;
    '- '*) group=\${line#- }; groups="\${groups/ $group / }" ;;
    't '*) limit=\${line#t } ;;
    x) end; exit 0 ;;
  esac
done`;

/** Both begin as all interruptions do, because a model treats them as such. */
export const CUT_OFF =
  "Interrupted: this process was frozen or cut off from its store for so long that its commands had to end. It may have taken effect in part: check before you repeat it.";
export const NOT_STARTED =
  "Interrupted: this process was frozen or cut off from its store, so the command was not started. Run it again.";

export class Warden {
  private readonly bash: string;
  private readonly mark: string;
  private child: ChildProcess | null = null;
  private failed = false;
  private closed = false;
  private until = Number.POSITIVE_INFINITY;
  private actedAt = Number.NEGATIVE_INFINITY;
  private readonly groups = new Set<number>();
  private readonly changes = new EventEmitter();

  /** `mark`: before the number in the tags of the commands. */
  constructor(bash: string, mark: string) {
    this.bash = bash;
    this.mark = mark;
  }

  /** Call it before a command is started: a warden that starts later may miss it. */
  watch(): void {
    if (!this.closed && !this.failed && !this.child) this.start();
  }

  /** In the step that starts the command: a host that is killed later leaves no command that the warden does not know. */
  began(group: number): void {
    this.groups.add(group);
    this.tell(`+ ${group}`);
  }

  ended(group: number): void {
    this.groups.delete(group);
    this.tell(`- ${group}`);
  }

  /** The commands may run for so long from now on without a further renewal. */
  renewed(ms: number): void {
    const now = systemClock.uptime();
    if (now > this.until) this.actedAt = now;
    this.until = now + ms;
    this.limit();
    this.changes.emit("renewed");
  }

  /** Resolves when commands may be started, or nobody wants to start one any more. */
  async allowed(signal: AbortSignal): Promise<void> {
    while (this.isOver && !this.closed && !signal.aborted)
      await once(this.changes, "renewed", { signal }).catch(() => {}); // nobody wants it any more
  }

  /** The time without a renewal is over: a process that was frozen must not start what may run elsewhere by now. */
  get isOver(): boolean {
    return systemClock.uptime() > this.until;
  }

  /**
   * Whether it has ended commands that ran at that time of `systemClock.uptime()`. Its line is in the pipe before the first kill, but
   * the end of a command may be read before it.
   */
  async hasActedSince(time: number): Promise<boolean> {
    await setImmediate();
    await setImmediate();
    return this.actedAt >= time || this.isOver;
  }

  close(): void {
    this.child?.stdin?.end("x\n");
    this.child = null;
    this.closed = true;
    this.changes.emit("renewed");
  }

  /** After each line, because the shell waits for the next line from then on. */
  private limit(): void {
    if (this.until === Number.POSITIVE_INFINITY) return;
    const seconds = Math.max(0.1, (this.until - systemClock.uptime()) / 1000);
    this.send(`t ${seconds.toFixed(2)}`);
  }

  private tell(line: string): void {
    if (this.closed || this.failed) return;
    if (!this.child) {
      this.start();
      return;
    }
    this.send(line);
    this.limit();
  }

  /** At the first command, because many runs have none. */
  private start(): void {
    const child = spawn(this.bash, scriptArgs(this.bash, SCRIPT, "ekiden-warden", this.mark), {
      detached: true,
      // So that a process that takes over can wait until it has done its work.
      env: { EKIDEN_WARDEN: `${this.mark};` },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdout?.on("data", () => {
      this.actedAt = systemClock.uptime();
    });
    child.on("error", () => this.lost(child));
    child.on("exit", () => this.lost(child));
    child.stdin?.on("error", () => {});
    child.unref();
    for (const pipe of [child.stdin, child.stdout])
      (pipe as unknown as { unref?: () => void } | null)?.unref?.();
    this.child = child;
    for (const group of this.groups) this.send(`+ ${group}`);
    this.limit();
  }

  /** Without bash the scan for orphans remains; a warden that was ended is started with the next command. */
  private lost(child: ChildProcess): void {
    if (this.child !== child) return;
    this.child = null;
    this.failed = child.pid === undefined;
  }

  private send(line: string): void {
    this.child?.stdin?.write(`${line}\n`);
  }
}
