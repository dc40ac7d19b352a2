/** What watching a forge needs. */
import type { HostId } from "../../core/ids.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Clock, Forge, Store } from "../../ports/index.ts";

export type ForgeParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly forge: Forge;
  readonly host: HostId;
  readonly settings: Pick<Settings, Extract<keyof Settings, `forge${string}`>>;
  /** Called when something was merged. */
  readonly merged: () => Promise<void>;
  /** A warning for the person. */
  readonly tell: (text: string) => Promise<void>;
  /** Called after each step, from the first whole look on. */
  readonly onStep?: (() => void) | undefined;
};
