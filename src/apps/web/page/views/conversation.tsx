/** What a member heard, thought, said and did, also what a compaction took out of its sight. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { concerns } from "../../../../core/views/search.ts";
import type { ConversationPage } from "../../wire.ts";
import { app } from "../app.ts";
import { contentsBefore } from "../edits.ts";
import { Button, Choice, TextField } from "../fields.tsx";
import { Empty, TaskLink } from "../parts.tsx";
import { EntryBlock, subagentsOf } from "./entries.tsx";
import { PhaseWords } from "./team.tsx";

type Line = ConversationPage["entries"][number];
/** How many of the latest entries are elements; earlier ones come on demand. */
const SHOWN = 200;

export function ConversationView() {
  const who = app.route.item || "lead";
  const { lines, error, isLoading } = useConversation(who);
  const until = app.replay?.time ?? Number.POSITIVE_INFINITY;
  const seen = useMemo(
    () => (until === Number.POSITIVE_INFINITY ? lines : lines.filter((line) => line.at <= until)),
    [lines, until],
  );
  return (
    <div class="conversation">
      <Members who={who} />
      {error ? (
        <Empty title="No such conversation">{error}</Empty>
      ) : seen.length === 0 ? (
        <Empty title={isLoading ? "Loading" : `${who} has not said anything yet`} />
      ) : (
        <Lines key={who} who={who} lines={seen} />
      )}
      {app.mayAct && app.model.members.has(who) && <Say key={who} to={who} />}
    </div>
  );
}

function useConversation(who: string): { lines: readonly Line[]; error: string; isLoading: boolean } {
  const [state, setState] = useState<{ lines: readonly Line[]; error: string; isLoading: boolean }>({
    lines: [],
    error: "",
    isLoading: true,
  });
  const { team } = app.route;
  useEffect(() => {
    let [isOver, isReading, isOld] = [false, false, false];
    let lines: Line[] = [];
    setState({ lines, error: "", isLoading: true });
    const read = async (): Promise<void> => {
      isOld = true;
      if (isReading) return;
      isReading = true;
      try {
        while (isOld && !isOver) {
          isOld = false;
          const after = lines.at(-1)?.seq ?? 0;
          const page = await app.source.get<ConversationPage>(`${team}/conversation/${who}`, { after });
          if (page.entries.length > 0) lines = [...lines, ...page.entries];
          isOld ||= page.more;
          if (!isOver && (page.entries.length > 0 || !page.more))
            setState({ lines, error: "", isLoading: page.more });
        }
      } catch (error) {
        if (!isOver)
          setState({ lines, error: lines.length > 0 ? "" : (error as Error).message, isLoading: false });
      }
      isReading = false;
    };
    const member = who.split("/")[0] ?? "";
    const stop = app.tap((events) => {
      if (events.some((event) => concerns(event, member))) void read();
    });
    void read();
    return () => {
      isOver = true;
      stop();
    };
  }, [team, who]);
  return state;
}

function Members({ who }: { who: string }) {
  const member = app.model.members.get(who.split("/")[0] ?? "");
  return (
    <div class="toolbar">
      <Choice
        label="Whose conversation"
        value={who}
        options={[...new Set([...app.model.members.keys(), who])]}
        onValue={(item) => app.go({ item })}
      />
      {member && <PhaseWords member={member} />}
      {member?.task && <TaskLink id={member.task} class="clip" />}
    </div>
  );
}

function Say({ to }: { to: string }) {
  const [text, setText] = useState("");
  const send = async (urgent: boolean): Promise<void> => {
    if (await app.act({ do: "send", to, text, urgent })) setText("");
  };
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        void send(false);
      }}
    >
      <TextField
        aria-label={`Write to ${to}`}
        placeholder={`Write to ${to}`}
        value={text}
        onValue={setText}
      />
      <button type="submit" disabled={text.trim() === ""}>
        Send
      </button>
      <Button
        disabled={text.trim() === ""}
        onClick={() => void send(true)}
        title="Urgent: cuts short what it is doing"
      >
        Interrupt
      </Button>
    </form>
  );
}

function Lines({ who, lines }: { who: string; lines: readonly Line[] }) {
  const [shown, setShown] = useState(SHOWN);
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const at = box.current;
    if (at && isAtEnd.current) at.scrollTop = at.scrollHeight;
  }, [lines.length, app.output]);
  const results = useMemo(
    () =>
      new Map(
        lines.flatMap(({ entry }) =>
          entry.kind === "result" ? [[entry.result.id, entry.result] as const] : [],
        ),
      ),
    [lines],
  );
  const before = useMemo(() => contentsBefore(lines, results), [lines, results]);
  const summary = lines.findLastIndex(({ entry }) => entry.kind === "summary");
  const start = Math.max(0, lines.length - shown);
  let subagents = 0;
  for (const { entry } of lines.slice(0, start)) subagents += subagentsOf(entry);
  return (
    <div
      class="entries"
      ref={box}
      tabIndex={0}
      role="log"
      aria-label={`Conversation of ${who}`}
      onScroll={({ currentTarget: at }) => {
        isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 40;
      }}
    >
      {start > 0 && (
        <Button class="link earlier" onClick={() => setShown(shown + 1_000)}>
          Show {start} earlier entries
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
          />
        );
      })}
    </div>
  );
}
