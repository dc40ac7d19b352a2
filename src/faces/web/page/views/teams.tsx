/** The teams of this person in all projects: what needs an answer first, with what they do and one way into each. Read again while it is seen. */
import { useEffect, useState } from "preact/hooks";
import { money, span } from "../../../../core/views/view.ts";
import type { AllTeams, TeamGlance } from "../../wire.ts";
import { app } from "../app.ts";
import { Empty, Link } from "../parts.tsx";

const READ_MS = 3_000;

/** `error`: why the last look failed; what was seen before stays. */
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
  const to = one.key === null ? null : { team: one.key, item: "", task: null };
  const title = (
    <>
      {one.cwd.split("/").at(-1)}
      {one.team !== "default" && ` · ${one.team}`}
    </>
  );
  return (
    <li class="team-card">
      <header class="row">
        <h2>{to ? <Link to={{ ...to, view: "board" }}>{title}</Link> : title}</h2>
        <span class={`live ${tone}`}>{isNew ? "Not started" : words}</span>
      </header>
      <p class="dim path">{one.cwd}</p>
      {one.note && <p class="bad">{one.note}</p>}
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
      {one.atWork.map(({ who, task }) => (
        <p key={who}>
          <b>{who}</b>{" "}
          {task && to ? (
            <Link to={{ ...to, view: "board", task: task.id }}>
              #{task.id} {task.subject}
            </Link>
          ) : (
            <span class="dim">at work</span>
          )}
        </p>
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
    </li>
  );
}

/** "3 of 5 tasks done, 1 failed · 2 of 3 at work · $0.12 · for 4 min" */
function figures({ counts, members, working, usd, since, state }: TeamGlance, now: number): string {
  const failed = counts && counts.failed > 0 ? `, ${counts.failed} failed` : "";
  const tasks =
    counts && counts.total > 0 ? `${counts.completed} of ${counts.total} tasks done${failed}` : "";
  const atWork =
    members > 0 && state !== "stopped" && state !== "done" ? `${working} of ${members} at work` : "";
  const last = since === null ? "" : `last change ${span(Math.max(0, now - since))} ago`;
  return [tasks, atWork, usd > 0 ? money(usd) : "", last].filter((one) => one !== "").join(" · ");
}
