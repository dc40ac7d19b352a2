/** Calls of a host by a face that does not stay: the page. The team neither waits for it nor ends with it. */
import { toolFailed } from "../../core/errors.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { reach } from "./attached-host.ts";
import { type CallName, type Calls, errorOf, type HostState, send, socketPath } from "./wire.ts";

export type Caller = {
  readonly state: HostState;
  call<C extends CallName>(name: C, ...args: Parameters<Calls[C]>): Promise<ReturnType<Calls[C]>>;
};

/**
 * Null where no process of this machine runs the team and takes calls.
 * @throws EkidenError what the host says when it is of no use, and what `use` throws
 */
export async function withHost<T>(
  settings: Pick<Settings, "store" | "team">,
  cwd: string,
  use: (caller: Caller) => Promise<T>,
): Promise<T | null> {
  for (const of of ["run", "host"] as const) {
    const found = await reach(socketPath(settings, cwd, of), FROZEN_MS);
    if (found === null) continue;
    if ("refused" in found) throw errorOf(found.refused);
    const { line, welcome } = found;
    line.socket.setTimeout(CALL_MS);
    let nth = 0;
    const call = <C extends CallName>(
      name: C,
      ...args: Parameters<Calls[C]>
    ): Promise<ReturnType<Calls[C]>> =>
      new Promise((done, fail) => {
        nth += 1;
        const id = nth;
        line.socket.on("close", () => fail(toolFailed(GONE)));
        if (line.socket.destroyed) fail(toolFailed(GONE));
        line.listen((message) => {
          if (!("id" in message) || message.id !== id) return;
          if ("fault" in message) fail(errorOf(message.fault));
          else done(message.value as ReturnType<Calls[C]>);
        });
        send(line.socket, { id, call: name, args });
      });
    try {
      return await use({ state: welcome.welcome, call });
    } finally {
      line.socket.destroy();
    }
  }
  return null;
}

/** A process that stands still is not waited for. */
const FROZEN_MS = 3_000;
/** A model may take its time to sum up a conversation. */
const CALL_MS = 120_000;
const GONE = "The process of the team has ended meanwhile. Look before you do it again.";
