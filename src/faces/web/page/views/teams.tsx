/** The teams of this person in all projects: those that need an answer first, with their work and one way into each. Read again while it is seen. */
import { useEffect, useState } from "preact/hooks";
import { leftWords } from "../../../../core/board/time-left.ts";
import { figure, money, span } from "../../../../core/views/view.ts";
import type { AllTeams, TeamGlance } from "../../wire.ts";
import { app } from "../app.ts";
import { Empty, Link, ProgressBar, teamTitle } from "../parts/parts.tsx";

const READ_MS = 3_000;

/** `error`: why the last look failed; the earlier teams stay. */
function useTeams(): { readonly data: AllTeams | null; readonly error: string } {
  const [state, setState] = useState<{ data: AllTeams | null; error: string }>({ data: null, error: "" });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const read = async (): Promise<void> => {
      clearTimeout(timer);
      if (!document.hidden)
        await app.source.get<AllTeams>("all-teams").then(
          (data) => !isOver && setState({ data, error: "" }),
          (error: Error) => !isOver && setState(({ data }) => ({ data, error: error.message })),
        );
      if (!isOver) timer = setTimeout(() => void read(), READ_MS);
    };
    const onSeen = (): void => void (!document.hidden && read());
    document.addEventListener("visibilitychange", onSeen);
    void read();
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onSeen);
    };
  }, []);
  return state;
}

export function TeamsView() {
  const { data, error } = useTeams();
  if (app.source.recording) return <Empty title="One team is recorded">Its views are on the left.</Empty>;
  if (error && !data) return <Empty title="The teams cannot be read">{error}</Empty>;
  if (!data) return <Empty title="Loading" />;
  if (data.teams.length === 0)
    return (
      <Empty title="There is no team yet">
        <Link to={{ view: "run", item: "", task: null }}>Start one</Link>
      </Empty>
    );
  return (
    <ul class="teams">
      {data.teams.map((team) => (
        <Card key={`${team.cwd} ${team.team}`} team={team} now={data.now} />
      ))}
    </ul>
  );
}

const LOOKS: Readonly<Record<TeamGlance["state"], readonly [words: string, tone: string]>> = {
  "needs you": ["Needs you", "needs"],
  working: ["Working", "works"],
  idle: ["Idle", "rests"],
  stopped: ["Stopped", "stopped"],
  done: ["Done", "ended"],
  unreadable: ["Cannot be read", "refused"],
};

function Card({ team: one, now }: { team: TeamGlance; now: number }) {
  const [words, tone] = LOOKS[one.state];
  const isNew = one.state === "done" && one.counts?.total === 0;
  const to: To | null = one.key === null ? null : { team: one.key, item: "", task: null };
  const title = teamTitle(one.cwd, one.team);
  return (
    <li class="team-card">
      <header class="row">
        <h2>{to ? <Link to={{ ...to, view: "board" }}>{title}</Link> : title}</h2>
        <span class={`live ${tone}`}>{isNew ? "Not started" : words}</span>
      </header>
      {one.goal && (
        <p class="goal" title={one.goal}>
          {one.goal}
        </p>
      )}
      {one.note && <p class="bad">{one.note}</p>}
      {one.counts && one.counts.total > 0 && <ProgressBar counts={looks(one.counts, one.state)} />}
      <p class="dim">{figures(one, now)}</p>
      {one.asks.map(({ by, text }, i) => (
        <p key={i} class="asks">
          <b>{by}</b> asks:{" "}
          {to ? <Link to={{ ...to, view: "questions" }}>{text.split("\n")[0]}</Link> : text.split("\n")[0]}
        </p>
      ))}
      {one.questions > one.asks.length && one.asks.length > 0 && (
        <p class="dim">and {one.questions - one.asks.length} more</p>
      )}
      {one.atWork.map((work) => (
        <AtWork key={work.who} work={work} to={to} />
      ))}
      {to && (one.state === "done" || one.state === "stopped") && (
        <p class="row">
          {!isNew && (
            <Link class="button" to={{ ...to, view: "outcome" }}>
              Outcome
            </Link>
          )}
          {app.overview?.mayStart && (
            <Link class="button" to={{ ...to, view: "run" }}>
              Start
            </Link>
          )}
        </p>
      )}
      {to && isOther(to.team) && (
        <p class="row">
          <Link class="button" to={{ view: "compare", item: to.team, task: null }}>
            Compare with {app.route.team}
          </Link>
        </p>
      )}
      <p class="dim path">{one.cwd}</p>
    </li>
  );
}

/** Another team of the same store as the one that is shown. */
const isOther = (team: string): boolean =>
  team !== app.route.team && !`${team}${app.route.team}`.includes("~");

type To = { readonly team: string; readonly item: string; readonly task: null };

/** `to`: null where the team cannot be opened. */
function AtWork({ work: { who, task, line }, to }: { work: TeamGlance["atWork"][number]; to: To | null }) {
  return (
    <div class="at-work">
      <p class="clip">
        {to ? <Link to={{ ...to, view: "conversation", item: who }}>{who}</Link> : <b>{who}</b>}{" "}
        {task && to ? (
          <Link to={{ ...to, view: "board", task: task.id }} class="dim">
            #{task.id} {task.subject}
          </Link>
        ) : (
          <span class="dim">at work</span>
        )}
      </p>
      {line && <code class="clip">{line}</code>}
    </div>
  );
}

/** Neither ready ones among the pending tasks are counted here, nor tasks in progress that ask. */
function looks(counts: NonNullable<TeamGlance["counts"]>, state: TeamGlance["state"]) {
  const { pending, inProgress, completed, failed, cancelled } = counts;
  const isStopped = state === "stopped" || state === "done";
  return {
    ...{ waiting: pending, ready: 0, asks: 0, done: completed, failed, cancelled },
    ...{ busy: isStopped ? 0 : inProgress, away: isStopped ? inProgress : 0 },
  };
}

/** "3 of 5 tasks done, 1 failed · about 12 min left · 2 of 3 at work · $0.12" */
function figures({ counts, members, working, usd, since, state, left }: TeamGlance, now: number): string {
  const failed = counts && counts.failed > 0 ? `, ${figure(counts.failed)} failed` : "";
  const tasks =
    counts && counts.total > 0
      ? `${figure(counts.completed)} of ${figure(counts.total)} tasks done${failed}`
      : "";
  const isOver = state === "stopped" || state === "done";
  const atWork = members > 0 && !isOver ? `${working} of ${members} at work` : "";
  const last = since === null || working > 0 ? "" : `last change ${span(Math.max(0, now - since))} ago`;
  const rest = left === null ? "" : leftWords(left);
  return [tasks, rest, atWork, usd > 0 ? money(usd) : "", last].filter((one) => one !== "").join(" · ");
}
