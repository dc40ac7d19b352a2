/** A task at this moment: what it waits for, what its owner does, where its time went, what is wanted and what has come of it. */

import type { Event } from "../../../../core/event.ts";
import type { PictureMember as Member } from "../../../../core/picture/member.ts";
import type { Task } from "../../../../core/picture/task.ts";
import { counted, money, span } from "../../../../core/views/view.ts";
import type { ShownTask } from "../../wire.ts";
import { app } from "../app.ts";
import { useDoing } from "../live/doing.ts";
import { Activity } from "../parts/activity.tsx";
import { useClock } from "../parts/clock.tsx";
import { Pair } from "../parts/fields.tsx";
import { Link, Status } from "../parts/parts.tsx";
import { Markdown } from "../parts/text.tsx";
import { lookOf, pauseOf, shownOf, whyWaiting } from "../pure/board.ts";
import { type Part, type PartKind, timeOfTask } from "../pure/time-of-task.ts";
import { AsksOf } from "../questions/asks.tsx";
import { Actions } from "./task-acts.tsx";

type Props = {
  readonly task: Task;
  readonly texts: {
    readonly description?: string | undefined;
    readonly result?: string | null | undefined;
  } | null;
  /** The facts of the task, and of its owners while they had it. */
  readonly facts: readonly Event[];
  readonly spent: ShownTask["spent"] | null;
};

export function Now({ task, texts, facts, spent }: Props) {
  const { model } = app;
  const look = lookOf(task, model.tasks);
  const why = whyWaiting(task, model);
  const owner = model.members.get(task.owner ?? "");
  const dependents = [...model.tasks.values()]
    .filter((one) => one.blockedBy.includes(task.id))
    .map((one) => one.id);
  const isAsking = pauseOf(task, model) === "asks";
  return (
    <>
      {why && !isAsking && <p class="why">{why}</p>}
      {task.why && <p class={`why ${task.status === "failed" ? "bad" : ""}`}>{task.why}</p>}
      {look === "busy" && <AsksOf who={task.owner} />}
      {look === "busy" && owner && !isAsking && !app.replay && <Live key={owner.name} member={owner} />}
      {task.owner !== null && <Meter task={task} spent={spent} />}
      <TimeBar id={task.id} facts={facts} isOn={look === "busy"} />
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
      {texts?.description && <Section title="Description" text={texts.description} />}
      {task.status === "completed" && texts?.result && <Section title="Result" text={texts.result} />}
    </>
  );
}

const Section = ({ title, text }: { title: string; text: string }) => (
  <section>
    <h3>{title}</h3>
    <Markdown text={text} />
  </section>
);

function Live({ member }: { member: Member }) {
  const doing = useDoing(new Set([member.name]));
  return <Activity member={member} doing={doing.get(member.name)} lines={3} />;
}

/** "alice · try 2 · $0.07 · 27 turns". */
function Meter({ task: { owner, attempt }, spent }: Pick<Props, "task" | "spent">) {
  return (
    <p class="meter dim">
      {app.model.members.has(owner ?? "") ? (
        <Link to={{ view: "conversation", item: owner ?? "", task: null }} title="Its conversation">
          {owner}
        </Link>
      ) : (
        owner
      )}
      {attempt > 1 && ` · try ${attempt}`}
      {spent !== null && spent.usd > 0 && ` · ${money(spent.usd)}`}
      {spent !== null && spent.turns > 0 && ` · ${counted(spent.turns, "turn")}`}
    </p>
  );
}

const COLORS: Readonly<Record<PartKind, string>> = {
  ...{ begin: "lane-off", model: "lane-model", task: "lane-tools", gate: "lane-gate", queue: "lane-queue" },
  ...{ permission: "lane-you", plan: "lane-you", question: "lane-you", provider: "lane-off" },
};

const SHOWN_MS = 500;
/** A part that rounds to nothing is in the bar alone. */
const isShown = ({ ms }: Part): boolean => ms >= SHOWN_MS;

/** Over all its tries, as one bar and in words. */
function TimeBar({ id, facts, isOn }: { id: number; facts: readonly Event[]; isOn: boolean }) {
  useClock(isOn);
  const time = timeOfTask(id, facts, app.now);
  if (time === null || time.total < SHOWN_MS) return null;
  const words = time.parts.map(({ words, ms }) => `${words} ${span(ms)}`).join(", ");
  return (
    <section class="task-time" aria-label="Where its time went">
      <div class="time-bar" role="img" aria-label={words}>
        {time.parts.map(({ kind, ms }) => (
          <i key={kind} class={COLORS[kind]} style={{ flexGrow: ms }} />
        ))}
      </div>
      <ul>
        {time.parts.filter(isShown).map(({ kind, words, ms }) => (
          <li key={kind}>
            <i class={COLORS[kind]} /> {words} <b>{span(ms)}</b>
          </li>
        ))}
        <li class="dim">
          in all {span(time.total)}
          {time.tries > 1 && `, in ${time.tries} tries`}
        </li>
      </ul>
    </section>
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
