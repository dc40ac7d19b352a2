/**
 * Ends the commands of a process that cannot do it: one that was killed, or frozen for longer than its lease. A small shell process
 * hears from this one through a pipe. It knows the process groups of the commands, so that it also finds children without our
 * variables in their environment.
 *
 * Lines: "+ GROUP" and "- GROUP" when a command begins and has ended, "t SECONDS" when the lease was renewed. At the end of the pipe,
 * or after the last time, it kills the groups.
 */
import { type ChildProcess, spawn } from "node:child_process";

/** Only bash can wait for a line with a limit. Nothing but words of the shell runs here, and no variable of ours is in it. */
const SCRIPT = `
trap '' TERM INT HUP
groups=' '
limit=0
end() { for group in $groups; do kill -KILL -- "-$group" 2>/dev/null; done; groups=' '; }
while :; do
  if [ "$limit" = 0 ]; then IFS= read -r line; else IFS= read -r -t "$limit" line; fi
  status=$?
  if [ $status -gt 128 ]; then end; limit=0; continue; fi
  if [ $status -ne 0 ]; then end; exit 0; fi
  case $line in
    '+ '*) groups="$groups\${line#+ } " ;;
    '- '*) group=\${line#- }; groups="\${groups/ $group / }" ;;
    't '*) limit=\${line#t } ;;
  esac
done`;

export class Warden {
  private readonly bash: string;
  private child: ChildProcess | null = null;
  private failed = false;
  private closed = false;
  private until = Number.POSITIVE_INFINITY;
  private actedAt = Number.NEGATIVE_INFINITY;
  private readonly groups = new Set<number>();

  constructor(bash: string) {
    this.bash = bash;
  }

  /** Before a command starts, so that the warden hears of it at once. */
  prepare(): void {
    if (!this.child && !this.closed && !this.failed) this.start();
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
    const now = performance.now();
    if (now > this.until) this.actedAt = now;
    this.until = now + ms;
    this.limit();
  }

  /** Whether it has ended commands that ran at that time of `performance.now()`. */
  hasActedSince(time: number): boolean {
    return this.actedAt >= time || performance.now() > this.until;
  }

  close(): void {
    this.child?.stdin?.end();
    this.child = null;
    this.closed = true;
  }

  /** After each line, because the shell waits for the next line from then on. */
  private limit(): void {
    if (this.until === Number.POSITIVE_INFINITY) return;
    const seconds = Math.max(0.1, (this.until - performance.now()) / 1000);
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

  /** With the first command, because many runs have none. */
  private start(): void {
    const child = spawn(this.bash, ["-c", SCRIPT, "ekiden-warden"], {
      detached: true,
      env: {},
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.on("error", () => this.lost(child));
    child.on("exit", () => this.lost(child));
    child.stdin?.on("error", () => {});
    child.unref();
    (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
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
