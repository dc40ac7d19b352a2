/** The slider over a run. */
import { span } from "../../../core/views/view.ts";
import { app } from "./app.ts";
import { exportRun } from "./export-run.ts";
import { ForkButton } from "./forks/fork-dialog.tsx";
import { type Replay, SPEEDS } from "./live/replay.ts";
import { Button } from "./parts/fields.tsx";
import { clockTime } from "./parts/parts.tsx";
import { hrefOf } from "./route.ts";

export function ReplayBar({ replay }: { replay: Replay }) {
  const { isPlaying } = replay;
  return (
    <section class="replay-bar" aria-label="Replay">
      <Button class="icon" onClick={() => replay.step(-1)} aria-label="Step back" title="Step back (,)">
        ‹
      </Button>
      <Button
        class="icon primary"
        onClick={() => (isPlaying ? replay.pause() : replay.play())}
        aria-label={isPlaying ? "Pause" : "Play"}
        title="Play or pause (Space)"
      >
        {isPlaying ? "❚❚" : "▶"}
      </Button>
      <Button class="icon" onClick={() => replay.step(1)} aria-label="Step forward" title="Step forward (.)">
        ›
      </Button>
      <Track replay={replay} />
      <Speeds replay={replay} />
      <ForkButton
        at={new Date(replay.time).toISOString()}
        words={`at ${new Date(replay.time).toLocaleString()}`}
      />
      {!app.source.recording && (
        <a
          class="button"
          href={hrefOf(app.route)}
          title="One HTML file that replays without a server"
          onClick={(event) => {
            event.preventDefault();
            void exportRun();
          }}
        >
          Export
        </a>
      )}
      {!app.source.recording && (
        <Button class="back" onClick={() => app.toggleReplay()}>
          Back to live
        </Button>
      )}
    </section>
  );
}

/** The slider, and the moment at which it stands. */
function Track({ replay }: { replay: Replay }) {
  const { start, end, time } = replay;
  const length = Math.max(1, end - start);
  return (
    <>
      <div class="track">
        <Marks replay={replay} />
        <input
          type="range"
          min={0}
          max={length}
          step={1}
          value={time - start}
          aria-label="Moment of the run"
          aria-valuetext={`${span(time - start)} of ${span(length)}`}
          onInput={({ currentTarget }) => {
            replay.pause();
            replay.seek(start + Number(currentTarget.value));
          }}
        />
      </div>
      <span class="replay-time">
        <b>{clockTime(time)}</b>{" "}
        <span class="dim">
          {span(time - start)} of {span(length)}
        </span>
      </span>
    </>
  );
}

function Speeds({ replay }: { replay: Replay }) {
  return (
    <div class="speeds" role="group" aria-label="Speed">
      {SPEEDS.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={replay.speed === one}
          onClick={() => {
            replay.speed = one;
            app.draw();
          }}
        >
          {one}×
        </button>
      ))}
    </div>
  );
}

const MARKS: Readonly<Record<string, string>> = {
  "task.completed": "good",
  "task.failed": "bad",
  "task.reopened": "warn",
  "permission.asked": "warn",
  "question.asked": "warn",
};
const MARKS_MAX = 400;

/** Where tasks ended and somebody was asked. */
function Marks({ replay: { events, start, end } }: { replay: Replay }) {
  const marked = events.filter((event) => MARKS[event.type]);
  const every = Math.ceil(marked.length / MARKS_MAX);
  return (
    <div class="marks" aria-hidden="true">
      {marked.map(
        (event, i) =>
          i % every === 0 && (
            <i
              key={event.seq}
              class={MARKS[event.type]}
              style={{ left: `${(100 * (event.at - start)) / Math.max(1, end - start)}%` }}
            />
          ),
      )}
    </div>
  );
}
