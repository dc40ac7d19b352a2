/** One task beside a view, in four parts: now, the words of its owner, its change, its history. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import type { Task } from "../../../../core/picture/task.ts";
import type { ShownTask } from "../../wire.ts";
import { app } from "../app.ts";
import { useAnswer, useFacts } from "../live/facts.ts";
import { Elapsed } from "../parts/clock.tsx";
import { Button, CloseButton } from "../parts/fields.tsx";
import { Empty, Status } from "../parts/parts.tsx";
import { pauseOf, shownOf } from "../pure/board.ts";
import { TaskChange } from "./task-change.tsx";
import { History } from "./task-history.tsx";
import { Now } from "./task-now.tsx";
import { TaskWords } from "./task-words.tsx";
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
          {app.replay ? "The task did not exist yet at this moment." : `The board has no task #${id}.`}
        </Empty>
      )}
    </aside>
  );
}

const TABS = ["Now", "Words", "Changes", "History"] as const;
type Tab = (typeof TABS)[number];
/** The next task is opened at the same part. */
let lastTab: Tab = "Now";

function Details({ task }: { task: Task }) {
  const pause = pauseOf(task, app.model);
  return (
    <>
      <h2>{task.subject}</h2>
      <p class="panel-status">
        <Status look={shownOf(task, app.model)} word />
        {task.startedAt !== null && pause !== "away" && pause !== "asks" && (
          <span class="dim">
            <Elapsed since={task.startedAt} to={task.endedAt} />
          </span>
        )}
        {task.attempt > 1 && <span>attempt {task.attempt}</span>}
        {task.landing?.is === "landed" && <span class="good">landed</span>}
      </p>
      {app.source.recording ? <RecordedParts task={task} /> : <LiveParts task={task} />}
    </>
  );
}

function LiveParts({ task }: { task: Task }) {
  const turns = app.live.members.get(task.owner ?? "")?.turns ?? 0;
  const key = `${task.status} ${task.attempt} ${task.subject} ${task.landing?.is} ${turns}`;
  const { data, error } = useAnswer<ShownTask>(`task/${task.id}`, key);
  const until = app.replay?.time ?? Number.POSITIVE_INFINITY;
  const history = data?.history.filter(({ at }) => at <= until) ?? [];
  const around = data?.around.filter(({ at }) => at <= until) ?? [];
  if (error) return <p class="bad">{error}</p>;
  return (
    <Parts
      task={task}
      history={history}
      around={around}
      texts={data?.task ?? null}
      spent={data?.spent ?? null}
    />
  );
}

function RecordedParts({ task }: { task: Task }) {
  const { data } = useAnswer<{ description: string; result: string | null }>(`text/${task.id}`);
  const { events } = useFacts();
  const history = events.filter((event) => "task" in event && event.task === task.id);
  return <Parts task={task} history={history} around={events} texts={data} spent={null} />;
}

type PartsProps = Omit<Parameters<typeof Now>[0], "facts"> & {
  readonly history: readonly Event[];
  readonly around: readonly Event[];
};

function Parts({ task, history, around, texts, spent }: PartsProps) {
  const [chosen, setChosen] = useState<Tab>(lastTab);
  const last = history.findLast(({ type }) => type === "task.claimed");
  const isBegun = last !== undefined && task.owner !== null;
  const shown = TABS.filter((one) => one === "Now" || one === "History" || (isBegun && mayShow(one, task)));
  const tab = shown.includes(chosen) ? chosen : "Now";
  const facts = app.source.recording ? around : [...history, ...around].sort((a, b) => a.seq - b.seq);
  return (
    <>
      <div class="task-tabs" role="tablist" aria-label="Parts of the task" onKeyDown={toNeighbour}>
        {shown.map((one) => (
          <Button
            key={one}
            role="tab"
            class="quiet"
            aria-selected={one === tab}
            tabIndex={one === tab ? 0 : -1}
            onClick={() => {
              lastTab = one;
              setChosen(one);
            }}
          >
            {one}
          </Button>
        ))}
      </div>
      <div class={`task-part ${tab.toLowerCase()}-part`} role="tabpanel" aria-label={tab}>
        {tab === "Now" && <Now task={task} texts={texts} facts={facts} spent={spent} />}
        {tab === "Words" && <TaskWords task={task} from={last?.at ?? 0} to={task.endedAt} />}
        {tab === "Changes" && <TaskChange task={task} />}
        {tab === "History" && (
          <History events={history}>
            {app.mayAct && !app.replay && isBegun && <UndoTask id={task.id} changes={history.length} />}
          </History>
        )}
      </div>
    </>
  );
}

/** A recording holds no change of a single task, and a person has no conversation. */
const mayShow = (tab: Tab, { owner }: Task): boolean =>
  tab === "Changes" ? app.source.recording === null : app.model.members.has(owner ?? "");

function toNeighbour(event: KeyboardEvent): void {
  const by =
    event.key === "ArrowRight"
      ? "nextElementSibling"
      : event.key === "ArrowLeft"
        ? "previousElementSibling"
        : null;
  const next = by && (event.target as HTMLElement)[by];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  event.stopPropagation();
  next.click();
  next.focus();
}
