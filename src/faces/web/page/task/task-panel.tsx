/** One task: its description, the reason of its waiting, its outcome, and the decisions that a person may make about it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { PERSON } from "../../../../core/ids.ts";
import type { Task } from "../../../../core/picture/task.ts";
import type { TaskHistory } from "../../../../core/views/board.ts";
import { sentence } from "../../../../core/views/sentence.ts";
import { app } from "../app.ts";
import { useAnswer, useFacts } from "../live/facts.ts";
import { Elapsed } from "../parts/clock.tsx";
import { openDialog } from "../parts/dialog.tsx";
import { Button, Choice, CloseButton, Form, Pair, TextField } from "../parts/fields.tsx";
import { Empty, Link, Status, Time } from "../parts/parts.tsx";
import { Markdown, Output } from "../parts/text.tsx";
import { lookOf, pauseOf, shownOf, whyWaiting } from "../pure/board.ts";
import { AsksOf } from "../questions/asks.tsx";
import { TaskTime } from "./task-time.tsx";
import { UndoTask } from "./undo-task.tsx";

/** Opened by a key it takes the focus, and gives it back to the card. */
export function TaskPanel({ id }: { id: number }) {
  const task = app.model.tasks.get(id);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (app.panelTakesFocus) box.current?.focus();
    app.panelTakesFocus = false;
  });
  useEffect(() => {
    const at = box.current;
    return () => {
      const now = document.activeElement;
      if (at?.contains(now) || now === document.body)
        document.querySelector<HTMLElement>(`[data-task="${id}"]`)?.focus({ preventScroll: true });
    };
  }, [id]);
  return (
    <aside class="panel" aria-label={`Task ${id}`} ref={box} tabIndex={-1}>
      <div class="panel-head">
        <span class="dim">#{id}</span>
        <CloseButton onClose={() => app.go({ task: null })} />
      </div>
      {task ? (
        <Details task={task} />
      ) : (
        <Empty title={app.replay ? "Not there yet" : "No such task"}>
          {app.replay ? "At this moment the task had not been added." : `The board has no task #${id}.`}
        </Empty>
      )}
    </aside>
  );
}

function Details({ task }: { task: Task }) {
  const { model } = app;
  const look = lookOf(task, model.tasks);
  const why = whyWaiting(task, model);
  const pause = pauseOf(task, model);
  const dependents = [...model.tasks.values()]
    .filter((one) => one.blockedBy.includes(task.id))
    .map((one) => one.id);
  return (
    <>
      <h2>{task.subject}</h2>
      <p class="panel-status">
        <Status look={shownOf(task, model)} word />
        {task.owner && (
          <Link to={{ view: "conversation", item: task.owner }} title="Its conversation">
            {task.owner}
          </Link>
        )}
        {task.startedAt !== null && pause !== "away" && pause !== "asks" && (
          <span class="dim">
            <Elapsed since={task.startedAt} to={task.endedAt} />
          </span>
        )}
        {task.attempt > 1 && <span class="warn">attempt {task.attempt}</span>}
        {task.landing?.is === "landed" && <span class="good">landed</span>}
      </p>
      {why && (
        <p class="why">
          {why}{" "}
          {pause === "asks" && <Link to={{ view: "questions", item: "", task: null }}>To the question</Link>}
        </p>
      )}
      {task.why && <p class={`why ${task.status === "failed" ? "bad" : "warn"}`}>{task.why}</p>}
      {look === "busy" && <AsksOf who={task.owner} />}
      {app.mayAct && <Actions task={task} />}
      <dl class="facts">
        <Ids label="After" ids={task.blockedBy} />
        <Ids label="Before" ids={dependents} />
        {task.role && <Pair label="Role">{task.role}</Pair>}
        {task.priority !== 0 && <Pair label="Priority">{task.priority}</Pair>}
        {task.estimate !== 1 && <Pair label="Estimate">{task.estimate}</Pair>}
        {task.touches.length > 0 && <Pair label="Edits">{task.touches.join(", ")}</Pair>}
        {task.needsPlan && <Pair label="Plan">must be approved first</Pair>}
      </dl>
      {task.owner !== null && <TaskTime id={task.id} />}
      {app.source.recording ? <RecordedTexts id={task.id} /> : <Texts task={task} />}
    </>
  );
}

const IDS_MAX = 12;

function Ids({ label, ids }: { label: string; ids: readonly number[] }) {
  if (ids.length === 0) return null;
  return (
    <Pair label={label}>
      <span class="ids">
        {ids.slice(0, IDS_MAX).map((id) => {
          const task = app.model.tasks.get(id);
          return (
            <Link key={id} to={{ task: id }} title={task?.subject}>
              {task && <Status look={shownOf(task, app.model)} />}#{id}
            </Link>
          );
        })}
        {ids.length > IDS_MAX && <span class="dim">and {ids.length - IDS_MAX} more</span>}
      </span>
    </Pair>
  );
}

function Texts({ task }: { task: Task }) {
  const { data, error } = useAnswer<TaskHistory>(
    `task/${task.id}`,
    `${task.status} ${task.attempt} ${task.subject} ${task.landing?.is}`,
  );
  if (error) return <p class="bad">{error}</p>;
  if (!data) return null;
  const history = app.replay ? data.history.filter((event) => event.at <= app.now) : data.history;
  return (
    <>
      {data.task.description && <Section title="Description" text={data.task.description} />}
      {task.status === "completed" && data.task.result && <Section title="Result" text={data.task.result} />}
      <History events={history}>
        {app.mayAct && !app.replay && history.some((event) => event.type === "task.claimed") && (
          <UndoTask id={task.id} changes={history.length} />
        )}
      </History>
    </>
  );
}

function RecordedTexts({ id }: { id: number }) {
  const { data } = useAnswer<{ description: string; result: string | null }>(`text/${id}`);
  const { events } = useFacts();
  const isCompleted = app.model.tasks.get(id)?.status === "completed";
  return (
    <>
      {data?.description && <Section title="Description" text={data.description} />}
      {isCompleted && data?.result && <Section title="Result" text={data.result} />}
      <History events={events.filter((event) => "task" in event && event.task === id)} />
    </>
  );
}

const Section = ({ title, text }: { title: string; text: string }) => (
  <section>
    <h3>{title}</h3>
    <Markdown text={text} />
  </section>
);

function History({ events, children }: { events: TaskHistory["history"]; children?: ComponentChildren }) {
  return (
    <section>
      <h3>History</h3>
      {children}
      <ol class="history">
        {events.map((event) => {
          const { who, text, tone } = sentence(event);
          // The evidence follows as it was printed.
          const says = event.type === "task.reopened" ? text.replace(/:.*/s, "") : text;
          return (
            <li key={event.seq} class={tone}>
              <Time at={event.at} />
              <span>
                {who && <b>{who} </b>}
                {says}
              </span>
              {event.type === "task.reopened" && <Output text={event.evidence} />}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** Chooses the member that may claim it, or the person. */
function Hands({ task: { id, owner, assignee, status } }: { task: Task }) {
  const names = [...app.model.members.values()]
    .filter((one) => one.kind === "teammate" && one.phase !== "shutdown")
    .map(({ name }) => name as string);
  const mine = owner === PERSON;
  const options = [...new Set([...names, ...(assignee ? [assignee] : [])])].map(
    (name) => [name, name] as const,
  );
  return (
    <div class="row">
      {(status === "pending" || (status === "in_progress" && !mine)) && options.length > 0 && (
        // biome-ignore lint/a11y/noLabelWithoutControl: the choice is in it
        <label class="check">
          For{" "}
          <Choice
            label="Member that may claim it"
            value={assignee}
            options={[["", "anybody"], ...options]}
            onValue={(who) => void app.act({ do: "assign", id, who })}
          />
        </label>
      )}
      {status === "pending" && (
        <Button onClick={() => void app.act({ do: "take", id })} title="You do it by hand">
          Take it
        </Button>
      )}
      {mine && (
        <>
          <Button onClick={() => void app.act({ do: "complete", id, text: "" })}>Done</Button>
          <Button onClick={() => void app.act({ do: "fail", id, text: "" })}>Failed</Button>
        </>
      )}
    </div>
  );
}

function Actions({ task }: { task: Task }) {
  const [asks, setAsks] = useState(false);
  const [reason, setReason] = useState("");
  const { id, status } = task;
  const isOver = status === "failed" || status === "cancelled";
  return (
    <div class="actions">
      <div class="row">
        {status !== "completed" && <Button onClick={() => openDialog({ edit: id })}>Edit</Button>}
        {isOver && (
          <Button class="primary" onClick={() => void app.act({ do: "retry", id })}>
            Retry
          </Button>
        )}
        {status === "in_progress" && (
          <Button
            onClick={() => void app.act({ do: "release", id })}
            title="Take it from its owner and put it back on the board"
          >
            Release
          </Button>
        )}
        {!isOver && status !== "completed" && (
          <Button aria-expanded={asks} onClick={() => setAsks(!asks)}>
            Cancel task
          </Button>
        )}
      </div>
      {!isOver && status !== "completed" && <Hands task={task} />}
      {asks && (
        <Form
          class="row"
          onSend={async () => {
            if (await app.act({ do: "cancel", id, reason })) setAsks(false);
          }}
        >
          <TextField aria-label="Reason" placeholder="Why? (optional)" value={reason} onValue={setReason} />
          <button type="submit" class="danger">
            Cancel #{id}
          </button>
        </Form>
      )}
    </div>
  );
}
