/** Everything that happened, newest first, searched on the server. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import { fits, type Search } from "../../../../core/views/search.ts";
import { sentence } from "../../../../core/views/sentence.ts";
import type { JournalPage } from "../../wire.ts";
import { app } from "../app.ts";
import { ForkButton } from "../forks/fork-dialog.tsx";
import { useReturns } from "../live/facts.ts";
import { Button, Choice, CloseButton, TextField } from "../parts/fields.tsx";
import { Empty, Link, Time, VirtualList } from "../parts/parts.tsx";
import { Output } from "../parts/text.tsx";

const KINDS =
  "task mail teammate turn tool permission plan gate job cron context model mode warning team".split(" ");
const ROW = 32;
const WAIT_MS = 200;

export function JournalView() {
  const [text, setText] = useState("");
  const [kind, setKind] = useState("");
  const [who, setWho] = useState("");
  const { events, more, isLoading } = useJournal(text.trim().toLowerCase(), kind, who);
  const [open, setOpen] = useState<Event | null>(null);
  const until = app.replay?.time ?? Number.POSITIVE_INFINITY;
  const shown = useMemo(
    () => (until === Number.POSITIVE_INFINITY ? events : events.filter((event) => event.at <= until)),
    [events, until],
  );
  return (
    <div class="journal">
      <div class="toolbar">
        <TextField
          type="search"
          aria-label="Search the journal"
          placeholder="Search"
          value={text}
          onValue={setText}
        />
        <Choice label="Kind" value={kind} options={[["", "All kinds"], ...KINDS]} onValue={setKind} />
        <Choice
          label="Member"
          value={who}
          options={[["", "Everybody"], "person", ...app.model.members.keys()]}
          onValue={setWho}
        />
      </div>
      {shown.length === 0 ? (
        <Empty title={isLoading ? "Loading" : "Nothing found"}>
          {!isLoading && more && <Button onClick={more}>Search further back</Button>}
        </Empty>
      ) : (
        <VirtualList
          items={shown}
          keyOf={({ seq }) => seq}
          height={ROW}
          label="Facts, newest first"
          row={(event) => <Row event={event} isOpen={open?.seq === event.seq} onOpen={setOpen} />}
          {...(more && { onEnd: more })}
        />
      )}
      {open && <Fact event={open} onClose={() => setOpen(null)} />}
    </div>
  );
}

function Row({ event, isOpen, onOpen }: { event: Event; isOpen: boolean; onOpen: (event: Event) => void }) {
  const { who, text, tone } = sentence(event);
  return (
    <Button class={`fact-row ${tone}${isOpen ? " selected" : ""}`} onClick={() => onOpen(event)}>
      <Time at={event.at} />
      <b class="clip">{who}</b>
      <span class="clip">{text}</span>
    </Button>
  );
}

function Fact({ event, onClose }: { event: Event; onClose: () => void }) {
  const { who, text } = sentence(event);
  const { seq, at, ...fact } = event;
  return (
    <section class="fact" aria-label={`Fact ${seq}`}>
      <header>
        <b>{event.type}</b> <span class="dim">#{seq}</span> <Time at={at} />
        {"task" in event && typeof event.task === "number" && (
          <Link to={{ task: event.task }}>task #{event.task}</Link>
        )}
        <ForkButton at={String(seq)} words={`behind line ${seq}, at ${new Date(at).toLocaleTimeString()}`} />
        <CloseButton onClose={onClose} />
      </header>
      <p>
        {who} {text}
      </p>
      <Output text={JSON.stringify(fact, null, 2)} head={20} tail={0} />
    </section>
  );
}

type Found = { events: readonly Event[]; more: (() => void) | null; isLoading: boolean };

function useJournal(text: string, kind: string, who: string): Found {
  const { team } = app.route;
  const [state, setState] = useState<Found>({ events: [], more: null, isLoading: true });
  const key = `${team} ${text} ${kind} ${who}`;
  const returns = useReturns(state.isLoading);
  const current = useRef(key);
  current.current = key;
  useEffect(() => {
    if (app.source.recording)
      return setState({ events: recorded({ text, kind, who }), more: null, isLoading: false });
    let [isReading, events]: [boolean, Event[]] = [false, []];
    const isCurrent = (): boolean => current.current === key;
    const read = async (before: number | null): Promise<void> => {
      if (isReading || !isCurrent()) return;
      isReading = true;
      const query = { limit: 200, text, kind, who, ...(before !== null && { before }) };
      const page = await app.source.get<JournalPage>(`${team}/journal`, query).catch(() => null);
      isReading = false;
      if (!page || !isCurrent()) return;
      const known = new Set(events.map((event) => event.seq));
      events = [...events, ...page.events.filter((event) => !known.has(event.seq)).reverse()];
      const next = page.before;
      setState({ events, more: next === null ? null : () => void read(next), isLoading: false });
    };
    const stop = app.tap((batch) => {
      const fitting = batch.filter((event) => fits(event, { text, kind, who }));
      if (fitting.length === 0 || !isCurrent()) return;
      events = [...fitting.reverse(), ...events];
      setState((before) => ({ ...before, events }));
    });
    const timer = setTimeout(() => void read(null), text === "" ? 0 : WAIT_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [key, returns]);
  return state;
}

const recorded = (search: Search): Event[] =>
  [...(app.replay?.events ?? [])].reverse().filter((event) => fits(event, search));
