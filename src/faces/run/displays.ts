/** The faces that show a run and ask its person. The entry chooses them: a run imports no other face. */
import type { Event } from "../../core/event.ts";
import type { HostOptions, TeamHost } from "../../host/team-host.ts";
import type { Store } from "../../ports/index.ts";
import type { Invocation } from "../kit/invocation.ts";

export type Display = {
  /** Whether the person answers here. */
  readonly asks: boolean;
  /** What it takes from the host besides the journal. */
  readonly told?: Pick<HostOptions, "onDelta" | "onOutput" | "onModel">;
  open(host: TeamHost): Promise<void>;
  take(events: readonly Event[]): void | Promise<void>;
  /** A sentence for the person, whatever else is shown. */
  say(text: string): void;
  stop(): void | Promise<void>;
};

/** `left`: once no tab has been open for a minute; at once where nobody came who is not expected. */
export type PageOfRun = { left(isExpected: boolean): Promise<void>; close(): Promise<void> };

export type Displays = {
  screen(call: Invocation): Promise<Display>;
  lines(call: Invocation): Promise<Display>;
  page(call: Invocation, store: Store): Promise<PageOfRun>;
};
