/** The start of a team: its goal and options. A team that rests continues, one that works gets more teammates. Also lists crons. */

import { useEffect, useState } from "preact/hooks";
import type { StartForm, StartOptions } from "../../wire.ts";
import { app } from "../app.ts";
import { useReturns } from "../live/facts.ts";
import { Button, Check, Form, Refusal, TextField } from "../parts/fields.tsx";
import { Empty, Link } from "../parts/parts.tsx";
import { isHosted, looksOf, teamState } from "../pure/board.ts";
import {
  Composer,
  type Fields,
  firstFields,
  isPlan,
  lacksModel,
  Missing,
  optionsOf,
  Remarks,
} from "./run-fields.tsx";
import { Schedule } from "./schedule.tsx";
import { SteeringForm } from "./steering.tsx";
import { StopButton } from "./team.tsx";

export function RunView() {
  const [form, setForm] = useState<StartForm | null>(null);
  const [error, setError] = useState("");
  const { team } = app.route;
  const mayStart = app.mayAct && app.overview?.mayStart === true;
  const returns = useReturns(error !== "");
  const read = (): void => {
    app.source.get<StartForm>(`${team}/start`).then(
      (form) => {
        setForm(form);
        setError("");
      },
      (fault: Error) => setError(fault.message),
    );
  };
  const isThere = isHosted(app.model);
  // A run may have changed what the form begins with, such as the mode.
  useEffect(() => {
    setForm(null);
    if (mayStart) read();
  }, [team, mayStart, returns, isThere]);
  if (!mayStart)
    return (
      <Empty title="Nothing can be started here">
        {app.replay ? "This is the past." : "This page is read-only."}
      </Empty>
    );
  if (error) return <Empty title="The project cannot be read">{error}</Empty>;
  if (!form) return <Empty title="Loading" />;
  return (
    <div class="door">
      {isThere ? (
        <More isAsking={form.last?.ask === true} />
      ) : (
        <Start key={team} form={form} lookAgain={read} />
      )}
      {isThere && <SteeringForm key={`steer ${team}`} />}
      <Schedule form={form} onChange={read} />
    </div>
  );
}

function Start({ form, lookAgain }: { form: StartForm; lookAgain: () => void }) {
  const [fields, setFields] = useState<Fields>(() => firstFields(form));
  const { send, isSending, refusal, forget } = useStart();
  const change = (part: Partial<Fields>): void => {
    setFields({ ...fields, ...part });
    // It was about what stood there before. What must be agreed to stays.
    if (!needsTrust(refusal)) forget();
  };
  useEffect(forget, [form]);
  const { counts } = looksOf(app.model);
  const open = counts.busy + counts.ready + counts.waiting;
  const goOn = (): void => {
    void send("resume", "", optionsOf(fields, form));
  };
  const submit = (): void => {
    const { goal, runbook } = fields;
    const what = runbook !== "" ? "runbook" : isPlan(fields) ? "plan" : "goal";
    void send(what, runbook || goal, optionsOf(fields, form));
  };
  return (
    <Form class="form" onSend={submit}>
      <h2>What should the team do?</h2>
      <Composer fields={fields} change={change} form={form}>
        <span class="composer-acts row">
          {open > 0 && (
            <Button disabled={isSending} onClick={goOn}>
              Continue with {open} open {open === 1 ? "task" : "tasks"}
            </Button>
          )}
          <button
            type="submit"
            class="primary"
            disabled={isSending || (fields.goal.trim() === "" && fields.runbook === "")}
          >
            {isSending ? "Starting…" : "Start"}
          </button>
        </span>
      </Composer>
      {lacksModel(fields, form) && <Missing form={form} change={change} lookAgain={lookAgain} />}
      <Remarks fields={fields} change={change} form={form} />
      {form.isEmpty && fields.branches === "yes" && (
        <p class="dim">Branches need a git repository: this empty folder becomes one.</p>
      )}
      <Check value={fields.ask} onValue={(ask) => change({ ask })}>
        Ask me before each command
      </Check>
      {needsTrust(refusal) && (
        <Check value={fields.trust} onValue={(trust) => change({ trust })}>
          I have read what the project brings; use it, this once
        </Check>
      )}
      <Refusal text={refusal} />
    </Form>
  );
}

const needsTrust = (refusal: string): boolean => /--trust\b/.test(refusal);

function useStart() {
  const [isSending, setSending] = useState(false);
  const [refusal, setRefusal] = useState("");
  const send = async (
    what: "goal" | "plan" | "runbook" | "resume" | "spawn",
    text: string,
    options: StartOptions,
  ): Promise<void> => {
    setSending(true);
    setRefusal("");
    const done = await app.send({ do: "start", what, text, options });
    setSending(false);
    if (!done.ok) return setRefusal(done.text.replace(/^ekiden: /, ""));
    app.say(done.text, false);
    if (what !== "spawn" && app.route.view === "run") app.go({ view: "board", item: "" });
  };
  return { send, isSending, refusal, forget: () => setRefusal("") };
}

/** The team works. */
function More({ isAsking }: { isAsking: boolean }) {
  const [count, setCount] = useState("1");
  const { send, isSending, refusal } = useStart();
  const { title } = teamState(app.model);
  return (
    <section class="form">
      <h2>The team is running</h2>
      <p>
        {title}.
        <br />
        <Link to={{ view: "board", item: "" }}>To the board</Link> ·{" "}
        <Link to={{ view: "mail", item: "lead" }}>Write to the lead</Link>
      </p>
      <Form
        class="row"
        onSend={() => send("spawn", "", { teammates: Number(count) || 1, ...(isAsking && { ask: true }) })}
      >
        <TextField aria-label="How many" inputMode="numeric" class="short" value={count} onValue={setCount} />
        <button type="submit" disabled={isSending}>
          {isSending ? "Starting…" : "Add teammates"}
        </button>
      </Form>
      <p class="row">
        <span class="dim">Stop the whole team:</span> <StopButton who="all" />
      </p>
      <Refusal text={refusal} />
    </section>
  );
}
