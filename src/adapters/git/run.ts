/** Runs git in a process group of its own, so that all it has started ends with it: after a time-out, and at one abort. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Program } from "../../ports/shell.ts";
import { sendSignal } from "../process-table.ts";

export type Ran = { readonly code: number; readonly out: string; readonly err: string };
export type Outcome = {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly timedOut: boolean;
  /** Ended by a signal that nobody here sent. */
  readonly killed: boolean;
};

type Limits = {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly input?: string | undefined;
  /** Of its input and output. "latin1": each character is a byte, for names of files that are no UTF-8. Default "utf8". */
  readonly encoding?: "utf8" | "latin1" | undefined;
  /** Open files that it inherits, from number 3 on. */
  readonly descriptors?: readonly number[];
};

const BYTES_MAX = 64 * 1024 * 1024;
/** Git removes its locks when it is asked to end. */
const GRACE_MS = 2_000;

const textOf = (chunks: readonly Buffer[], encoding?: BufferEncoding): string =>
  Buffer.concat(chunks).toString(encoding);

/** The chunks of its output and of its errors as they come. `onFull`: once, where more comes than fits. */
function gathered(child: ChildProcessWithoutNullStreams, onFull: () => void): [Buffer[], Buffer[]] {
  const texts: [Buffer[], Buffer[]] = [[], []];
  let bytes = 0;
  [child.stdout, child.stderr].forEach((stream, i) => {
    stream.on("data", (chunk: Buffer) => {
      const wasFull = bytes > BYTES_MAX;
      bytes += chunk.length;
      if (bytes <= BYTES_MAX) texts[i]?.push(chunk);
      else if (!wasFull) onFull();
    });
  });
  return texts;
}

/** Rejects with the system's error when it cannot start, and with the signal's reason. `code` is null for more output than fits. */
export function runInGroup(
  { file, args, cwd, env }: Program,
  { signal, timeoutMs, input, encoding = "utf8", descriptors = [] }: Limits,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stdio: ["pipe", "pipe", "pipe", ...number[]] = ["pipe", "pipe", "pipe", ...descriptors];
    const child = spawn(file, args, { cwd, env, detached: true, stdio }) as ChildProcessWithoutNullStreams;
    let [timedOut, isFull] = [false, false];
    let kill: NodeJS.Timeout | undefined;
    const send = (how: NodeJS.Signals): void => {
      if (child.pid !== undefined) sendSignal(-child.pid, how);
    };
    const endSoon = (): void => {
      kill ??= setTimeout(() => {
        send("SIGKILL");
        // A process in another group may hold the pipes.
        child.stdout.destroy();
        child.stderr.destroy();
      }, GRACE_MS);
    };
    const end = (): void => {
      send("SIGTERM");
      endSoon();
    };
    // What it leaves behind may hold its pipes for ever: bubblewrap does, where /proc is not that of its own processes.
    child.once("exit", endSoon);
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs);
    signal?.addEventListener("abort", end, { once: true });
    const texts = gathered(child, () => {
      isFull = true;
      end();
    });
    const over = (): void => {
      clearTimeout(timer);
      clearTimeout(kill);
      signal?.removeEventListener("abort", end);
    };
    child.once("error", (error) => {
      over();
      reject(error);
    });
    child.once("close", (code, by) => {
      over();
      if (signal?.aborted) return reject(signal.reason);
      const killed = !timedOut && !isFull && by !== null;
      const [out, err] = [textOf(texts[0], encoding), textOf(texts[1])];
      resolve({ code: isFull ? null : code, out, err, timedOut, killed });
    });
    // Git may end before it has read all of it.
    child.stdin.on("error", () => {});
    child.stdin.end(input, encoding);
  });
}
