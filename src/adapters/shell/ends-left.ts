/** Ends and counts what a command leaves running. Loaded with the first command whose rest nobody needs. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Program, ShellResult } from "../../ports/shell.ts";
import { endAll, groupAlive, processesOf } from "../process-table.ts";
import { scriptArgs } from "./programs.ts";

/** The last of a pipeline ends by itself. */
const SETTLES_MS = 100;

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

/** What such a shell printed, without its line, and how many were left; `more`: those that were ended outside of it. */
export function counted(text: string, mark: string, more: number): Pick<ShellResult, "output" | "left"> {
  const line = `${mark} left `;
  const at = text.lastIndexOf(line);
  const inside = at < 0 ? 0 : Number.parseInt(text.slice(at + line.length), 10) || 0;
  return { output: at < 0 ? text : text.slice(0, at), left: inside + more };
}
