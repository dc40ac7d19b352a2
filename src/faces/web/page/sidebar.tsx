/** The views of a team, what waits for an answer, and what one sets for this browser. */
import { useState } from "preact/hooks";
import { app } from "./app.ts";
import { setNotifying } from "./live/notify.ts";
import { canNotify, isNotifying } from "./live/notifying.ts";
import { Dialog, openDialog } from "./parts/dialog.tsx";
import { Button, Choice as Select } from "./parts/fields.tsx";
import { Link, teamTitle } from "./parts/parts.tsx";
import { chooseTheme, chosenTheme, THEMES, type Theme } from "./theme.ts";
import { VIEW_NAMES, VIEWS, type ViewName } from "./views/table.ts";

/** In the navigation. */
export const SHOWN = VIEW_NAMES.filter((name) => VIEWS[name].icon !== null);
/** A phone has room for these. */
const MAIN: ReadonlySet<ViewName> = new Set(["board", "team", "conversation", "questions", "outcome"]);
export const titleOf = (view: ViewName): string => `${view[0]?.toUpperCase()}${view.slice(1)}`;

const isHere = (view: ViewName, current: ViewName): boolean =>
  view === current || (view === "team" && current === "conversation");

/** `current`: the view that is shown; a blank board shows the form for a start. */
export function Sidebar({ current }: { current: ViewName }) {
  return (
    <nav class="sidebar" aria-label="Views">
      <Brand />
      <ul>
        {SHOWN.map((view) => (
          <li key={view} class={MAIN.has(view) ? "" : "further"}>
            <ViewLink view={view} isCurrent={isHere(view, current)} />
          </li>
        ))}
      </ul>
      <Button
        class="more"
        aria-haspopup="dialog"
        aria-current={MAIN.has(current) ? undefined : "page"}
        onClick={() => openDialog("more")}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path d="M3 8h.1M8 8h.1M13 8h.1" stroke-width="2.6" />
        </svg>
        <span>More</span>
      </Button>
      <Foot />
    </nav>
  );
}

/** The team that is shown; where the store has several, the way to the others. */
function Brand() {
  const { overview, route } = app;
  const teams = overview?.teams ?? [];
  return (
    <div class="brand">
      {teams.length > 1 && teams.some(({ name }) => name === route.team) ? (
        <Select
          label="Team"
          value={route.team}
          options={teams.map(({ name, running }) => [name, running ? name : `${name} (at rest)`])}
          onValue={(team) => app.go({ team, item: "", task: null })}
        />
      ) : (
        <span class="team-name" title={app.project}>
          {teamTitle(app.project, app.teamName)}
        </span>
      )}
    </div>
  );
}

/** On a phone: the views for which its navigation has no room, and the other entries of the corner. */
export function More({ current }: { current: ViewName }) {
  const { overview } = app;
  return (
    <Dialog title={teamTitle(app.project, app.teamName)}>
      {overview && overview.teams.length > 1 && <Brand />}
      <nav class="more-views" aria-label="More views">
        {SHOWN.filter((view) => !MAIN.has(view)).map((view) => (
          <ViewLink key={view} view={view} isCurrent={isHere(view, current)} />
        ))}
      </nav>
      <div class="more-acts">
        {!app.source.recording && app.live.tasks.size > 0 && (
          <Button class="link" onClick={() => app.toggleReplay()}>
            {app.replay ? "Back to live" : "Replay"}
          </Button>
        )}
        <Foot />
      </div>
    </Dialog>
  );
}

function ViewLink({ view, isCurrent }: { view: ViewName; isCurrent: boolean }) {
  const { questions } = app;
  return (
    <Link to={{ view, item: "" }} aria-current={isCurrent ? "page" : undefined}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={VIEWS[view].icon ?? ""} />
      </svg>
      <span>{titleOf(view)}</span>
      {view === "questions" && questions.length > 0 && (
        <span class="badge">
          {questions.length}
          <span class="unseen"> open</span>
        </span>
      )}
    </Link>
  );
}

function Foot() {
  const { overview } = app;
  return (
    <div class="foot">
      <ThemeButton />
      {app.mayAct && (
        <Button
          class="link"
          title="A link with which other people look at this team"
          onClick={() => openDialog("share")}
        >
          Share
        </Button>
      )}
      {canNotify() && !app.source.recording && (
        <Button
          class="link"
          aria-pressed={isNotifying()}
          title="Of questions, failures and the end, while the page is not seen"
          onClick={() => void setNotifying(!isNotifying())}
        >
          {isNotifying() ? "Notifies you" : "Notify me"}
        </Button>
      )}
      <p>
        Ekiden {overview?.version}
        {overview?.readOnly && !app.source.recording && " · read-only"}
        {app.source.recording && " · recording"}
      </p>
    </div>
  );
}

const THEME_WORDS: Readonly<Record<Theme, string>> = {
  system: "Theme: as the system",
  light: "Theme: light",
  dark: "Theme: dark",
};

/** To the next of three. */
function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme());
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme;
  return (
    <Button
      class="link"
      onClick={() => {
        chooseTheme(next);
        app.draw(); // lanes are painted
        setTheme(next);
      }}
    >
      {THEME_WORDS[theme]}
    </Button>
  );
}
