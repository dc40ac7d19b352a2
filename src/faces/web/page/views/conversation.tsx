/** Shows what a member heard, thought, said and did, also what a compaction took out of its sight. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LiveOutput } from "../../../../core/text/live-output.ts";
import { concerns } from "../../../../core/views/search.ts";
import type { ConversationPage } from "../../wire.ts";
import { app } from "../app.ts";
import { useReturns } from "../live/facts.ts";
import { Follow } from "../live/follow.ts";
import { Button, Choice } from "../parts/fields.tsx";
import { Empty, TaskLink } from "../parts/parts.tsx";
import { Markdown } from "../parts/text.tsx";
import { AsksOf } from "../questions/asks.tsx";
import { answersIn, useWaits } from "./answers-in.ts";
import { EntryBlock, subagentsOf } from "./entries.tsx";
import { useKeptPlace } from "./kept-place.ts";
import { Say } from "./say.tsx";
import { PhaseWords } from "./team.tsx";

type Line = ConversationPage["entries"][number];
/** The number of latest entries that are read and are elements; earlier ones come when one scrolls up. */
const SHOWN = 200;
/** The number of earlier entries that come each time. */
const EARLIER = 500;
/** So near to the first entry that is shown, earlier ones are read. */
const NEAR_TOP_PX = 600;

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

const subagentsIn = (lines: readonly Line[]): number =>
  lines.reduce((sum, { entry }) => sum + subagentsOf(entry), 0);

export function ConversationView() {
  const who = app.route.item || "lead";
  const until = app.replay?.time ?? Number.POSITIVE_INFINITY;
  const { lines, error, isLoading, hasEarlier, subagentsBefore, readEarlier } = useConversation(who);
  const seen = useMemo(
    () => (until === Number.POSITIVE_INFINITY ? lines : lines.filter((line) => line.at <= until)),
    [lines, until],
  );
  // A replay of the beginning needs what is before the part that was read.
  const [first] = lines;
  const needsEarlier = hasEarlier && first !== undefined && until < first.at;
  useEffect(() => {
    if (needsEarlier) void readEarlier();
  }, [needsEarlier, lines]);
  return (
    <div class="conversation">
      <Members who={who} />
      {error ? (
        <Empty title="No such conversation">{error}</Empty>
      ) : seen.length === 0 ? (
        <Empty title={isLoading ? "Loading" : `${who} has not said anything yet`} />
      ) : (
        <Lines
          key={who}
          who={who}
          lines={seen}
          subagentsBefore={subagentsBefore}
          onEarlier={hasEarlier ? readEarlier : null}
        />
      )}
      <AsksOf who={who.split("/")[0] ?? ""} />
      {app.mayAct && app.model.members.has(who) && <Say key={who} to={who} />}
    </div>
  );
}

function useConversation(who: string): Conversation & { readEarlier: () => Promise<void> } {
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

function Members({ who }: { who: string }) {
  const member = app.model.members.get(who.split("/")[0] ?? "");
  return (
    <div class="toolbar">
      <Choice
        label="Conversation of"
        value={who}
        options={[...new Set([...app.model.members.keys(), who])]}
        onValue={(item) => app.go({ item })}
      />
      {member && <PhaseWords member={member} />}
      {member?.task && <TaskLink id={member.task} class="clip" />}
    </div>
  );
}

type LinesProps = {
  who: string;
  lines: readonly Line[];
  subagentsBefore: number;
  /** Reads entries before the first line; null when there are none. */
  onEarlier: (() => Promise<void>) | null;
};

function Lines({ who, lines, subagentsBefore, onEarlier }: LinesProps) {
  const [shown, setShown] = useState(SHOWN);
  const box = useRef<HTMLDivElement>(null);
  const start = Math.max(0, lines.length - shown);
  useKeptPlace(box, lines[start]?.seq);
  const follow = useFollow(box, lines.length);
  const waits = useWaits(who);
  const { results, before } = useMemo(() => answersIn(lines, waits), [lines, waits]);
  const summary = lines.findLastIndex(({ entry }) => entry.kind === "summary");
  const hasMore = start > 0 || onEarlier !== null;
  const more = (): void => {
    if (!hasMore) return;
    setShown(Math.min(shown, lines.length) + EARLIER);
    if (start === 0) void onEarlier?.();
  };
  let subagents = subagentsBefore + subagentsIn(lines.slice(0, start));
  return (
    <div
      class="entries"
      ref={box}
      tabIndex={0}
      role="log"
      aria-label={`Conversation of ${who}`}
      onScroll={({ currentTarget: at }) => {
        follow.scrolled(at);
        if (at.scrollTop < NEAR_TOP_PX && !follow.isOn) more();
      }}
    >
      {hasMore && (
        <Button class="link earlier" onClick={more}>
          Show earlier entries
        </Button>
      )}
      {lines.slice(start).map((line, i) => {
        const first = subagents;
        subagents += subagentsOf(line.entry);
        return (
          <EntryBlock
            key={line.seq}
            who={who}
            line={line}
            results={results}
            before={before}
            isPast={start + i < summary}
            firstSubagent={first}
            goesOn={goesOn(lines, start, start + i)}
          />
        );
      })}
      {!app.replay && app.output.map((one) => one.who === who && <LiveWords key={one.since} words={one} />)}
    </div>
  );
}

/** Keeps the end in sight until one scrolls away from it. */
function useFollow(box: RefObject<HTMLElement | null>, count: number): Follow {
  const { current: follow } = useRef(new Follow());
  useLayoutEffect(() => {
    const toEnd = (): void => {
      if (box.current) follow.toEnd(box.current);
    };
    toEnd();
    // An entry that comes into view is measured only now, and may be higher than estimated.
    const observer = new ResizeObserver(toEnd);
    for (const entry of box.current?.children ?? []) observer.observe(entry);
    return () => observer.disconnect();
  }, [count, app.output]);
  return follow;
}

/** Whether the shown line before it, of those that are not results, is one of its own speaker. */
function goesOn(lines: readonly Line[], start: number, i: number): boolean {
  for (let before = i - 1; before >= start; before -= 1) {
    const kind = lines[before]?.entry.kind;
    if (kind !== "result") return kind === "said";
  }
  return false;
}

/** The end of a reply that arrives; the whole of it follows as an entry. */
function LiveWords({ words: { kind, who, text } }: { words: LiveOutput }) {
  if (kind === "command") return null;
  return (
    <article class="entry said arriving" aria-live="off">
      <p class="dim">
        {who} {kind === "text" ? "writes" : "thinks"} …
      </p>
      <Markdown text={text} />
    </article>
  );
}
