/** The head of every view: the goal, the progress and the state of the team, and actions that are possible from anywhere. */
import { useEffect, useState } from "preact/hooks";
import type { Event } from "../../../core/event.ts";
import { redBaseNow } from "../../../core/views/red-target.ts";
import { counted, figure, money } from "../../../core/views/view.ts";
import type { RunGlance, StartForm } from "../wire.ts";
import { app } from "./app.ts";
import { useAnswer } from "./live/facts.ts";
import { Elapsed } from "./parts/clock.tsx";
import { openDialog } from "./parts/dialog.tsx";
import { Button } from "./parts/fields.tsx";
import { Link, ProgressBar, teamTitle } from "./parts/parts.tsx";
import { isHosted, looksOf, shownCounts, teamState } from "./pure/board.ts";
import { leftInWords } from "./pure/time-left.ts";
import { firstFields, optionsOf } from "./views/run-fields.tsx";

/** A team that has never worked is started here first. */
export const isBlank = (): boolean =>
  app.route.view === "board" &&
  app.replay === null &&
  app.mayAct &&
  app.overview?.mayStart === true &&
  app.model.tasks.size + app.model.members.size === 0;

/** Two lines that tell the story of the run: what is wanted and the act of the moment; how far it is, since when, for how much. */
export function Header() {
  const { route } = app;
  const run = useRun();
  // The figures belong to one team.
  if (route.view === "teams")
    return (
      <header class="header">
        <h1>Teams</h1>
      </header>
    );
  return (
    <header class="header">
      <div class="header-line">
        <h1 class="clip" title={run?.goal}>
          {run?.goal || teamTitle(app.project, app.teamName) || "Ekiden"}
        </h1>
        <Live />
        <Acts />
      </div>
      <RedTarget />
      {!isBlank() && (
        <div class="header-line header-progress">
          <Progress run={run} />
          {!app.source.recording && app.live.tasks.size > 0 && (
            <Button
              class="link to-replay"
              aria-pressed={app.replay !== null}
              onClick={() => app.toggleReplay()}
            >
              Replay
            </Button>
          )}
        </div>
      )}
    </header>
  );
}

/** The target on which the gate fails without any task: nothing lands. */
function RedTarget() {
  const red = redBaseNow(app.model);
  return red === null ? null : (
    <p class="banner bad" role="status">
      {red}
    </p>
  );
}

/** The last run; asked for again when one begins or ends. */
function useRun(): RunGlance | null {
  const [turns, setTurns] = useState(0);
  const isRun = ({ type }: Event): boolean => type === "team.resumed" || type === "team.finished";
  useEffect(() => app.tap((events) => events.some(isRun) && setTurns((count) => count + 1)), []);
  return useAnswer<RunGlance>(app.loaded ? "run" : null, `${turns} ${isHosted(app.live)}`).data;
}

/** One primary button: the act of the moment. */
function Acts() {
  const { route } = app;
  const isThere = isHosted(app.live);
  const mayStart = app.mayAct && app.overview?.mayStart === true && !isThere;
  if (isBlank()) return null;
  return (
    <>
      {app.mayAct && (
        <Button class="new-task" onClick={() => openDialog("new")} title="New task (c)">
          <span aria-hidden="true" class="plus">
            +{" "}
          </span>
          <span class="words">New task</span>
        </Button>
      )}
      {mayStart && route.view !== "run" && (
        <Link class="button to-start" to={{ view: "run", item: "", task: null }}>
          Start
        </Link>
      )}
      <Primary mayGoOn={mayStart} />
    </>
  );
}

function Primary({ mayGoOn }: { mayGoOn: boolean }) {
  const { route, live, questions, replay } = app;
  const [isSent, setSent] = useState(false);
  if (replay) return null;
  if (questions.length > 0 && app.mayAct)
    return route.view === "questions" ? null : (
      <Link class="button primary" to={{ view: "questions", item: "", task: null }}>
        Answer {questions.length}
      </Link>
    );
  const { failed, busy, ready, waiting } = looksOf(live).counts;
  const open = busy + ready + waiting;
  const goOn = async (): Promise<void> => {
    setSent(true);
    await retryAndGoOn();
    setSent(false);
  };
  if (mayGoOn && failed + open > 0 && route.view !== "run")
    return (
      <Button class="primary" disabled={isSent} onClick={() => void goOn()}>
        {failed > 0 ? `Retry ${figure(failed)} failed` : "Continue"}
        <span class="words">{failed > 0 ? " and continue" : ` with ${counted(open, "open task")}`}</span>
      </Button>
    );
  if (teamState(live).tone !== "ended" || route.view === "outcome") return null;
  return (
    <Link class="button primary to-outcome" to={{ view: "outcome", item: "", task: null }}>
      Outcome
    </Link>
  );
}

/** As the form would begin: with the choices of the last start. */
async function retryAndGoOn(): Promise<void> {
  const { team } = app.route;
  for (const { id, status } of app.live.tasks.values())
    if (status === "failed" && !(await app.send({ do: "retry", id })).ok) break;
  const form = await app.source.get<StartForm>(`${team}/start`).catch(() => null);
  const options = form ? optionsOf(firstFields(form), form) : {};
  const done = await app.send({ do: "start", what: "resume", text: "", options });
  app.say(done.text.replace(/^ekiden: /, ""), !done.ok);
  if (!done.ok) app.go({ view: "run", item: "", task: null });
}

function Progress({ run }: { run: RunGlance | null }) {
  const { model } = app;
  const counts = shownCounts(model);
  const usd = app.replay ? 0 : Math.max(0, app.live.spent.usd - (run?.usdBefore ?? 0));
  return (
    <>
      {model.tasks.size === 0 ? (
        <span class="figures words">No tasks yet</span>
      ) : (
        <>
          <ProgressBar counts={counts} />
          <span class="figures">
            {figure(counts.done)} of {figure(model.tasks.size)}
            <span class="words"> done</span>
            {counts.failed > 0 && <span class="bad"> · {figure(counts.failed)} failed</span>}
          </span>
        </>
      )}
      <span class="figures words">
        {run?.began && app.now > run.began && (
          <>
            {" · "}
            <Elapsed
              since={run.began}
              to={isHosted(app.live) || app.replay ? null : (run.ended ?? run.worked)}
            />{" "}
            elapsed
          </>
        )}
        {leftInWords(model)}
      </span>
      {usd > 0 && (
        <Link class="figures" to={{ view: "costs", item: "" }}>
          {money(usd)}
        </Link>
      )}
    </>
  );
}

const AWAY = { lost: "Connecting", refused: "Not let in", trouble: "Store down" } as const;

/** The state of the team, or why the page does not know it. */
function Live() {
  const { connection, replay, source } = app;
  if (replay) return <span class="live replay">{source.recording ? "Recording" : "Replay"}</span>;
  const { word, tone, title } =
    connection.is === "live"
      ? teamState(app.model)
      : { word: AWAY[connection.is], tone: connection.is, title: "" };
  return (
    <span class={`live ${tone}`} title={title}>
      {word}
    </span>
  );
}
