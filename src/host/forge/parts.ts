/** What watching a forge needs, and what a process remembers of people: whose words reach a member, and what the person was told. */
import type { Author } from "../../core/forge/model.ts";
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

const TRUST_MS = 10 * 60_000;

export class People {
  private readonly parts: ForgeParts;
  private readonly known = new Map<number, { readonly mayWrite: boolean; readonly at: number }>();
  private readonly told = new Set<string>();

  constructor(parts: ForgeParts) {
    this.parts = parts;
  }

  /** People who may write to the repository now, by their numeric ids, and bots that a setting names. */
  async trusts(who: Author): Promise<boolean> {
    const { forge, clock, settings } = this.parts;
    if (who === null) return false;
    if (who.isBot) return settings.forgeBots.includes(who.login);
    const known = this.known.get(who.id);
    if (known && clock.now() - known.at < TRUST_MS) return known.mayWrite;
    const mayWrite = await forge.mayWrite(who.login, who.id);
    this.known.set(who.id, { mayWrite, at: clock.now() });
    return mayWrite;
  }

  /** The ids of those that are trusted. */
  async trusted(all: Iterable<Author>): Promise<ReadonlySet<number>> {
    const ids = new Set<number>();
    for (const who of all) if (who && (await this.trusts(who))) ids.add(who.id);
    return ids;
  }

  async tellOnce(text: string): Promise<void> {
    if (!this.told.has(text)) await this.parts.tell(text);
    this.told.add(text);
  }
}
