/** The line above every view: the progress of the board, the state of the team, and actions that are possible from anywhere. */
import { figure } from "../../../core/views/view.ts";
import { app } from "./app.ts";
import { openDialog } from "./parts/dialog.tsx";
import { Button } from "./parts/fields.tsx";
import { Link, ProgressBar } from "./parts/parts.tsx";
import { isHosted, shownCounts, teamState } from "./pure/board.ts";
import { leftInWords } from "./pure/time-left.ts";
import { titleOf } from "./sidebar.tsx";
import { viewOf } from "./views/table.ts";

/** A team that has never worked is started here first. */
export const isBlank = (): boolean =>
  app.route.view === "board" &&
  app.replay === null &&
  app.mayAct &&
  app.overview?.mayStart === true &&
  app.model.tasks.size + app.model.members.size === 0;

export function Header() {
  const { route } = app;
  // The headers below belong to one team.
  if (route.view === "teams")
    return (
      <header class="header">
        <h1>Teams</h1>
      </header>
    );
  if (isBlank())
    return (
      <header class="header">
        <h1>Start</h1>
        <Live />
      </header>
    );
  const isEmpty = app.live.tasks.size === 0;
  return (
    <header class="header">
      <h1>{titleOf(viewOf(route.view))}</h1>
      <div class="header-progress">
        <Progress />
      </div>
      <Live />
      {!app.source.recording && !isEmpty && (
        <Button class="to-replay" aria-pressed={app.replay !== null} onClick={() => app.toggleReplay()}>
          Replay
        </Button>
      )}
      {app.mayAct && (
        <Button class="primary" onClick={() => openDialog("new")} title="New task (c)">
          <span aria-hidden="true" class="plus">
            +{" "}
          </span>
          <span class="words">New task</span>
        </Button>
      )}
      {!app.replay && teamState(app.live).tone === "ended" && route.view !== "outcome" && (
        <Link class="button to-outcome" to={{ view: "outcome", item: "", task: null }}>
          Outcome
        </Link>
      )}
      {app.mayAct && app.overview?.mayStart && !isHosted(app.live) && route.view !== "run" && (
        <Link class="button" to={{ view: "run", item: "", task: null }}>
          Start
        </Link>
      )}
    </header>
  );
}

function Progress() {
  const { model } = app;
  const counts = shownCounts(model);
  if (model.tasks.size === 0) return <span class="figures words">No tasks yet</span>;
  return (
    <>
      <ProgressBar counts={counts} />
      <span class="figures">
        {figure(counts.done)} of {figure(model.tasks.size)}
        <span class="words"> done{leftInWords(model)}</span>
        {counts.failed > 0 && <span class="bad"> · {figure(counts.failed)} failed</span>}
      </span>
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
