/**
 * The news for a person who does not look at the page: questions, failures, the end. By notifications of the browser, once they are
 * wanted and allowed, and by the number on the tab's icon, always.
 */
import { useEffect } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import { app } from "../app.ts";
import type { Route } from "../route.ts";
import { isNotifying, WANTED } from "./notifying.ts";

/** Asks the browser, which asks the person. */
export async function setNotifying(isOn: boolean): Promise<void> {
  const isAllowed = isOn && (await Notification.requestPermission()) === "granted";
  if (isAllowed) localStorage.setItem(WANTED, "1");
  else localStorage.removeItem(WANTED);
  if (isOn && !isAllowed) app.say("The browser does not allow notifications for this page.", true);
  app.draw();
}

/** Also of a tab in the background. */
export function useNotifications(): void {
  useEffect(() => {
    if (app.source.recording) return;
    let [team, known] = [app.route.team, new Set(app.questions.map(({ id }) => id))];
    const stopWatching = app.subscribe(() => {
      if (team === app.route.team)
        for (const { id, by, kind, text } of app.questions)
          if (!known.has(id))
            tell(`${by} ${ASKS[kind] ?? "asks you"}`, text, `question-${id}`, {
              view: "questions",
              item: "",
            });
      [team, known] = [app.route.team, new Set(app.questions.map(({ id }) => id))];
      showCount(app.questions.length);
    });
    const stopHearing = app.tap((events) => events.forEach(tellOf));
    return () => {
      stopWatching();
      stopHearing();
    };
  }, []);
}

const ASKS: Readonly<Record<string, string>> = {
  permission: "asks for a permission",
  plan: "has a plan for you",
  shutdown: "asks for a stop",
};

function tellOf(event: Event): void {
  if (event.type === "task.failed")
    tell(`#${event.task} failed`, app.live.subject(event.task), `failed-${event.seq}`, { task: event.task });
  if (event.type === "team.finished") {
    const { completed, failed } = event;
    const said = `${completed} completed${failed > 0 ? `, ${failed} failed` : ""}`;
    tell("The team has ended", said, `end-${event.seq}`, { view: "outcome", item: "", task: null });
  }
}

const TEXT_MAX = 200;

/** Several tabs of a team say it once: they use one tag. */
function tell(title: string, text: string, tag: string, to: Partial<Route>): void {
  if (!document.hidden || !isNotifying()) return;
  const { team } = app.route;
  const said = new Notification(`${title} · ${team}`, {
    body: text.slice(0, TEXT_MAX),
    tag: `ekiden-${team}-${tag}`,
  });
  said.onclick = () => {
    window.focus();
    app.go({ team, ...to });
    said.close();
  };
}

let shown = -1;

/** The icon of the tab: a dot, or how many wait for the person. */
function showCount(count: number): void {
  if (count === shown) return;
  shown = count;
  const text = count > 9 ? "9+" : String(count);
  const drawn =
    count === 0
      ? '<circle cx="16" cy="16" r="9" fill="#1d5fd0"/>'
      : `<circle cx="16" cy="16" r="16" fill="#be2a1f"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="#fff">${text}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${drawn}</svg>`;
  document
    .querySelector('link[rel="icon"]')
    ?.setAttribute("href", `data:image/svg+xml,${encodeURIComponent(svg)}`);
}
