/** The guards around a run in this process: signals, rejections that nobody handles, memory. */
import { messageOf } from "../../core/errors.ts";
import type { TeamHost } from "../../host/team-host.ts";
import type { Invocation } from "./invocation.ts";
import { clean } from "./terminal.ts";

/**
 * V8 lets its young generation grow to 32 MB while an agent works, and every command is started by a fork that costs in
 * proportion to the memory: 99 → 82 MB after 200 commands, for no more CPU. Known to V8 11 to 13; others would complain.
 * It is set after the start: after a change of flags V8 compiles Node's own modules again, 30 ms of a start.
 */
export async function keepYoungSmall(): Promise<void> {
  // `loader.ts` keeps the compiled program: after the change V8 would refuse it.
  (process as NodeJS.EventEmitter).emit("ekiden:started");
  if (!/^1[123]\./.test(process.versions.v8)) return;
  const { setFlagsFromString } = await import("node:v8");
  setFlagsFromString("--semi-space-growth-factor=1");
}

export const START_MS = 100;

/** A rejection that nobody handles is a fault of this program. It must not end the work of a whole team. */
export function ignoreUnhandled(call: Invocation): () => void {
  const say = (error: unknown): void =>
    call.err.write(`ekiden: ${clean(messageOf(error))} (this is a bug in ekiden; the team continues)\n`);
  process.on("unhandledRejection", say);
  return () => void process.off("unhandledRejection", say);
}

/** Wrappers such as npm and tsx pass on a signal that the terminal has sent to everybody already. */
const SAME_SIGNAL_MS = 250;

/** Counts the requests to end this process: Ctrl-C, TERM, a closed terminal. Returns what stops that. */
export function onSignals(on: (nth: number) => void): () => void {
  let [nth, at] = [0, 0];
  const onSignal = (): void => {
    if (nth > 0 && Date.now() - at < SAME_SIGNAL_MS) return;
    [nth, at] = [nth + 1, Date.now()];
    on(nth);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}

/** Resolves at the first request; the next one ends the process at once. */
export const interrupted = (): Promise<void> =>
  new Promise((done) => {
    const release = onSignals(() => {
      release();
      done();
    });
  });

/** The first request ends in order and keeps the state; the second ends at once. */
export const interruptible = (host: TeamHost, tell: (text: string) => void, goOn: string): (() => void) =>
  onSignals((nth) => {
    if (nth > 1) process.exit(130);
    tell(`interrupted; \`${goOn}\` continues (Ctrl-C again ends at once)`);
    host.interrupt().catch((error: unknown) => {
      tell(`ekiden: ${messageOf(error)}`);
      process.exit(130);
    });
  });
