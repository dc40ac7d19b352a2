/** Shows the work of each member on a card. Only the cards in sight ask for the running call. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { PictureMember as Member } from "../../../../core/picture/member.ts";
import { counted, money, tokens } from "../../../../core/views/view.ts";
import type { Doing } from "../../wire.ts";
import { app } from "../app.ts";
import { useDoing } from "../live/doing.ts";
import { Activity } from "../parts/activity.tsx";
import { Elapsed } from "../parts/clock.tsx";
import { Button } from "../parts/fields.tsx";
import { Empty, Link } from "../parts/parts.tsx";
import { isAsking, isHosted, isThere } from "../pure/board.ts";
import { AsksOf } from "../questions/asks.tsx";
import { Logins } from "./logins.tsx";
import { TeamNotes } from "./notes.tsx";

export function TeamView() {
  // In the order of joining: no card changes its place under the pointer.
  const members = [...app.model.members.values()];
  const [seen] = useState(() => new Set<string>());
  const doing = useDoing(seen);
  if (members.length === 0)
    return (
      <>
        <Empty title="Nobody is in this team yet">
          {app.mayAct && app.overview?.mayStart ? (
            <Link class="button" to={{ view: "run", item: "" }}>
              Start the team
            </Link>
          ) : (
            "Members appear here once the team has started."
          )}
        </Empty>
        <TeamNotes />
      </>
    );
  const isGone = ({ phase }: Member): boolean => phase === "shutdown";
  const gone = members.filter(isGone);
  const card = (member: Member) => (
    <Card
      key={member.name}
      member={member}
      doing={app.replay ? undefined : doing.get(member.name)}
      seen={seen}
    />
  );
  return (
    <div class="team">
      <Logins />
      <ul class="crew">{members.filter((one) => !isGone(one)).map(card)}</ul>
      {gone.length > 0 && (
        <details class="gone" open={gone.length === members.length}>
          <summary>{counted(gone.length, "stopped member")}</summary>
          <ul class="crew">{gone.map(card)}</ul>
        </details>
      )}
      <TeamNotes />
      {app.mayAct && isHosted(app.model) && <StopAll />}
    </div>
  );
}

const IDLE_WORDS: Readonly<Record<string, string>> = {
  no_tool_use: "is idle: its turn ended",
  asked_to_idle: "is idle",
  turn_limit: "is idle: its turns for this stint are used up",
  awaiting_messages: "waits for mail",
  awaiting_tasks: "waits for a task",
  awaiting_plan: "waits for you: its plan",
  awaiting_permission: "waits for you: a permission",
  awaiting_answer: "waits for you: an answer",
  awaiting_base: "waits until the target branch is repaired",
  interrupted: "was interrupted and waits for a message",
  rate_limited: "waits for the model provider",
  cannot_work: "cannot work and tries again",
  at_limit: "waits for the end of its limit",
  timeout: "is idle",
};
const END_WORDS: Readonly<Record<string, string>> = {
  asked: "stopped when asked",
  timeout: "left: nothing to do",
  failed: "stopped: its model failed",
  budget: "stopped: the budget is used up",
};

function phaseWords({ phase, reason, hosted, frozen, task }: Member): string {
  if (phase === "shutdown") return END_WORDS[reason] ?? "stopped";
  if (!hosted) return frozen === undefined ? "is not running" : `process ${frozen} stands still`;
  if (phase === "idle") return IDLE_WORDS[reason] ?? "is idle";
  const landing = task === null ? null : app.model.tasks.get(task)?.landing?.is;
  if (landing === "gate") return "its gate runs";
  return landing === "queued" ? "waits to land" : "works";
}

/** A wait for a person leads to the question. */
export function PhaseWords({ member }: { member: Member }) {
  const words = phaseWords(member);
  const tone = phaseTone(member);
  if (member.hosted && isAsking(member))
    return (
      <Link to={{ view: "questions", item: "" }} class={tone}>
        {words}
      </Link>
    );
  return <span class={tone}>{words}</span>;
}

function phaseTone(member: Member): string {
  const { phase, hosted, frozen } = member;
  if (phase === "shutdown") return "dim";
  if (isAsking(member) || (!hosted && frozen !== undefined)) return "warn";
  if (!hosted) return "dim";
  return phase === "idle" ? "dim" : "busy";
}

const Phase = ({ member }: { member: Member }) => (
  <p class="phase">
    <PhaseWords member={member} />
    {!isAsking(member) && (
      <span class="dim">
        {" · "}
        <Elapsed since={member.since} />
      </span>
    )}
  </p>
);

/** Of the well of a member. */
const LINES = 10;

function Card({ member, doing, seen }: { member: Member; doing: Doing | undefined; seen: Set<string> }) {
  const box = useRef<HTMLLIElement>(null);
  const { name, role, kind } = member;
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) seen.add(name);
      else seen.delete(name);
    });
    if (box.current) observer.observe(box.current);
    return () => {
      observer.disconnect();
      seen.delete(name);
    };
  }, [name]);
  const asks = app.model.questions.has(({ by }) => by === name);
  const task = member.task === null ? undefined : app.model.tasks.get(member.task);
  return (
    <li class={`member ${member.phase}${asks && !app.replay ? " asks" : ""}`} ref={box}>
      <header>
        <h2>
          <Link to={{ view: "conversation", item: name }}>{name}</Link>
        </h2>
        <span class="dim">{role || (kind === "lead" && name !== "lead" ? "lead" : "")}</span>
        {member.machine && (
          <span class="tag" title="Another machine runs it">
            {member.machine}
          </span>
        )}
        {member.unread > 0 && (
          <Link to={{ view: "mail", item: name }} class="tag">
            {member.unread} unread
          </Link>
        )}
      </header>
      <Phase member={member} />
      {(task || member.phase !== "shutdown") && (
        <p class="work">
          {task ? (
            <Link to={{ task: task.id }}>
              <span class="dim">#{task.id}</span> {task.subject}
            </Link>
          ) : (
            <span class="dim">no task</span>
          )}
        </p>
      )}
      <AsksOf who={name} />
      {!(asks && !app.replay) && <Activity member={member} doing={doing} lines={LINES} />}
      <Used member={member} doing={doing} />
    </li>
  );
}

/** "63 % context · 12 turns · $0.12", and the button that stops it. */
function Used({ member, doing }: { member: Member; doing: Doing | undefined }) {
  const { inputTokens, cachedTokens, outputTokens, turns, usd } = member;
  const context = doing?.context ?? member.context;
  const share = doing?.filled;
  const filled = share ? `${Math.ceil(100 * share)} % context` : context && `${tokens(context)} context`;
  const spent = `${tokens(inputTokens + outputTokens)} tokens: ${inputTokens} in, ${cachedTokens} of them cached, ${outputTokens} out`;
  const parts = [filled, turns > 0 ? counted(turns, "turn") : "no turn yet", usd > 0 && money(usd)];
  return (
    <footer>
      <span title={turns > 0 ? spent : undefined}>{parts.filter(Boolean).join(" · ")}</span>
      {app.mayAct && isThere(member) && <StopButton who={member.name} />}
    </footer>
  );
}

export function StopButton({ who }: { who: string }) {
  const [asks, setAsks] = useState(false);
  if (!asks)
    return (
      <Button class="link" onClick={() => setAsks(true)} aria-label={`Stop ${who}`}>
        Stop
      </Button>
    );
  const stop = (now: boolean): void => {
    setAsks(false);
    app.say(`Asked ${who} to stop.`, false);
    void app.act({ do: "stop", who, now, reason: "" });
  };
  return (
    <span class="confirm">
      <Button class="link" onClick={() => stop(false)}>
        Ask
      </Button>
      <Button class="link bad" onClick={() => stop(true)}>
        Now
      </Button>
      <Button class="link" onClick={() => setAsks(false)}>
        Keep
      </Button>
    </span>
  );
}

const StopAll = () => (
  <p class="stop-all row">
    <span class="dim">Stop the whole team:</span> <StopButton who="all" />
  </p>
);
