/** The outcome of the team: the lead's last words, the tasks that ended, the whole change by file with comments on lines, the gates, the cost. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import type { Task } from "../../../../core/picture/task.ts";
import { filesIn } from "../../../../core/text/diff.ts";
import { listed } from "../../../../core/text/listed.ts";
import type { LeakShown } from "../../../../core/views/leak.ts";
import type { Outcome } from "../../../../core/views/outcome.ts";
import { counted, figure, money, span, tokens } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { useAnswer, useFacts } from "../live/facts.ts";
import { Button, Choice, Pair } from "../parts/fields.tsx";
import { Empty, Link, Status, TaskLink, Time } from "../parts/parts.tsx";
import { Markdown, Output } from "../parts/text.tsx";
import { isHosted, looksOf } from "../pure/board.ts";
import { landings } from "../pure/landings.ts";
import { commentsOf, sendComments } from "../task/comments.ts";
import { ReviewFile } from "../task/review-file.tsx";

const ALL = "outcome?whole=1";
const WATCH_MS = 15_000;

export function OutcomeView() {
  const isRecorded = app.source.recording !== null;
  const [isWhole, setWhole] = useState(isRecorded);
  const ended = [...app.live.tasks.values()].filter((one) => one.endedAt !== null).length;
  // The run is told to have ended after its last member has stopped.
  const [finished, setFinished] = useState(0);
  useEffect(() => app.tap((events) => events.some(isEnd) && setFinished((times) => times + 1)), []);
  const { data, error } = useAnswer<Outcome>(isWhole ? ALL : "outcome", `${ended} ${isGone()} ${finished}`);
  if (error) return <Empty title="The outcome cannot be read">{error}</Empty>;
  if (!data) return <Empty title="Loading" />;
  if (data.runs === 0)
    return (
      <Empty title="Nothing has run yet">
        After a run, what it changed, the tasks that ended and the lead's last words stand here.
      </Empty>
    );
  return (
    <div class="outcome">
      <div class="outcome-in">
        <header class="row">
          <h2>{headline(data)}</h2>
          {data.runs > 1 && !isRecorded && (
            <Choice
              label="Of which runs"
              value={isWhole ? "all" : "last"}
              options={[
                ["last", "the last run"],
                ["all", `all ${data.runs} runs`],
              ]}
              onValue={(value) => setWhole(value === "all")}
            />
          )}
        </header>
        <Figures outcome={data} since={isWhole ? 0 : (data.began ?? 0)} />
        {app.replay === null && !isRecorded && isGone() && (
          <p class="row">
            <Button onClick={() => void app.replaying.watch(WATCH_MS)}>Watch it in 15 seconds</Button>
            <GoOn />
          </p>
        )}
        {data.words && (
          <section class="last-words">
            <h3>The lead's last words</h3>
            <Markdown text={data.words} />
          </section>
        )}
        <Tasks since={isWhole ? 0 : (data.began ?? 0)} outcome={data} />
        <Changes outcome={data} />
        <Gates since={isWhole ? 0 : (data.began ?? 0)} />
        <LeakOf leak={data.leak ?? null} />
      </div>
    </div>
  );
}

/** To the form that resumes what is open, such as comments that became tasks. */
function GoOn() {
  const { busy, ready, waiting } = looksOf(app.live).counts;
  const open = busy + ready + waiting;
  if (open === 0 || !app.mayAct || app.overview?.mayStart !== true) return null;
  return (
    <Link class="button" to={{ view: "run", item: "", task: null }}>
      Go on with {open} open {open === 1 ? "task" : "tasks"}
    </Link>
  );
}

const isEnd = ({ type }: Event): boolean => type === "team.finished";
const isGone = (): boolean => !isHosted(app.live);

const REASONS: Readonly<Record<string, string>> = {
  concluded: "Stopped",
  interrupted: "Stopped by you",
  budget: "The budget is used up",
  deadline: "The time is up",
};

function headline({ ended, reason }: Outcome): string {
  if (!isGone()) return "Still at work";
  const { done, failed, waiting, busy, ready, cancelled } = looksOf(app.live).counts;
  const all = app.live.tasks.size - cancelled;
  if (ended !== null && done === all && reason === "concluded") return "Done";
  const parts = [
    `${figure(done)} of ${figure(all)} done`,
    failed > 0 && `${figure(failed)} failed`,
    waiting > 0 && `${figure(waiting)} could not begin`,
    busy + ready > 0 && `${figure(busy + ready)} still open`,
  ];
  const how = ended === null ? "Its process ended before the work did" : (REASONS[reason] ?? "Ended");
  return all === 0 ? how : `${how}: ${parts.filter(Boolean).join(" · ")}`;
}

function Figures({ outcome, since }: { outcome: Outcome; since: number }) {
  const { began, ended, worked, usd, tokens: used } = outcome;
  const tasks = endedSince(since);
  const count = (wanted: Task["status"]): number => tasks.filter(({ status }) => status === wanted).length;
  const [failed, cancelled] = [count("failed"), count("cancelled")];
  return (
    <dl class="totals">
      <Pair label="Completed">{figure(count("completed"))}</Pair>
      {failed > 0 && <Pair label="Failed">{figure(failed)}</Pair>}
      {cancelled > 0 && <Pair label="Cancelled">{figure(cancelled)}</Pair>}
      {began !== null && (
        <Pair label="Time">{span((isGone() ? (ended ?? worked ?? began) : app.now) - began)}</Pair>
      )}
      <Pair label="Cost">
        <Link to={{ view: "costs", item: "" }}>
          {usd > 0 ? money(usd) : used > 0 ? `${tokens(used)} tokens` : "none"}
        </Link>
      </Pair>
    </dl>
  );
}

const endedSince = (since: number): Task[] =>
  [...app.live.tasks.values()].filter(({ endedAt }) => endedAt !== null && endedAt >= since);

const TASKS_SHOWN = 12;

function Tasks({ since, outcome: { results, beside } }: { since: number; outcome: Outcome }) {
  const [isAll, setAll] = useState(false);
  const rank = (task: Task): number => (task.status === "failed" ? 0 : task.status === "completed" ? 2 : 1);
  const ended = endedSince(since).sort((a, b) => rank(a) - rank(b) || (a.endedAt ?? 0) - (b.endedAt ?? 0));
  if (ended.length === 0) return null;
  const { of } = looksOf(app.live);
  return (
    <section>
      <h3>Tasks</h3>
      <ul class="ended">
        {(isAll ? ended : ended.slice(0, TASKS_SHOWN)).map((task) => (
          <li key={task.id}>
            <Status look={of.get(task.id) ?? "done"} />
            <span class="grow">
              <TaskLink id={task.id} />
              <span class={`ended-why ${task.status === "failed" ? "bad" : "dim"}`}>
                {" "}
                {task.status === "completed" ? results[task.id] : task.why}
              </span>
              {beside[task.id] && (
                <span class="warn">
                  {" "}
                  also changed {listed(beside[task.id] ?? [], 8)}, which it does not name
                </span>
              )}
            </span>
            <span class="dim">{task.owner}</span>
          </li>
        ))}
      </ul>
      {ended.length > TASKS_SHOWN && !isAll && (
        <Button class="link" onClick={() => setAll(true)}>
          Show all {figure(ended.length)}
        </Button>
      )}
    </section>
  );
}

const FILES_SHOWN = 100;

function Changes({ outcome: { diff, cut, tasks } }: { outcome: Outcome }) {
  const { team } = app.route;
  const [shown, setShown] = useState(FILES_SHOWN);
  const files = useMemo(() => filesIn(diff ?? ""), [diff]);
  const comments = commentsOf(team);
  const written = Object.keys(tasks).sort();
  const count = (key: "added" | "removed"): number => files.reduce((sum, file) => sum + file[key], 0);
  return (
    <section>
      <header class="row changes-head">
        <h3>Changes</h3>
        {files.length > 0 && (
          <span class="dim">
            {counted(files.length, "file")}, <span class="good">+{count("added")}</span>{" "}
            <span class="bad">−{count("removed")}</span>, by anybody since the start
          </span>
        )}
        <span class="grow" />
        {comments.length > 0 && app.mayAct && (
          <Button class="primary" disabled={app.isSending} onClick={() => void sendComments(team)}>
            Send {counted(comments.length, "comment")}
          </Button>
        )}
      </header>
      {diff === null && (
        <p class="dim">
          The folder is not a git repository, so what was there before is not known.
          {written.length > 0 && " Tools have written:"}
        </p>
      )}
      {diff === null && (
        <ul class="ended">
          {written.map((path) => (
            <li key={path}>
              <code class="grow">{path}</code>
              <FileTasks ids={tasks[path] ?? []} />
            </li>
          ))}
        </ul>
      )}
      {diff === "" && <p class="dim">No file is different.</p>}
      {files.slice(0, shown).map((file) => (
        <ReviewFile
          key={file.path}
          team={team}
          file={file}
          tasks={tasks[file.path] ? <FileTasks ids={tasks[file.path] ?? []} /> : null}
        />
      ))}
      {files.length > shown && (
        <Button class="link" onClick={() => setShown(shown + 500)}>
          Show {files.length - shown} more files
        </Button>
      )}
      {cut && <p class="dim">The rest is too long for here: git diff shows it.</p>}
    </section>
  );
}

const FileTasks = ({ ids }: { ids: readonly number[] }) => (
  <span class="dim">
    {ids.slice(-4).map((id) => (
      <>
        {" "}
        <Link to={{ task: id }} title={app.live.tasks.get(id)?.subject}>
          #{id}
        </Link>
      </>
    ))}
  </span>
);

/** The changes that gates refused, and those that landed; whole in Landing. */
/** Lines in which a fault would land: a test is missing there. */
function LeakOf({ leak }: { leak: LeakShown | null }) {
  if (leak === null) return null;
  return (
    <section>
      <h3>What the gate lets through</h3>
      <p>{leak.words}.</p>
      {leak.lines.length > 0 && <Output text={leak.lines.join("\n")} />}
    </section>
  );
}

function Gates({ since }: { since: number }) {
  const { events } = useFacts();
  const { refused, landed } = useMemo(
    () => landings(events.filter(({ at }) => at >= since)),
    [events, since],
  );
  if (refused.length + landed.length === 0) return null;
  return (
    <section>
      <h3>Landing</h3>
      <p>
        <Link to={{ view: "landing", item: "" }}>
          {counted(landed.length, "change")} landed
          {refused.length > 0 && `, ${refused.length} refused`}
        </Link>
      </p>
      {refused.slice(0, 5).map((one) => (
        <div key={one.seq} class="gate-output">
          <p>
            <TaskLink id={one.task} /> <span class="tag bad">{one.why}</span> <Time at={one.at} />
          </p>
          <Output text={one.evidence} />
        </div>
      ))}
    </section>
  );
}
