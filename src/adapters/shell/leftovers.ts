/**
 * Groups of commands that have ended and left somebody behind, such as a server. The number of a group is given away again when the
 * last of it is gone, so a group is forgotten then: its end would be the end of another program.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Program } from "../../ports/shell.ts";
import { endAll, groupAlive, processesOf } from "../process-table.ts";
import { scriptArgs } from "./programs.ts";

/** Shorter than a machine takes to give all numbers away. */
const LOOK_MS = 1_000;
/** The last of a pipeline ends by itself. */
const SETTLES_MS = 100;

export class Leftovers {
  private readonly groups = new Set<number>();
  private readonly gone: (group: number) => void;
  private looks: NodeJS.Timeout | null = null;

  /** `gone`: is told of each group whose last process has ended. */
  constructor(gone: (group: number) => void) {
    this.gone = gone;
  }

  add(group: number): void {
    this.groups.add(group);
    this.looks ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Those that still live. No further one is noticed. */
  close(): ReadonlySet<number> {
    this.look();
    if (this.looks) clearInterval(this.looks);
    this.looks = null;
    return this.groups;
  }

  private look(): void {
    for (const group of this.groups) {
      if (groupAlive(group)) continue;
      this.groups.delete(group);
      this.gone(group);
    }
    if (this.groups.size > 0 || !this.looks) return;
    clearInterval(this.looks);
    this.looks = null;
  }
}

/** Ends what a command that has ended left running. @returns the number of its processes; where only groups are seen, 1 for any */
export async function endLeft(tag: string, group: number, graceMs: number): Promise<number> {
  const groups = new Set([group]);
  const there = (): number =>
    process.platform === "linux" ? processesOf(tag, groups).length : Number(groupAlive(group));
  if (there() === 0) return 0;
  await sleep(SETTLES_MS);
  const left = there();
  if (left > 0) await endAll(tag, graceMs, groups);
  return left;
}

/**
 * A sandbox ends with its first program, and takes along what that left: only inside it can be counted. A line behind the output says it,
 * where there is something. A process that ends by itself gets a moment for it.
 */
const COUNTING = `
{ "$@" 2>&3 3>&-; } 3>&2 2>/dev/null
code=$?
count() {
  left=0
  for one in /proc/[0-9]*; do
    case $one in /proc/1|/proc/$$|/proc/$PPID) continue ;; esac
    IFS= read -r line <"$one/stat" || continue
    case \${line##*) } in [ZX]*) continue ;; esac
    left=$((left + 1))
  done
} 2>/dev/null
count
[ $left -eq 0 ] || { sleep ${SETTLES_MS / 1_000}; count; }
[ $left -eq 0 ] || echo "$0 left $left"
exit $code`;

/** The program in a shell that counts. `mark`: before its line. */
export const counting = <P extends Pick<Program, "file" | "args">>(program: P, mark: string): P => ({
  ...program,
  args: scriptArgs(program.file, COUNTING, mark, program.file, ...program.args),
});

/** The number that such a shell has told, and the output before it. */
export function counted(output: string, mark: string): { readonly text: string; readonly left: number } {
  const line = `${mark} left `;
  const at = output.lastIndexOf(line);
  if (at < 0) return { text: output, left: 0 };
  return { text: output.slice(0, at), left: Number.parseInt(output.slice(at + line.length), 10) || 0 };
}
