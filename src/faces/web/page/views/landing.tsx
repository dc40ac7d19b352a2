/** The view of landings: those that wait, the output of their gates, and landed changes with their diffs. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import type { ForgeRow } from "../../../../core/forge/views.ts";
import type { Commit } from "../../wire.ts";
import { app } from "../app.ts";
import { useAnswer, useFacts } from "../live/facts.ts";
import { Button } from "../parts/fields.tsx";
import { Empty, TaskLink, Time } from "../parts/parts.tsx";
import { Output, Patch } from "../parts/text.tsx";
import { landings } from "../pure/landings.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export function LandingView() {
  const { events, isLoading, error } = useFacts();
  const { waiting, refused, landed } = useMemo(() => landings(events), [events]);
  if (error) return <Empty title="The journal cannot be read">{error}</Empty>;
  const requests = useAnswer<readonly ForgeRow[]>("forge", events.length).data ?? [];
  if (waiting.length + refused.length + landed.length + requests.length === 0)
    return (
      <Empty title={isLoading ? "Loading" : "Nothing has landed yet"}>
        {!isLoading &&
          "With worktrees, every task works on a branch of its own, and its commits appear here when they land."}
      </Empty>
    );
  return (
    <div class="landing">
      <Letters title="Pull requests" list={requests}>
        {(one) => <Request key={one.task} {...one} />}
      </Letters>
      <Letters title="Queue" list={waiting}>
        {(one) => (
          <li key={one.task} class="letter">
            <header>
              <TaskLink id={one.task} /> <span class="dim">{one.by}</span>
              {one.gate ? (
                <span class="tag busy">gate runs</span>
              ) : (
                <span class="tag">waits for {one.target}</span>
              )}
              <Time at={one.at} />
            </header>
            {one.gate && <code>{one.gate}</code>}
            {app.mayAct && <Moves id={one.task} />}
          </li>
        )}
      </Letters>
      <Letters title="Refused" list={refused}>
        {(one) => (
          <li key={one.seq} class="letter">
            <header>
              <TaskLink id={one.task} /> <span class="dim">{one.by}</span>
              <span class="tag bad">{one.why}</span>
              <Time at={one.at} />
            </header>
            <Output text={one.evidence} />
          </li>
        )}
      </Letters>
      <Letters title="Landed" list={landed}>
        {(one) => <Landed key={one.seq} landed={one} />}
      </Letters>
    </div>
  );
}

/** What it waits for, and what was tried. */
function Request({ task, issue, request, state, waitsFor, rounds, strangers, subject }: ForgeRow) {
  const tone = state === "merged" ? "good" : state === "closed" ? "bad" : "";
  return (
    <li class="letter">
      <header>
        <TaskLink id={task} />
        <span class={`tag ${tone}`}>{request === null ? state : `request #${request} ${state}`}</span>
        {issue !== null && <span class="dim">issue #{issue}</span>}
        <span class="dim">
          {rounds.checks} checks, {rounds.reviews} reviews
        </span>
      </header>
      <p>
        {subject}
        {waitsFor && `: waits for ${waitsFor}`}
        {strangers > 0 && ` (${strangers} texts of others)`}
      </p>
    </li>
  );
}

/** A person moves it in line, lands it next, or sends it back. */
function Moves({ id }: { id: number }) {
  const land = (decision: "move" | "land" | "drop"): void =>
    void app.act({ do: "land", id, decision, place: 1 });
  return (
    <p class="row">
      <Button onClick={() => land("move")}>To the front</Button>
      <Button onClick={() => land("land")} title="As soon as its gate is green, past every reservation">
        Land next
      </Button>
      <Button onClick={() => land("drop")} title="Its owner is told; its branch stays">
        Drop
      </Button>
    </p>
  );
}

type LettersProps<T> = { title: string; list: readonly T[]; children: (one: T) => ComponentChildren };

function Letters<T>({ title, list, children }: LettersProps<T>) {
  if (list.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ol class="letters">{list.map(children)}</ol>
    </section>
  );
}

function Landed({ landed: { task, by, at, target, commit } }: { landed: Of<"task.landed"> }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useAnswer<Commit>(isOpen ? `commit/${commit}` : null);
  return (
    <li class="letter">
      <header>
        <TaskLink id={task} /> <span class="dim">{by}</span>
        <span class="tag good">{target}</span>
        <Time at={at} />
      </header>
      <Button class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide" : "Show"} the diff of <code>{commit.slice(0, 9)}</code>
      </Button>
      {isOpen && error && <p class="bad">{error}</p>}
      {isOpen && data && <Patch message={data.message} text={data.diff} />}
      {isOpen && data?.cut && <p class="dim">The rest is too long for here: git show {commit.slice(0, 9)}</p>}
    </li>
  );
}
