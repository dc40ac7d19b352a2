/** A bar for each window of a login that is in use, with its reset and the tasks that wait for it. */
import { isOver, keyOfWindow, type LoginWindow } from "../../../../core/limits/window.ts";
import {
  loginName,
  openWindows,
  resetWords,
  WINDOW_NAMES,
  waitingFor,
  windowTone,
} from "../../../../core/views/logins.ts";
import { app } from "../app.ts";
import { TaskLink } from "../parts/parts.tsx";

export function Logins() {
  const windows = openWindows(app.model.logins.values(), app.now);
  if (windows.length === 0) return null;
  return (
    <ul class="logins" aria-label="Limits of logins">
      {windows.map((window) => (
        <Login key={keyOfWindow(window)} window={window} />
      ))}
    </ul>
  );
}

function Login({ window }: { window: LoginWindow }) {
  const used = Math.round(window.usedPercent ?? 0);
  const [name, kind] = [loginName(window), WINDOW_NAMES[window.kind]];
  const members = [...app.model.members.values()].map(({ model, task, phase, reason }) => ({
    ...{ model, task, isAtLimit: phase === "idle" && reason === "at_limit" },
  }));
  const waits = isOver(window) ? waitingFor(window, members) : [];
  return (
    <li>
      <b>{name}</b> <span class="dim">{kind}</span>
      <div
        class="used"
        role="meter"
        aria-label={`${name}: ${kind}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={used}
        aria-valuetext={`${used} % used`}
      >
        <span class={windowTone(window)} style={{ width: `${used}%` }} />
      </div>
      <span class={windowTone(window)}>{used} %</span>
      <span class="dim">{resetWords(window, app.now)}</span>
      {waits.length > 0 && (
        <span>
          waits:{" "}
          {waits.map((id) => (
            <TaskLink key={id} id={id} class="clip" />
          ))}
        </span>
      )}
    </li>
  );
}
