/** Child processes. Two implementations: plain, and inside a sandbox. */
export type ShellResult = {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** stdout and stderr as they came, head and tail when there was more than `keepBytes`. */
  readonly output: string;
  readonly totalBytes: number;
  /** Where the whole output lies, when `output` is not all of it. */
  readonly spooledTo: string | null;
  readonly timedOut: boolean;
  readonly ms: number;
};

export type ShellOptions = {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Output kept in memory; the rest goes to a file. Default 30,000. */
  readonly keepBytes?: number;
  /** Text for its stdin; without it stdin is closed. */
  readonly input?: string;
  /**
   * A new file for the whole output, as it comes, written by the command itself: it is whole even when this process dies. Then
   * `output` is empty and `spooledTo` is this file.
   */
  readonly outputFile?: string;
  /** Told the id of its first process, which leads its process group, as soon as there is one. */
  readonly onStart?: (pid: number) => void;
};

export interface Shell {
  /**
   * Runs one command line with bash (sh where there is none) in a process group of its own. On timeout or abort the whole
   * group, and what it left behind, is ended: TERM, then KILL. Secrets of the harness are not in its environment.
   * Resolves also for failing commands and time-outs; rejects with the signal's reason on abort, and for a shell that cannot start.
   */
  run(command: string, options: ShellOptions): Promise<ShellResult>;
  /** Runs one program without a shell. Otherwise the same. */
  exec(file: string, args: readonly string[], options: ShellOptions): Promise<ShellResult>;
  /** Ends every process this shell started and that is still alive. */
  close(): Promise<void>;
}
