/** The limits of one confined command on the machine, and the sentences for a command that ran into a limit. */

export type CommandLimits = {
  /** Processes of a command at once. */
  readonly commandProcesses: number;
  /** Memory of all its processes together, in MB. Undefined: three quarters of what the machine has. */
  readonly commandMemoryMb?: number | undefined;
  /** The largest file that it may write, in MB. */
  readonly commandFileMb: number;
  /** Free space that it must leave on the disks of its workspace and of temporary files, in MB. */
  readonly freeDiskMb: number;
};

export const DEFAULT_COMMAND_LIMITS: CommandLimits = {
  commandProcesses: 2_000,
  commandFileMb: 16_384,
  freeDiskMb: 256,
};

/** The kernel's limit counts threads, too. It only stops growth between two looks, and not always that of root. */
export const THREADS_PER_PROCESS = 8;

/** The resources that a command uses at one look. Bytes. */
export type CommandUse = {
  readonly processes: number;
  readonly threads: number;
  readonly memory: number;
  /** The disks that it may fill: bytes free at the start of the command, and now. */
  readonly disks: readonly DiskUse[];
};
export type DiskUse = { readonly path: string; readonly atStart: number; readonly free: number };

const MB = 1024 * 1024;

/** Null while it keeps all limits. `memory`: bytes of the machine. */
export function brokenLimit(use: CommandUse, limits: CommandLimits, memory: number): string | null {
  const most = limits.commandMemoryMb ?? Math.floor((0.75 * memory) / MB);
  if (use.processes > limits.commandProcesses)
    return ended(`it had more than ${limits.commandProcesses} processes`, "commandProcesses");
  const threads = limits.commandProcesses * THREADS_PER_PROCESS;
  if (use.threads > threads) return ended(`it had more than ${threads} threads`, "commandProcesses");
  if (use.memory > most * MB)
    return ended(`its processes used more than ${most} MB of memory`, "commandMemoryMb");
  const least = limits.freeDiskMb * MB;
  // Others may have filled a disk before.
  const full = use.disks.find(({ atStart, free }) => free < least && atStart >= least);
  if (full)
    return ended(`less than ${limits.freeDiskMb} MB were left on the disk of ${full.path}`, "freeDiskMb");
  return null;
}

const ended = (why: string, setting: keyof CommandLimits): string =>
  `[limit: the command was ended because ${why}. The person can change the setting ${setting}]`;

const FILE = /file size limit exceeded|file too large|\bEFBIG\b/i;
/** 128 and SIGXFSZ. */
const FILE_CODE = 153;

/** One line for a command that failed since a file became too large, as far as it says so. */
export const fileLimitNote = (
  exitCode: number | null,
  output: string,
  { commandFileMb }: CommandLimits,
): string | null =>
  exitCode === FILE_CODE || (exitCode !== 0 && FILE.test(output.slice(-2_000)))
    ? `[limit: a file may have ${commandFileMb} MB. The person can change the setting commandFileMb]`
    : null;
