/** Whose words reach a member: people who may write to the repository now, by their numeric ids, and bots that a setting names. */
import type { Author } from "../../core/forge/model.ts";
import type { ForgeParts } from "./parts.ts";

const TRUST_MS = 10 * 60_000;

export class Trusted {
  private readonly parts: ForgeParts;
  private readonly known = new Map<number, { readonly mayWrite: boolean; readonly at: number }>();

  constructor(parts: ForgeParts) {
    this.parts = parts;
  }

  async has(who: Author): Promise<boolean> {
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
  async of(all: Iterable<Author>): Promise<ReadonlySet<number>> {
    const ids = new Set<number>();
    for (const who of all) if (who && (await this.has(who))) ids.add(who.id);
    return ids;
  }
}
