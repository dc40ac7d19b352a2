/** The faces that can show a run beside the lines of its feed. The entry chooses them: a run imports no other face. */
import type { Event } from "../../core/event.ts";
import type { HostOptions, TeamHost } from "../../host/team-host.ts";
import type { Store } from "../../ports/index.ts";
import type { PrintAbove } from "../kit/asking.ts";
import type { Invocation } from "../kit/invocation.ts";
import type { Terminal } from "../kit/terminal.ts";

type Display = {
  take(events: readonly Event[]): void;
  say(text: string): void;
  stop(): void | Promise<void>;
};

/** The full screen. It asks the person itself. */
export type RunScreen = Display & {
  /** What it takes from the host besides the journal. */
  readonly told: Pick<HostOptions, "onDelta" | "onOutput" | "onModel">;
  open(host: TeamHost): Promise<void>;
};

/** The lines at the bottom of a terminal. They make room while a question has it. */
export type LiveStatus = Display & {
  pause<T>(use: (printNewsBy: (print: PrintAbove) => void) => Promise<T>): Promise<T>;
};

export type Displays = {
  screen(call: Invocation): Promise<RunScreen>;
  status(err: Terminal, store: Store): Promise<LiveStatus>;
  page(call: Invocation, store: Store): Promise<{ close(): Promise<void> }>;
};
