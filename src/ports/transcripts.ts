/** The conversations of the members and of their subagents. */

import type { Seat, Spent } from "../core/board/member.ts";
import type { Entry, Recorded } from "../core/conversation/chat.ts";
import type { Fact } from "../core/event.ts";
import type { Name } from "../core/ids.ts";
import type { Outgoing } from "./held.ts";

export interface Transcripts {
  /** The entries from the last summary on, of which the member's next request is made. */
  current(name: Name): Promise<Entry[]>;
  /** All entries in pages of `limit`, oldest first. Also a subagent's, by its name ("alice/1"). */
  all(name: Name, after?: number, limit?: number): Promise<Recorded[]>;
  /** All entries after `after`, in the same pages. */
  pages(name: Name, after?: number): AsyncGenerator<Recorded[]>;
  /** The last `limit` entries, oldest first: of all, or of those before an entry. */
  last(name: Name, limit: number, before?: number): Promise<Recorded[]>;
  /** @throws `stale_seat` */
  record(seat: Seat, entries: readonly Entry[], along?: WithWrite): Promise<void>;
}

/** Facts, costs and mail from the member, written in the same step as its entries. */
export type WithWrite = {
  readonly facts?: readonly Fact[];
  readonly spent?: Spent;
  readonly mail?: readonly Outgoing[];
  /** Writes the entries to the transcript of this subagent ("alice/1") instead of the member's. */
  readonly subagent?: Name;
};
