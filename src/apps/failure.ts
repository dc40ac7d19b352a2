/** How a failed command ends: one line on stderr and an exit code. A stack is shown only to who asks for it. */
import { isEkidenError, messageOf } from "../core/errors.ts";
import { clean } from "./terminal/terminal.ts";

export type FailureOptions = { readonly verbose: boolean; readonly json: boolean };

/** Reports whatever was thrown and returns the exit code: the error's own, or 1 for a fault of this program. */
export function reportFailure(error: unknown, { verbose, json }: FailureOptions): number {
  const known = isEkidenError(error);
  const message = messageOf(error);
  if (json) {
    const code = known ? error.code : "internal";
    process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
  }
  const hint = known || verbose ? "" : " (this is a fault of ekiden; --verbose shows where)";
  process.stderr.write(`ekiden: ${clean(message)}${hint}\n`);
  if (verbose && error instanceof Error) process.stderr.write(`${stackOf(error)}\n`);
  return known ? error.exitCode : 1;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}

/** A reader that went away (`| head`) ends a command quietly; `keepGoing` is for commands whose work is worth more than their output. */
export function handleClosedOutput(): { keepGoing(): void } {
  let end = true;
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      if (end && stream === process.stdout) process.exit(process.exitCode ?? 0);
    });
  return {
    keepGoing: () => {
      end = false;
    },
  };
}
