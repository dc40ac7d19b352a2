/** The planned board as a list that is edited in one place, and then begun. Each edit is made at once, on the board that everybody sees. */
import { useEffect, useState } from "preact/hooks";
import { BEGIN, isBoardQuestion } from "../../../../core/plan/hold.ts";
import { PLAN_FIELDS, type PlanField, whoOf } from "../../../../core/plan/plan-views.ts";
import { checkOf } from "../../../../core/project/mark.ts";
import type { TaskData } from "../../../../core/views/board.ts";
import type { ShownPlan } from "../../wire.ts";
import { app } from "../app.ts";
import { useAnswer } from "../live/facts.ts";
import { openDialog } from "../parts/dialog.tsx";
import { Button, Form, Refusal, TextField } from "../parts/fields.tsx";
import { Empty, Link } from "../parts/parts.tsx";

/** The lead asks whether its board may begin. */
export const isHeld = (): boolean => !app.replay && app.questions.some(isBoardQuestion);

const FIELDS: Readonly<Record<PlanField, { readonly label: string; read(task: TaskData): string }>> = {
  subject: { label: "Subject", read: ({ subject }) => subject },
  after: { label: "Waits for", read: ({ blockedBy }) => blockedBy.join(", ") },
  check: { label: "Check", read: ({ description }) => checkOf(description) ?? "" },
  who: { label: "Who (@name or role)", read: whoOf },
  touches: { label: "Files that it changes", read: ({ touches }) => touches.join(", ") },
  estimate: { label: "Size", read: ({ estimate }) => String(estimate) },
};
const valuesOf = (task: TaskData) =>
  Object.fromEntries(PLAN_FIELDS.map((name) => [name, FIELDS[name].read(task)])) as Record<PlanField, string>;

export function Plan() {
  const [changes, setChanges] = useState(0);
  useEffect(
    () =>
      app.tap((events) => events.some(({ type }) => CHANGES.test(type)) && setChanges((count) => count + 1)),
    [],
  );
  const { data, error } = useAnswer<ShownPlan>("plan", changes);
  if (!data) return <p class="dim">{error || "Reading the plan …"}</p>;
  const { tasks, takes, remarks } = data;
  return (
    <div class="plan">
      {takes !== "" && <p>It takes {takes}.</p>}
      {remarks.length > 0 && (
        <ul class="plan-remarks">
          {remarks.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
      {tasks.length === 0 && (
        <Empty title="No task is waiting to start">All of them have begun or have ended.</Empty>
      )}
      <ol aria-label="Tasks in the order in which they begin">
        {tasks.map((task, i) => (
          <PlanRow key={task.id} task={task} isFirst={i === 0} isLast={i === tasks.length - 1} />
        ))}
      </ol>
      {app.mayAct && <Foot plan={data} />}
    </div>
  );
}

/** What may change the list, its times or the question. */
const CHANGES = /^(?:task|board|question|request|member)\./;

type RowProps = {
  readonly task: TaskData;
  readonly isFirst: boolean;
  readonly isLast: boolean;
};

function PlanRow({ task, isFirst, isLast }: RowProps) {
  // Of each row: what is typed in one is not lost when another one is opened.
  const [isOpen, open] = useState(false);
  const { id, subject, blockedBy, touches, estimate } = task;
  const { check, who } = valuesOf(task);
  const move = (by: 1 | -1): void => void app.act({ do: "move", id, by });
  return (
    <li>
      <p class="row">
        <Link to={{ task: id }} class="grow">
          <span class="dim">#{id}</span> {subject}
        </Link>
        {estimate !== 1 && <span class="dim">size {estimate}</span>}
        <span class={who === "" ? "dim" : ""}>{who || "anybody"}</span>
        {app.mayAct && (
          <>
            <Button
              class="link"
              aria-label={`Move #${id} sooner`}
              disabled={isFirst}
              onClick={() => move(-1)}
            >
              ↑
            </Button>
            <Button class="link" aria-label={`Move #${id} later`} disabled={isLast} onClick={() => move(1)}>
              ↓
            </Button>
            <Button
              class="link"
              aria-expanded={isOpen}
              aria-label={isOpen ? `Leave #${id} as it is` : `Edit #${id}`}
              onClick={() => open(!isOpen)}
            >
              {isOpen ? "Leave" : "Edit"}
            </Button>
            <Remove id={id} />
          </>
        )}
      </p>
      <p class="dim row">
        {blockedBy.length > 0 && <span>after {blockedBy.map((one) => `#${one}`).join(" ")}</span>}
        {check !== "" && <code>{check}</code>}
        {check === "" && touches.length > 0 && <span class="tag warn">no check</span>}
        {touches.length > 0 && <span>{touches.join(", ")}</span>}
      </p>
      {isOpen && <Fields key={id} task={task} close={() => open(false)} />}
    </li>
  );
}

/** At the second click. */
function Remove({ id }: { id: number }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <Button
      class="link"
      aria-label={isAsked ? `Remove #${id}, really` : `Remove #${id}`}
      onClick={() => (isAsked ? void app.act({ do: "unplan", id }) : setAsked(true))}
      onBlur={() => setAsked(false)}
    >
      {isAsked ? "Really?" : "Remove"}
    </Button>
  );
}

/** Nobody overwrites what he has not seen: a field that changed meanwhile is said, and saved at the second time. */
function Fields({ task, close }: { task: TaskData; close(): void }) {
  const now = valuesOf(task);
  const [before, setBefore] = useState(now);
  const [form, setForm] = useState(now);
  const [refusal, setRefusal] = useState("");
  const save = async (): Promise<void> => {
    const edited = PLAN_FIELDS.filter((name) => form[name] !== before[name]);
    const lost = edited.filter((name) => now[name] !== before[name]);
    setBefore(now);
    if (lost.length > 0)
      return setRefusal(
        `Changed meanwhile: ${lost.map((name) => `${FIELDS[name].label} is now “${now[name]}”`).join("; ")}. Save again to overwrite that.`,
      );
    const texts = Object.fromEntries(edited.map((name) => [name, form[name]]));
    const done = edited.length === 0 ? null : await app.send({ do: "replan", id: task.id, texts });
    if (done?.ok === false) setRefusal(done.text);
    else close();
  };
  return (
    <Form class="form" onSend={save}>
      <div class="form-grid">
        {PLAN_FIELDS.map((name) => (
          <TextField
            key={name}
            label={FIELDS[name].label}
            value={form[name]}
            onValue={(value) => setForm({ ...form, [name]: value })}
          />
        ))}
      </div>
      <Refusal text={refusal} />
      <p class="row end">
        <Button onClick={() => openDialog({ edit: task.id })}>Description …</Button>
        <button type="submit" class="primary">
          Save
        </button>
      </p>
    </Form>
  );
}

function Foot({ plan: { question, isEdited } }: { plan: ShownPlan }) {
  const [words, setWords] = useState("");
  const say = async (text: string): Promise<void> => {
    if (question !== null && (await app.act({ do: "answer", request: question, answer: "", text })))
      setWords("");
  };
  return (
    <div class="row">
      <Button onClick={() => openDialog("new")}>Add a task</Button>
      {isEdited && <Button onClick={() => void app.act({ do: "unedit" })}>Undo the last edit</Button>}
      {question !== null && (
        <>
          <Form class="row grow" onSend={() => say(words)}>
            <TextField
              class="grow"
              aria-label="What the lead is to change"
              placeholder="Or say what the lead should change"
              value={words}
              required
              onValue={setWords}
            />
            <button type="submit">Plan again</button>
          </Form>
          <Button class="primary" onClick={() => void say(BEGIN)}>
            Begin
          </Button>
        </>
      )}
    </div>
  );
}
