/** An error of the sandbox itself, in which nothing of the command ran. */

import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { isEkidenError, messageOf, toolFailed } from "../../core/errors.ts";
import type { Confinement } from "../../core/sandbox/sandbox.ts";
import type { ConfinedProgram, Program, Sandbox } from "../../ports/shell.ts";
import { MOUNTS_DIFFER, MOUNTS_DIFFER_CODE } from "../sandbox-codes.ts";
import { within } from "../within.ts";

export class SandboxFault extends Error {}

export const faultText = (reason: string): string =>
  `The sandbox could not be set up, so the command did not run, also not when it was tried again: ${reason}. This is a fault of the machine, not of the command or the task: change nothing because of it. Try again later. If it stays, tell the person.`;

/** For a command whose supervisor was killed: it is tried again where it certainly did not begin. */
export const killed = (began: boolean | undefined): Error =>
  began === false
    ? new SandboxFault("the process that held it was killed")
    : toolFailed(
        "Interrupted: what confined this command was killed from outside, and the command with it. It may have taken effect in part: check before you repeat it.",
      );

/** @throws SandboxFault; EkidenError as the sandbox says */
export async function confine(
  sandbox: Sandbox | undefined,
  program: Program,
  wanted: Confinement,
): Promise<ConfinedProgram | null> {
  try {
    return (await sandbox?.confine(program, wanted)) ?? null;
  } catch (error) {
    if (isEkidenError(error)) throw error;
    throw new SandboxFault(messageOf(error), { cause: error });
  }
}

/** By the exit code, the output and the report of the supervisor. @throws SandboxFault when the program was never started */
export type FaultReader = (code: number | null, output: string) => Promise<void>;

/** bubblewrap, and nsenter before it, end with these codes and begin so. A program may do that, too: the report decides. */
const CODES: ReadonlySet<number | null> = new Set([1, 126, 127]);
const COMPLAINT = /^\s*((?:bwrap|nsenter): .{1,300})/;
const REPORT_MS = 1_000;

export function faultReader(child: ChildProcess, nth: number, ran: (report: string) => boolean): FaultReader {
  const pipe = (child.stdio as readonly unknown[])[nth] as (Readable & { unref?(): void }) | undefined;
  let report = "";
  const closed = new Promise<void>((resolve) => {
    if (!pipe) return resolve();
    pipe.on("data", (chunk: Buffer) => {
      report += chunk;
    });
    pipe.on("error", () => resolve()).once("close", resolve);
    pipe.unref?.();
  });
  return async (code, output) => {
    const [, complaint] = COMPLAINT.exec(output) ?? [];
    if (code === MOUNTS_DIFFER_CODE && complaint === MOUNTS_DIFFER) throw new SandboxFault(complaint);
    if (!CODES.has(code) || complaint === undefined || ran(report)) return;
    await within(REPORT_MS, closed, null);
    if (!ran(report)) throw new SandboxFault(complaint);
  };
}
