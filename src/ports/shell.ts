/** Child processes: plain, or confined by a sandbox. */
import type { CommandLimits } from "../core/sandbox/command-limits.ts";
import type { Confinement } from "../core/sandbox/sandbox.ts";

export type ShellResult = {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** stdout and stderr as they came, head and tail when there was more than `keepBytes`. */
  readonly output: string;
  /** stderr, with `errorsApart`; else "". */
  readonly errors: string;
  readonly totalBytes: number;
  /** Where the whole output lies, when `output` is not all of it. */
  readonly spooledTo: string | null;
  readonly timedOut: boolean;
  /** With `endsLeft`: the number of processes that it left running, and that were ended. */
  readonly left?: number;
  readonly ms: number;
  /** Bytes that were printed after `outputMax` was reached and are not kept; with an `outputFile` there may be more. */
  readonly droppedBytes: number;
  /** One line for a command that the sandbox is likely to have made fail, with the rule that would allow it; else null. */
  readonly denial: string | null;
  /** One line for a command that ran into a limit of the sandbox, with the setting, or whose disk is full; else null. */
  readonly limit: string | null;
  /** One line that names new protected files of the command, which the sandbox set aside; else null. */
  readonly setAside: string | null;
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
  /** A new file for the whole output, as it comes, at most `outputMax` bytes. Then `output` is empty and `spooledTo` is this file. */
  readonly outputFile?: string;
  /** Bytes of output that are kept at most, in memory and in files. */
  readonly outputMax?: number;
  /** Gets the output as it comes, not that of an `outputFile`. */
  readonly onOutput?: (chunk: Buffer) => void;
  /** Keeps stderr out of `output`, for `errors`. */
  readonly errorsApart?: boolean;
  /** Ends what the command leaves running, too. Without it that lives until the shell is closed. */
  readonly endsLeft?: boolean;
  /** Told the id of its first process, which leads its process group, as soon as there is one. */
  readonly onStart?: (pid: number) => void;
  /** The differences of a command line from the session's rules; makes `exec` confine its program, too. */
  readonly confine?: Confinement;
  /** Outside the sandbox, because a person said so for this one command. */
  readonly unconfined?: boolean;
};

export interface Shell {
  /**
   * Runs one command line with bash (sh where there is none) in a process group of its own, inside the sandbox where one is
   * active. On timeout or abort the whole group, and what it left behind, is ended: TERM, then KILL. Its environment holds
   * only variables that are known to be harmless or named in the settings.
   * Resolves also for failing commands and time-outs; rejects with the signal's reason on abort, and for a shell that cannot start.
   */
  run(command: string, options: ShellOptions): Promise<ShellResult>;
  /** Runs one program of ours without a shell, and outside the sandbox unless `confine` is given. Otherwise the same. */
  exec(file: string, args: readonly string[], options: ShellOptions): Promise<ShellResult>;
  /** Commands may run for `ms` from now. Without a further call they are killed then, even if this process is frozen. */
  extend?(ms: number): void;
  /** The further variables of commands that run in a folder. */
  variablesIn?(folder: string): Readonly<Record<string, string>>;
  /** A new tag for `EKIDEN_JOB`: the processes that others start with it end with this process, also when it is killed. */
  newTag?(): string;
  /** Ends every process this shell started and that is still alive. */
  close(): Promise<void>;
}

/** A program to start. */
export type Program = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** A program as it is really started. */
export type ConfinedProgram = Program & {
  /** File descriptors that the process must get as its numbers 3, 4 …; closed by `done`. */
  readonly descriptors: readonly number[];
  /** The limits on its use of the machine that its supervisor cannot enforce. Null where nobody enforces them. */
  readonly limits: CommandLimits | null;
  /** Whether the program is started by another one, which must outlive it until it has been told to end. */
  readonly supervised: boolean;
  /**
   * Other arguments, with which the supervisor reports through a pipe after `descriptors`, and whether the program ran by that
   * report. Null where nobody reports.
   */
  readonly reporting: { readonly args: readonly string[]; ran(report: string): boolean } | null;
  /**
   * A process that was confined in advance: the function starts the program in it, at once, without input and with pipes for its
   * output. It returns the `ChildProcess`, whose type is the adapters'. Null where none is ready.
   */
  prepared(): Promise<(() => object) | null>;
  /** To be called when it has been started. */
  done(): void;
  /** To be called once when it has ended, or was not started: the line of `ShellResult.setAside`. */
  ended(): Promise<string | null>;
  /** The line of `ShellResult.denial`; the output of a command that succeeded is left out. */
  denial(output: string): string | null;
};

/** A program that anybody can start, and a function to call once when it has ended, or was not started. */
export type WholeProgram = Program & Pick<ConfinedProgram, "ended">;

export interface Sandbox {
  /** Null: no sandbox is active, so the program is started as it is. @throws EkidenError `not_permitted` when one is required */
  confine(program: Program, wanted: Confinement): Promise<ConfinedProgram | null>;
  /** The same for callers that cannot pass descriptors; it costs a shell more. */
  confineWhole(program: Program, wanted: Confinement): Promise<WholeProgram>;
  /** A file tool may write this file, so it stays although commands run that could have made it. */
  accept(workspace: string, path: string): void;
  /** From now on these hosts are reachable, too. */
  allowHosts(hosts: readonly string[]): void;
  status(): Promise<SandboxStatus>;
  close(): Promise<void>;
}

export type SandboxStatus = {
  readonly mode: "auto" | "required" | "off";
  readonly active: boolean;
  /** There is one, and it does not hold here: no command runs until the person says otherwise. */
  readonly isFaulty: boolean;
  /** `bubblewrap`, `seatbelt`, or null where there is none for this system. */
  readonly adapter: string | null;
  /** Program and version, such as `/usr/bin/bwrap (bubblewrap 0.8.0)`. */
  readonly version: string | null;
  /** One sentence about the sandbox, or why it is off and what to install or change. */
  readonly text: string;
  /** Whether listed hosts can be opened; why not, if not. */
  readonly network: string;
};
