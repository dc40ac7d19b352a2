/** A child process: its start, the collection of its output, its end. */

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { type EkidenError, messageOf, toolFailed } from "../../core/errors.ts";
import type { ConfinedProgram, Program } from "../../ports/shell.ts";
import { systemClock } from "../clock.ts";
import { REMEDY } from "../shortages.ts";
import type { Output } from "./output.ts";

/** After the end of a command: a pipe that says nothing for this long has said everything. */
const QUIET_MS = 25;
/** … and one that never falls silent (a background child prints) is left alone after this. */
const DRAIN_MS = 300;

/** A child, or a process that was started by one for us. */
export type Running = Pick<ChildProcess, "pid" | "stdin" | "stdout" | "stderr" | "on" | "once" | "unref">;
/** One that waited for its command, and knows whether that has begun. */
export type Prepared = Running & { readonly began: boolean };
export type Ended = { readonly code: number | null; readonly signal: string | null };

/** Some failures (a command line that is too long, a NUL) are thrown at once, others come as an event. */
export function launch({ file, args, cwd, env }: Program, stdio: SpawnOptions["stdio"]): ChildProcess {
  try {
    return spawn(file, args, { cwd, env, stdio, detached: true, windowsHide: true });
  } catch (cause) {
    const length = args.reduce((sum, arg) => sum + arg.length, 0);
    const why =
      length > 100_000
        ? `its ${length} characters are too many for one command: put them into a file`
        : messageOf(cause);
    throw toolFailed(`The command cannot be started: ${why}.`, { cause });
  }
}

export const noFolder = (cwd: string, cause?: unknown): EkidenError =>
  toolFailed(`The folder ${cwd} does not exist, so nothing can run in it. Create it or choose another.`, {
    cause,
    details: { missing: true },
  });

/** The process group, once there is a process. @throws EkidenError `tool_failed` when it cannot start. */
export function started(child: Running, file: string, cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    if (child.pid !== undefined) return resolve(child.pid);
    child.once("error", (cause: NodeJS.ErrnoException) => {
      if (!existsSync(cwd)) return reject(noFolder(cwd, cause));
      const message =
        cause.code === "ENOENT"
          ? `The program ${file} was not found. Install it, or use another one.`
          : `${file} cannot be started: ${cause.message}.${REMEDY[cause.code ?? ""] ?? ""}`;
      reject(toolFailed(message, { cause, details: { missing: cause.code === "ENOENT" } }));
    });
  });
}

/** Collects the output, stderr in `errors`; resolves shortly after the process has ended, also when other processes still hold its pipes. */
export function observe(child: Running, output: Output, errors = output): Promise<Ended> {
  return new Promise((resolve) => {
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    let open = streams.length;
    let heardAt = 0;
    let collecting = true;
    let outcome: Ended | undefined;
    const finish = (): void => {
      if (!collecting || !outcome) return;
      collecting = false;
      // A background child may keep printing: it is read, so that it does not block or die, and thrown away.
      for (const stream of streams) (stream as unknown as { unref?: () => void }).unref?.();
      resolve(outcome);
    };
    for (const stream of streams) {
      stream.on("data", (chunk: Buffer) => {
        heardAt = systemClock.uptime();
        if (collecting) (stream === child.stderr ? errors : output).add(chunk);
      });
      stream.on("error", () => {});
      stream.once("close", () => {
        open -= 1;
        if (open === 0) finish();
      });
    }
    child.once("exit", (code, signal) => {
      outcome = { code, signal };
      child.unref();
      if (open === 0) return finish();
      const exitedAt = systemClock.uptime();
      // Timers come before input in a turn of the event loop, so what is already there is read before silence is believed.
      const look = (): void => {
        const now = systemClock.uptime();
        if (now - Math.max(exitedAt, heardAt) >= QUIET_MS || now - exitedAt >= DRAIN_MS) finish();
        else setTimeout(() => setImmediate(look), QUIET_MS);
      };
      setTimeout(() => setImmediate(look), QUIET_MS);
    });
  });
}

/** An exit code that a supervisor reports stands for a signal when we have just sent one. */
export function outcomeOf(ended: Ended, confined: ConfinedProgram | null, ending: boolean): Ended {
  if (!confined?.supervised || !ending) return ended;
  if (ended.code === 143) return { code: null, signal: "SIGTERM" };
  return ended.code === 137 ? { code: null, signal: "SIGKILL" } : ended;
}
