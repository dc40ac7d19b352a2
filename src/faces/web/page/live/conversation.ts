/** A conversation as it is read: its end first, then what is new, and earlier entries on demand. */
import { useEffect, useRef, useState } from "preact/hooks";
import { concerns } from "../../../../core/views/search.ts";
import type { ConversationPage } from "../../wire.ts";
import { app } from "../app.ts";
import { subagentsOf } from "../views/entries.tsx";
import { useReturns } from "./facts.ts";

export type Line = ConversationPage["entries"][number];
/** The number of latest entries that are read. */
export const SHOWN = 200;
/** The number of earlier entries that come each time. */
export const EARLIER = 500;

type Conversation = {
  readonly lines: readonly Line[];
  readonly error: string;
  readonly isLoading: boolean;
  /** Entries before the first line are not read yet. */
  readonly hasEarlier: boolean;
  /** The number of subagents that the member started before the first line. */
  readonly subagentsBefore: number;
};
const NOTHING: Conversation = {
  lines: [],
  error: "",
  isLoading: true,
  hasEarlier: false,
  subagentsBefore: 0,
};

export const subagentsIn = (lines: readonly Line[]): number =>
  lines.reduce((sum, { entry }) => sum + subagentsOf(entry), 0);

export function useConversation(who: string): Conversation & { readEarlier: () => Promise<void> } {
  const [state, setState] = useState(NOTHING);
  const { team } = app.route;
  const returns = useReturns(state.error !== "");
  const reader = useRef<Reader | null>(null);
  useEffect(() => {
    const now = new Reader(`${team}/conversation/${who}`, setState);
    reader.current = now;
    setState(NOTHING);
    const member = who.split("/")[0] ?? "";
    const stop = app.tap((events) => {
      if (events.some((event) => concerns(event, member))) void now.read();
    });
    void now.read();
    return () => {
      now.isOver = true;
      stop();
    };
  }, [team, who, returns]);
  return { ...state, readEarlier: async () => await reader.current?.earlier() };
}

/** Reads one conversation, and tells each change of what is known of it. */
class Reader {
  isOver = false;
  private readonly path: string;
  private readonly tell: (now: Conversation) => void;
  private now = NOTHING;
  /** More has been said since the last look. */
  private isOld = false;
  private isReading = false;
  private isReadingEarlier = false;

  constructor(path: string, tell: (now: Conversation) => void) {
    this.path = path;
    this.tell = tell;
  }

  async read(): Promise<void> {
    this.isOld = true;
    if (this.isReading) return;
    this.isReading = true;
    try {
      while (this.isOld && !this.isOver) {
        this.isOld = false;
        this.isOld = (await this.next()) || this.isOld;
      }
    } catch (error) {
      this.change({ error: this.now.lines.length > 0 ? "" : (error as Error).message, isLoading: false });
    }
    this.isReading = false;
  }

  async earlier(): Promise<void> {
    const { now } = this;
    const [first] = now.lines;
    if (!first || this.isReadingEarlier || !now.hasEarlier) return;
    this.isReadingEarlier = true;
    try {
      const { entries, more } = await this.get({ last: EARLIER, before: first.seq });
      const subagentsBefore = more ? Math.max(0, this.now.subagentsBefore - subagentsIn(entries)) : 0;
      this.change({ lines: [...entries, ...this.now.lines], hasEarlier: more, subagentsBefore });
    } catch {
      // They are asked for again at the next scroll.
    }
    this.isReadingEarlier = false;
  }

  /** The end, then what is new. Whether there is more. */
  private async next(): Promise<boolean> {
    const newest = this.now.lines.at(-1);
    const { entries, more, subagents = 0 } = await this.get(newest ? { after: newest.seq } : { last: SHOWN });
    if (newest) {
      if (entries.length > 0) this.change({ lines: [...this.now.lines, ...entries] });
      return more;
    }
    const subagentsBefore = more ? Math.max(0, subagents - subagentsIn(entries)) : 0;
    this.change({ lines: entries, hasEarlier: more, isLoading: false, subagentsBefore });
    return false;
  }

  private get(query: Readonly<Record<string, number>>): Promise<ConversationPage> {
    return app.source.get<ConversationPage>(this.path, query);
  }

  private change(part: Partial<Conversation>): void {
    this.now = { ...this.now, ...part };
    if (!this.isOver) this.tell(this.now);
  }
}
