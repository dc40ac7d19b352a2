/** The shell that waits in the sandbox for a command: its script, and the orders that it reads. */
import type { CommandLimits } from "../../core/sandbox/command-limits.ts";
import type { Program } from "../../ports/shell.ts";
import { ENDS_FIRST, tasksOf } from "./bubblewrap.ts";
import { BEGAN } from "./starter.ts";

/** bash reads a pipe byte by byte: a longer command starts as fast without a spare. */
const LONGEST = 8_192;
const VARIABLE = /^[A-Za-z_]\w*$/;

/** bash does not let these be set. */
const READ_ONLY = /^(?:E?UID|PPID|BASHOPTS|SHELLOPTS|BASH_VERSINFO)$/;

/**
 * Reads variables to set and names to remove, an empty word, the program with its arguments and `end`. Without `end` the other
 * side died while it wrote. It says that the program begins on a descriptor that the program does not get.
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
echo began >&${BEGAN}
exec ${BEGAN}>&- "$@"`;

/** `bash`: the program. It counts files in blocks of 1,024 bytes. */
export const waitingShell = (bash: string, limits: CommandLimits): string[] => [
  ...[bash, "-c", SCRIPT, "ekiden"],
  ...[limits.commandFileMb * 1_024, tasksOf(limits)].map(String),
];

/** The text from which a shell with this environment runs the program; null when it would read something else. */
export function ordersOf(env: Program["env"], program: Program): string | null {
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
