/** Shows what a member heard, thought, said and did, also what a compaction took out of its sight. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LiveOutput } from "../../../../core/text/live-output.ts";
import { app } from "../app.ts";
import { EARLIER, type Line, SHOWN, subagentsIn, useConversation } from "../live/conversation.ts";
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

/** So near to the first entry that is shown, earlier ones are read. */
const NEAR_TOP_PX = 600;

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

export function Lines({ who, lines, subagentsBefore, onEarlier }: LinesProps) {
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
