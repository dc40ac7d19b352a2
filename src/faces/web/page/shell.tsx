/** Draws the frame of every view: teams, navigation, progress, connection, replay, notices, keys. */
import { useEffect } from "preact/hooks";
import { app, useApp } from "./app.ts";
import { ForkDialog } from "./forks/fork-dialog.tsx";
import { Header, isBlank } from "./header.tsx";
import { takenByView } from "./keys.ts";
import { useNotifications } from "./live/notify.ts";
import { Palette } from "./palette.tsx";
import { Dialog, openDialog as open } from "./parts/dialog.tsx";
import { Button, Pair } from "./parts/fields.tsx";
import { Empty, teamTitle } from "./parts/parts.tsx";
import { inSearchField } from "./parts/search-field.ts";
import type { Choice } from "./pure/find-choice.ts";
import { hearAnswers } from "./questions/settled.ts";
import { ReplayBar } from "./replay-bar.tsx";
import { hrefOf } from "./route.ts";
import { Share } from "./share.tsx";
import { More, SHOWN, Sidebar, titleOf } from "./sidebar.tsx";
import { TaskDialog } from "./task/task-dialog.tsx";
import { TaskPanel } from "./task/task-panel.tsx";
import { VIEWS, type ViewName, viewOf } from "./views/table.ts";

export function Shell() {
  useApp();
  useNotifications();
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  useEffect(() => app.tap(hearAnswers), []);
  const { route, failure, loaded, questions } = app;
  useEffect(() => {
    const waiting = questions.length > 0 ? `(${questions.length}) ` : "";
    document.title = `${waiting}${titleOf(viewOf(route.view))} · ${teamTitle(app.project, app.teamName) || "Ekiden"}`;
  });
  if (failure && !loaded) return <Lonely failure={failure} />;
  if (!loaded) return <main class="lonely" aria-busy="true" aria-label="Loading" />;
  const view = isBlank() ? "run" : viewOf(route.view);
  const Body = VIEWS[view].body;
  return (
    <div class="shell">
      <Button class="skip" onClick={() => document.getElementById("view")?.focus()}>
        Skip to the view
      </Button>
      <Sidebar current={view} />
      <div class="main">
        <Header />
        <Banner />
        <div class="body">
          <main id="view" tabIndex={-1} class={`view view-${view}`} aria-label={titleOf(view)}>
            <Body />
          </main>
          {route.task !== null && <TaskPanel key={route.task} id={route.task} />}
        </div>
        {app.replay && <ReplayBar replay={app.replay} />}
      </div>
      <Notices />
      <Dialogs view={view} />
    </div>
  );
}

/** Nothing can be shown. */
function Lonely({ failure }: { failure: NonNullable<typeof app.failure> }) {
  const first = app.overview?.first;
  return (
    <main class="lonely">
      <Empty title={failure.title}>
        {failure.text}
        <br />
        {first && first !== app.route.team ? (
          <a href={hrefOf({ team: first, view: "board", item: "", task: null, at: null })}>
            To the team {first}
          </a>
        ) : (
          "This page retries automatically."
        )}
      </Empty>
    </main>
  );
}

const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {app.isSending && <p class="notice">Sending…</p>}
    {app.notice && <p class={`notice${app.notice.isError ? " bad" : ""}`}>{app.notice.text}</p>}
  </div>
);

function Dialogs({ view }: { view: ViewName }) {
  const { dialog } = app;
  return (
    <>
      {dialog === "new" && <TaskDialog task={null} />}
      {typeof dialog === "object" && "edit" in dialog && <TaskDialog key={dialog.edit} task={dialog.edit} />}
      {typeof dialog === "object" && "fork" in dialog && <ForkDialog {...dialog.fork} />}
      {dialog === "share" && <Share />}
      {dialog === "more" && <More current={view} />}
      {dialog === "help" && <Help />}
      {dialog === "palette" && <Palette views={choices()} />}
    </>
  );
}

/** The choices of the palette besides tasks and members. */
const choices = (): Choice[] => [
  ...SHOWN.map((view) => ({
    kind: "view",
    text: titleOf(view),
    run: () => app.go({ view, item: "", task: null }),
  })),
  ...(app.mayAct ? [{ kind: "do", text: "New task", more: "add", run: () => open("new") }] : []),
  ...(app.mayAct ? [{ kind: "do", text: "Share", more: "link people look", run: () => open("share") }] : []),
  { kind: "do", text: app.replay ? "Back to live" : "Replay", run: () => app.toggleReplay() },
  { kind: "do", text: "Keys", more: "help shortcuts", run: () => open("help") },
];

/** Keeps its line only while something is wrong: nothing else moves when a connection blinks. */
function Banner() {
  const { connection, failure, replay } = app;
  if (replay) return null;
  if (failure)
    return (
      <p class="banner bad">
        {failure.title}: {failure.text} This page retries automatically.
      </p>
    );
  if (connection.is === "trouble")
    return <p class="banner bad">The server cannot read its store: {connection.text}</p>;
  if (connection.is === "refused") return <p class="banner bad">{connection.text}</p>;
  if (app.isLost)
    return (
      <p class="banner warn">
        The server of this page has stopped or cannot be reached. To start it again: ekiden web
      </p>
    );
  return null;
}

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ["1 to 9", "the views, from the top"],
  ["g", "start the team, or see to it"],
  ["Ctrl K", "a task, a member, a view by its name; words in the journal"],
  ["c", "a new task"],
  ["y x s a", "in Questions: allow, refuse, allow for this session, always; j and k move"],
  ["r", "replay, or back to live"],
  ["/", "search in the journal"],
  ["Arrows", "from task to task in the graph"],
  ["+ - 0", "zoom the graph in, out, to what fits"],
  ["Space", "play or pause a replay; , and . step through it"],
  ["Esc", "close what is open; in a conversation, interrupt its member"],
  ["?", "these keys"],
];

function Help() {
  return (
    <Dialog title="Keys">
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <Pair key={key} label={<kbd>{key}</kbd>}>
            {what}
          </Pair>
        ))}
      </dl>
    </Dialog>
  );
}

/** Keys of the page; those of the graph are its own. */
const ACTIONS: Readonly<Record<string, () => void>> = {
  c: () => app.mayAct && open("new"),
  r: () => app.toggleReplay(),
  g: () => app.go({ view: "run", item: "", task: null }),
  "?": () => open("help"),
  ",": () => app.replay?.step(-1),
  ".": () => app.replay?.step(1),
  "/": () => {
    app.go({ view: "journal", item: "" });
    inSearchField((field) => field.focus());
  },
  " ": () => (app.replay?.isPlaying ? app.replay.pause() : app.replay?.play()),
};

function onKey(event: KeyboardEvent): void {
  const { tagName } = event.target as HTMLElement;
  if ((event.metaKey || event.ctrlKey) && event.key === "k" && app.dialog === "none") {
    event.preventDefault();
    open("palette");
  }
  if (event.metaKey || event.ctrlKey || event.altKey || app.dialog !== "none") return;
  if (event.key === "Escape" && app.route.task !== null) {
    app.go({ task: null });
    return;
  }
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(tagName)) return;
  if (takenByView(event.key)) {
    event.preventDefault();
    return;
  }
  const view = SHOWN[Number(event.key) - 1];
  if (view) app.go({ view, item: "" });
  // A space on a button presses it.
  const isFree = event.key !== " " || (app.replay !== null && !/^(BUTTON|A|SUMMARY)$/.test(tagName));
  const action = isFree ? ACTIONS[event.key] : undefined;
  if (!action) return;
  event.preventDefault();
  action();
}
