/** The views of a team, what waits for an answer, and what one sets for this browser. */
import { useState } from "preact/hooks";
import { app } from "./app.ts";
import { setNotifying } from "./live/notify.ts";
import { canNotify, isNotifying } from "./live/notifying.ts";
import { Dialog, openDialog } from "./parts/dialog.tsx";
import { Button, Choice as Select } from "./parts/fields.tsx";
import { Link, teamTitle } from "./parts/parts.tsx";
import { chooseTheme, chosenTheme, THEMES, type Theme } from "./theme.ts";
import { GROUPS, VIEW_NAMES, VIEWS, type ViewName } from "./views/table.ts";

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
          <>
            {GROUPS[view] && (
              <li key={GROUPS[view]} class="view-group">
                {GROUPS[view]}
              </li>
            )}
            <li key={view} class={MAIN.has(view) ? "" : "further"}>
              <ViewLink view={view} isCurrent={isHere(view, current)} />
            </li>
          </>
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
      <div class="tools">
        <ThemeButton />
        {app.mayAct && (
          <Tool
            words="Share"
            title="A link for other people to view the team"
            icon="share"
            onClick={() => openDialog("share")}
          />
        )}
        {canNotify() && !app.source.recording && (
          <Tool
            words={isNotifying() ? "Notifies you" : "Notify me"}
            title="About questions, failures and the end, while you are not looking at the page"
            icon="bell"
            isOn={isNotifying()}
            onClick={() => void setNotifying(!isNotifying())}
          />
        )}
      </div>
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
    <Tool
      words={THEME_WORDS[theme]}
      icon="theme"
      onClick={() => {
        chooseTheme(next);
        app.draw(); // lanes are painted
        setTheme(next);
      }}
    />
  );
}

const ICONS = {
  theme: "M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11",
  share: "M8 10V2.500M5 5l3-3 3 3M3 8.500v5h10v-5",
  bell: "M4 11.500V7a4 4 0 0 1 8 0v4.500l1 1H3zM6.800 14.500h2.400",
} as const;

type ToolProps = {
  readonly words: string;
  readonly title?: string;
  readonly icon: keyof typeof ICONS;
  readonly isOn?: boolean;
  readonly onClick: () => void;
};

const Tool = ({ words, title, icon, isOn, onClick }: ToolProps) => (
  <Button
    class="quiet tool"
    aria-label={words}
    aria-pressed={isOn}
    title={title ? `${words}: ${title[0]?.toLowerCase()}${title.slice(1)}` : words}
    onClick={onClick}
  >
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={ICONS[icon]} />
    </svg>
  </Button>
);
