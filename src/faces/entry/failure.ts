/** The end of a failed command: one line on stderr and an exit code. A stack is shown only with --verbose. */
import { badInput, isEkidenError, messageOf } from "../../core/errors.ts";
import { jsonLine } from "../../core/text/hidden.ts";
import { secretsOf } from "../../project/secrets.ts";
import { clean } from "../kit/terminal.ts";

export type FailureOptions = { readonly verbose: boolean; readonly json: boolean };

/** Faults of the machine that its person can correct, with what to say of them. */
const SYSTEM: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted by the system",
  ENOENT: "no such file or folder",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  ENOTDIR: "a part of the path is a file",
  EISDIR: "is a folder",
  EEXIST: "exists already",
  ENAMETOOLONG: "the path is too long",
};

const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** A refused file operation becomes an error with the path and the reason. Other errors stay: they are faults of this program. */
function asKnown(thrown: unknown): unknown {
  const { code = "", path, syscall } = thrown instanceof Error ? (thrown as NodeJS.ErrnoException) : {};
  if (syscall === "uv_cwd")
    return badInput("The current folder no longer exists. Change to one that exists.", { cause: thrown });
  // A write into an open file does not say which one it is.
  if (path === undefined && FULL.has(code))
    return badInput("The disk is full. Free some space (df -h shows it) and try again.", {
      cause: thrown,
    });
  if (path === undefined || syscall?.startsWith("spawn") || !Object.hasOwn(SYSTEM, code)) return thrown;
  const why = `${path}: ${SYSTEM[code]}. Check the path and its permissions.`;
  return badInput(why, { cause: thrown });
}

/** Reports the error and returns the exit code: the error's own, or 1 for a fault of this program. */
export function reportFailure(thrown: unknown, { verbose, json }: FailureOptions): number {
  const error = asKnown(thrown);
  const known = isEkidenError(error);
  const { redact } = secretsOf(process.env);
  const message = redact(messageOf(error));
  if (json) {
    const code = known ? error.code : "internal";
    process.stdout.write(jsonLine({ error: { code, message } }));
  }
  const hint = known || verbose ? "" : " (this is a fault of ekiden; --verbose shows where)";
  process.stderr.write(`ekiden: ${clean(message)}${hint}\n`);
  if (verbose && error instanceof Error) process.stderr.write(`${redact(stackOf(error))}\n`);
  return known ? error.exitCode : 1;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}

/**
 * Output that cannot be written ends a command: quietly if its reader went away (`| head`), with a message otherwise (a full disk).
 * `keepGoing` is for commands whose work is worth more than their output: it is told once, and nothing more is written there.
 */
export function handleClosedOutput(): { keepGoing(): void } {
  let end = true;
  for (const [name, stream] of [
    ["stdout", process.stdout],
    ["stderr", process.stderr],
  ] as const) {
    let told = false;
    stream.on("error", (error: NodeJS.ErrnoException) => {
      const isFault = error.code !== "EPIPE" && stream === process.stdout;
      if (isFault && !told)
        process.stderr.write(
          `ekiden: ${name} cannot be written: ${(error.code && SYSTEM[error.code]) || error.message}. ${end ? "Redirect it to a file that can be written." : "The work continues; `ekiden log` shows what is missing."}\n`,
        );
      told = true;
      if (end && stream === process.stdout) process.exit(isFault ? 1 : (process.exitCode ?? 0));
    });
  }
  return {
    keepGoing: () => {
      end = false;
    },
  };
}
