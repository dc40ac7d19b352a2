/** Git of our own that reads what commands wrote: in the sandbox, where it writes nothing and has no network. */
import { execFile } from "node:child_process";
import type { Program, WholeProgram } from "../../ports/shell.ts";

export type Reads = {
  /** Null: there is none. */
  readonly git: string | null;
  readonly confine: (program: Program) => Promise<WholeProgram>;
};

const LIMITS = { timeout: 10_000, killSignal: "SIGKILL", maxBuffer: 2 ** 28 } as const;

/** What a program prints; null where it fails or takes too long. */
export async function printedBy(program: Program, confine: Reads["confine"]): Promise<string | null> {
  const { file, args, cwd, env, ended } = await confine(program);
  const printed = new Promise<string | null>((resolve) => {
    execFile(file, args, { cwd, env, ...LIMITS }, (error, output) => resolve(error ? null : output));
  });
  return await printed.finally(ended);
}
