/** The views of a team, what waits for an answer, and what one sets for this browser. */
import { useEffect, useState } from "preact/hooks";
import { app } from "./app.ts";
import { openDialog } from "./dialog.tsx";
import { Button, Choice as Select } from "./fields.tsx";
import { canNotify, isNotifying, setNotifying } from "./notify.ts";
import { Link, teamTitle } from "./parts.tsx";
import { chooseTheme, chosenTheme, THEMES, type Theme } from "./theme.ts";
import { VIEW_NAMES, VIEWS, type ViewName } from "./views/table.ts";

/** In the navigation. */
export const SHOWN = VIEW_NAMES.filter((name) => VIEWS[name].icon !== null);
export const titleOf = (view: ViewName): string => `${view[0]?.toUpperCase()}${view.slice(1)}`;

const isHere = (view: ViewName, current: ViewName): boolean =>
  view === current || (view === "team" && current === "conversation");

/** `current`: the view that is shown; a blank board shows the form for a start. */
export function Sidebar({ current }: { current: ViewName }) {
  const { overview, route, questions } = app;
  useEffect(() => {
    // On a phone the views are one row that scrolls.
    document
      .querySelector(".sidebar [aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);
  const teams = overview?.teams ?? [];
  return (
    <nav class="sidebar" aria-label="Views">
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
      <ul>
        {SHOWN.map((view) => (
          <li key={view}>
            <Link to={{ view, item: "" }} aria-current={isHere(view, current) ? "page" : undefined}>
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
          </li>
        ))}
      </ul>
      <div class="foot">
        <ThemeButton />
        {app.mayAct && overview?.mayShare && (
          <Button
            class="link"
            title="Links to this team for other people"
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
          {overview?.you && ` · ${overview.you}`}
          {overview?.role === "answerer" && " · may answer"}
          {overview?.role !== "answerer" && overview?.readOnly && !app.source.recording && " · read-only"}
          {app.source.recording && " · recording"}
        </p>
      </div>
    </nav>
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
