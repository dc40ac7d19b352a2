/** Following what happened: the journal, and the wake-ups that say when there is something new. */
import type { Event, Fact, FactOf, FactType } from "../core/event.ts";
import type { Brand, Instant, Name, TaskId } from "../core/ids.ts";

/** An opaque place in the journal; "" is its beginning. */
export type Cursor = Brand<string, "Cursor">;

export type JournalPage = { readonly events: Event[]; readonly cursor: Cursor };

/** Facts that are found by their task, however long the journal is. */
export type OfTask = "task.checked" | "task.reviewed" | "task.reopened" | "task.drifted" | "task.landed";
type Found<T extends OfTask> = FactOf<T> & { readonly seq: number; readonly at: Instant };

export interface Journal {
  note(facts: readonly Fact[]): Promise<void>;
  /** Notes a `warning.raised`: the fault and its consequence. `who`: the member it concerns, if any. */
  warn(who: Name | null, text: string): Promise<void>;
  /** The next events after `cursor`, causes before effects. None is missed or repeated, whatever order transactions commit in. */
  read(
    cursor: Cursor,
    options?: { readonly limit?: number; readonly types?: readonly FactType[] },
  ): Promise<JournalPage>;
  /** All pages from `cursor` to the present end. The last one is not full, but has a cursor behind all that there is. */
  pages(cursor: Cursor, types?: readonly FactType[]): AsyncGenerator<JournalPage>;
  /** The facts of one task, oldest first. */
  ofTask<T extends OfTask>(task: TaskId, types: readonly T[]): Promise<readonly Found<T>[]>;
  /** The place after all present events. */
  end(): Promise<Cursor>;
  /** The place after the event of this number, as a person typed it. */
  from(seq: number): Cursor;
}

/** A waiter's topic: `board`, `journal`, `orders` (given and obeyed), `landings` (of all teams of the store), or mail for one name. */
export type WakeTopic = "board" | "journal" | "orders" | "landings" | "forge" | `mail:${string}`;
export type Mark = Brand<number, "Mark">;

/** Wake-ups are hints and may be early or doubled. A change after `mark()` wakes at the latest with the next poll. */
export interface Wake {
  mark(): Mark;
  /** Resolves when one of the topics changed since `mark`, after `ms`, or on abort (no error). */
  changed(since: Mark, topics: readonly WakeTopic[], ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `on` soon after every change of a topic, until the returned function is called. */
  watch(topic: WakeTopic, on: () => void): () => void;
}
