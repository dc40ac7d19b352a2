/** The outcome of the team: the lead's last words, the tasks that ended, the whole change by file with comments on lines, the gates, the cost. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import type { Task } from "../../../../core/picture/task.ts";
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
import { Changes } from "../review/changes.tsx";

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
        After a run, what it changed, the tasks that ended and the lead's last words appear here.
      </Empty>
    );
  return (
    <div class="outcome">
      <div class="outcome-in">
        <div class="verdict">
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
            {app.replay === null && !isRecorded && isGone() && (
              <>
                <Button onClick={() => void app.replaying.watch(WATCH_MS)}>Watch it in 15 seconds</Button>
                <GoOn />
              </>
            )}
          </header>
          <Figures outcome={data} since={isWhole ? 0 : (data.began ?? 0)} />
        </div>
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
      Continue with {open} open {open === 1 ? "task" : "tasks"}
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
  const isFinished = reason === "concluded" && waiting + busy + ready === 0;
  const word = isFinished ? "Finished" : (REASONS[reason] ?? "Ended");
  const how = ended === null ? "Its process ended before the work did" : word;
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

/** Failed ones as cards with the way on, the others as lines. */
function Tasks({ since, outcome: { results, beside } }: { since: number; outcome: Outcome }) {
  const [isAll, setAll] = useState(false);
  const all = endedSince(since).sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
  const failed = all.filter(({ status }) => status === "failed");
  const ended = all.filter(({ status }) => status !== "failed");
  if (all.length === 0) return null;
  const { of } = looksOf(app.live);
  return (
    <section>
      <h3>Tasks</h3>
      {failed.length > 0 && (
        <ul class="failed-tasks">
          {failed.map((task) => (
            <FailedTask key={task.id} task={task} />
          ))}
        </ul>
      )}
      <ul class="ended">
        {(isAll ? ended : ended.slice(0, TASKS_SHOWN)).map((task) => (
          <li key={task.id}>
            <Status look={of.get(task.id) ?? "done"} />
            <span class="grow">
              <TaskLink id={task.id} />
              <span class="ended-why dim"> {task.status === "completed" ? results[task.id] : task.why}</span>
              {beside[task.id] && (
                <span class="bad">
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

function FailedTask({ task: { id, owner, attempt, why } }: { task: Task }) {
  const blocked = [...app.live.tasks.values()].filter(({ blockedBy }) => blockedBy.includes(id));
  return (
    <li>
      <header class="row">
        <Status look="failed" />
        <TaskLink id={id} class="grow" />
        {app.mayAct && (
          <Button aria-label={`Retry #${id}`} onClick={() => void app.act({ do: "retry", id })}>
            Retry
          </Button>
        )}
      </header>
      {why && <p class="ended-why">{why}</p>}
      <p class="dim">
        {[
          owner,
          attempt > 1 && `try ${attempt}`,
          blocked.length > 0 &&
            `${listed(
              blocked.map((one) => `#${one.id}`),
              4,
            )} cannot begin before it`,
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
    </li>
  );
}

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

/** The changes that gates refused, and those that landed; whole in Landing. */
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
