/** The board, as a graph or in columns. */
import { useMemo, useState } from "preact/hooks";
import { LEAD, type TaskId } from "../../../../core/ids.ts";
import type { Picture } from "../../../../core/picture/picture.ts";
import type { Task } from "../../../../core/picture/task.ts";
import { planWords } from "../../../../core/plan/makespan.ts";
import { figure, span } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { Graph } from "../graph/graph.tsx";
import { Elapsed, useClock } from "../parts/clock.tsx";
import { openDialog } from "../parts/dialog.tsx";
import { Button, TextField } from "../parts/fields.tsx";
import { Empty, Link, Status, VirtualList } from "../parts/parts.tsx";
import { Markdown } from "../parts/text.tsx";
import {
  deadBlocker,
  isHosted,
  LOOK_WORDS,
  LOOKS,
  type Look,
  looksOf,
  pauseOf,
  whyNobody,
  whyWaiting,
} from "../pure/board.ts";
import { AsksOf } from "../questions/asks.tsx";
import { isHeld, Plan } from "../task/plan.tsx";
import { PhaseWords } from "./team.tsx";

export function BoardView() {
  const { model, route } = app;
  if (app.live.tasks.size === 0 && isHosted(app.live)) return <Planning />;
  if (app.live.tasks.size === 0)
    return (
      <Empty title="The board is empty">
        {app.mayAct ? (
          <Button onClick={() => openDialog("new")}>Add the first task</Button>
        ) : (
          "Tasks appear here as soon as somebody adds one."
        )}
      </Empty>
    );
  const isColumns = route.item === "columns";
  const held = isHeld();
  const isPlan = route.item === "plan" || (held && route.item === "");
  const isGraph = !isColumns && !isPlan;
  const why = app.replay ? "" : whyNobody(model);
  const plan = planOf(model);
  return (
    <>
      <div class="tabs" role="group" aria-label="Show the board as">
        <Link to={{ item: held ? "graph" : "" }} aria-current={isGraph ? "page" : undefined}>
          Graph
        </Link>
        <Link to={{ item: "columns" }} aria-current={isColumns ? "page" : undefined}>
          Columns
        </Link>
        {!app.replay && (
          <Link to={{ item: "plan" }} aria-current={isPlan ? "page" : undefined}>
            Plan
          </Link>
        )}
        {isGraph && <Legend />}
      </div>
      {plan && !isPlan && (
        <div class="toolbar">
          {model.questions.has(({ by }) => by === LEAD) ? (
            <AsksOf who={LEAD} />
          ) : (
            <span class="dim">The board takes {plan}.</span>
          )}
        </div>
      )}
      {why && (
        <p class="banner warn row">
          <span class="grow">{why}</span> <WayOn />
        </p>
      )}
      {isPlan ? <Plan /> : isColumns ? <Columns tasks={[...model.tasks.values()]} /> : <Graph />}
    </>
  );
}

/** How long the board takes, before anything of it has begun; "" from then on. */
function planOf({ tasks, members }: Picture): string {
  const list = [...tasks.values()].map((task) => ({ ...task, id: task.id as TaskId }));
  if (list.some(({ status }) => status !== "pending")) return "";
  return planWords(list, [...members.values()].filter(({ kind }) => kind === "teammate").length);
}

/** There are no tasks yet: the lead is at work on them, and is seen at it. */
function Planning() {
  const lead = [...app.live.members.values()].find(({ kind }) => kind === "lead");
  const words = app.output.findLast(({ who }) => who === lead?.name);
  if (!lead) return <Empty title="No tasks yet">The team has started.</Empty>;
  const isAtWork = lead.phase === "work";
  return (
    <div class="planning">
      <p>
        <Link to={{ view: "conversation", item: lead.name }}>{lead.name}</Link>{" "}
        {isAtWork ? (
          <>
            plans · <Elapsed since={lead.since} />
          </>
        ) : (
          <PhaseWords member={lead} />
        )}
      </p>
      <AsksOf who={lead.name} />
      {words && words.kind !== "command" ? (
        <Markdown text={words.text} />
      ) : (
        <p class="dim">{words?.command ?? lead.lastCall}</p>
      )}
    </div>
  );
}

/** A button that moves a board that stands still, where one click can do it. */
function WayOn() {
  const { live } = app;
  if (live.questions.size > 0)
    return (
      <Link class="button" to={{ view: "questions", item: "" }}>
        See the questions
      </Link>
    );
  const dead = deadBlocker(live);
  if (dead !== null)
    return (
      <Link class="button" to={{ task: dead }}>
        Open #{dead}
      </Link>
    );
  if (!app.mayAct || app.overview?.mayStart !== true || isHosted(live)) return null;
  return (
    <Link class="button" to={{ view: "run", item: "", task: null }}>
      Continue
    </Link>
  );
}

const Legend = () => (
  <span class="legend">
    {LOOKS.map((look) => (
      <Status key={look} look={look} word />
    ))}
  </span>
);

const ROW = 84;
/** Tasks of these states are sorted by their ends, the latest on top of the column. */
const LATEST_FIRST: ReadonlySet<Look> = new Set(["done", "failed", "cancelled"]);

function Columns({ tasks }: { tasks: readonly Task[] }) {
  const { model } = app;
  const [text, setText] = useState("");
  const columns = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const looks = looksOf(model).of;
    const all = new Map<Look, Task[]>(LOOKS.map((look) => [look, []]));
    for (const task of tasks) {
      const isWanted =
        wanted === "" ||
        `#${task.id} ${task.subject} ${task.owner ?? ""} ${task.role ?? ""}`.toLowerCase().includes(wanted);
      if (isWanted) all.get(looks.get(task.id) as Look)?.push(task);
    }
    for (const [look, list] of all)
      if (LATEST_FIRST.has(look)) list.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
      else if (look === "ready") list.sort((a, b) => b.priority - a.priority || a.id - b.id);
    return all;
  }, [model, model.board, text]);
  const shown = LOOKS.filter((look) => look !== "cancelled" || (columns.get(look)?.length ?? 0) > 0);
  return (
    <>
      <TextField
        class="filter"
        type="search"
        aria-label="Filter tasks"
        placeholder="Filter by subject, number, owner or role"
        value={text}
        onValue={setText}
      />
      <div class="columns">
        {shown.map((look) => {
          const list = columns.get(look) ?? [];
          return (
            <section key={look} class={`column${list.length === 0 ? " empty-column" : ""}`}>
              <h2>
                <Status look={look} word /> <span class="dim">{figure(list.length)}</span>
              </h2>
              <VirtualList
                items={list}
                keyOf={({ id }) => id}
                height={ROW}
                label={LOOK_WORDS[look]}
                row={(task) => <Row task={task} look={look} />}
              />
            </section>
          );
        })}
      </div>
    </>
  );
}

function Row({ task, look }: { task: Task; look: Look }) {
  useClock(look === "busy");
  const since = task.startedAt === null ? "" : span((task.endedAt ?? app.now) - task.startedAt);
  const pause = pauseOf(task, app.model);
  const why =
    look === "waiting" || look === "ready" || pause !== ""
      ? whyWaiting(task, app.model)
      : [task.owner, since].filter(Boolean).join(" · ");
  return (
    <Link
      to={{ task: task.id }}
      class={`row-card${pause && ` ${pause}`}${app.route.task === task.id ? " selected" : ""}`}
      title={why}
    >
      <span class="subject">
        <span class="dim">#{task.id}</span> {task.subject}
      </span>
      <span class="dim clip">{task.status === "failed" ? task.why : why}</span>
    </Link>
  );
}
