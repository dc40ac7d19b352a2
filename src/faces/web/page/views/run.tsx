/** The start of a team: its goal and options. A team that rests goes on, one that works gets more teammates. Also lists crons. */

import { useEffect, useState } from "preact/hooks";
import { EFFORTS } from "../../../../core/settings/effort.ts";
import { tried } from "../../../../core/tried.ts";
import { counted } from "../../../../core/views/view.ts";
import type { StartForm, StartOptions } from "../../wire.ts";
import { app } from "../app.ts";
import { useReturns } from "../live/facts.ts";
import { Button, Check, Form, LabelledChoice, Refusal, TextField } from "../parts/fields.tsx";
import { Empty, Link } from "../parts/parts.tsx";
import { isHosted, looksOf, teamState } from "../pure/board.ts";
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
  useEffect(() => {
    if (mayStart) read();
  }, [team, mayStart, returns]);
  if (!mayStart)
    return (
      <Empty title="Nothing can be started here">
        {app.replay ? "This is the past." : "This page is for looking only."}
      </Empty>
    );
  if (error) return <Empty title="The project cannot be read">{error}</Empty>;
  if (!form) return <Empty title="Loading" />;
  const isThere = isHosted(app.model);
  return (
    <div class="door">
      {isThere ? <More /> : <Start key={team} form={form} lookAgain={read} />}
      {isThere && <SteeringForm key={`steer ${team}`} />}
      <Schedule form={form} onChange={read} />
    </div>
  );
}

type Fields = {
  readonly goal: string;
  readonly runbook: string;
  readonly model: string;
  readonly effort: string;
  readonly teammates: string;
  readonly budgetUsd: string;
  readonly worktrees: boolean;
  readonly ask: boolean;
  /** The text is a plan: null where nobody has said so or not. */
  readonly isPlan: boolean | null;
  readonly trust: boolean;
};

/** The choices of the last start of a team in this browser: a team goes on in the same way. */
const keptKey = (): string => `ekiden-start-${app.project}-${app.teamName}`;
const keptFields = (): Partial<Fields> =>
  tried(() => JSON.parse(localStorage.getItem(keptKey()) ?? "{}") as Partial<Fields>, {});
function keepFields({ model, effort, teammates, worktrees, ask }: Fields): void {
  const kept = JSON.stringify({ model, effort, teammates, worktrees, ask });
  tried(() => localStorage.setItem(keptKey(), kept), null); // a browser that keeps nothing
}

/** A goal and tasks under headings of their own. */
const looksLikePlan = (text: string): boolean => /^\s*#\s+\S/.test(text) && /^##\s+\S/m.test(text);
const HAS_SCRIPTS = /^\s*(```|~~~)\s*(sh|bash|python|node)\b/m;
const isPlan = ({ goal, isPlan }: Fields): boolean =>
  looksLikePlan(goal) && (isPlan ?? HAS_SCRIPTS.test(goal));

function Start({ form, lookAgain }: { form: StartForm; lookAgain: () => void }) {
  const [fields, setFields] = useState<Fields>({
    ...{ goal: "", runbook: "", budgetUsd: "", trust: false, ask: false, isPlan: null },
    ...{ model: form.model, effort: form.effort, worktrees: form.worktrees },
    teammates: form.teammates === null ? "" : String(form.teammates),
    ...keptFields(),
  });
  const { send, isSending, refusal } = useStart();
  const change = (part: Partial<Fields>): void => setFields({ ...fields, ...part });
  const { counts } = looksOf(app.model);
  const open = counts.busy + counts.ready + counts.waiting;
  const submit = (): void => {
    const { goal, runbook } = fields;
    keepFields(fields);
    const what = runbook !== "" ? "runbook" : isPlan(fields) ? "plan" : "goal";
    void send(what, runbook || goal, optionsOf(fields, form));
  };
  return (
    <Form class="form" onSend={submit}>
      <h2>What shall the team do?</h2>
      <textarea
        aria-label="Goal"
        rows={5}
        placeholder="Find out why the tests are slow, and make them fast"
        value={fields.goal}
        disabled={fields.runbook !== ""}
        onInput={({ currentTarget }) => change({ goal: currentTarget.value })}
      />
      {fields.runbook === "" && looksLikePlan(fields.goal) && (
        <Check value={isPlan(fields)} onValue={(isPlan) => change({ isPlan })}>
          This is a plan: each ## heading is a task; it is kept as a file here
        </Check>
      )}
      {form.runbooks.length > 0 && (
        <LabelledChoice
          label="Or work through a file of this folder"
          value={fields.runbook}
          options={[
            ["", "no file: the goal above"],
            ...form.runbooks.map(({ file, tasks }) => [file, `${file}: ${counted(tasks, "task")}`] as const),
          ]}
          onValue={(runbook) => change({ runbook })}
        />
      )}
      {form.missing !== "" && fields.model.trim() === "" && fields.runbook === "" && !isPlan(fields) && (
        <div class="missing" role="note">
          <b>A goal needs a model, and none is set up</b>
          <p>{form.missing}</p>
          <p>
            The page takes no key. <code>ekiden</code> in a terminal of this machine asks for one, and keeps
            it where you agree; a variable counts from the next <code>ekiden web</code> on.{" "}
            <code>ekiden doctor</code> says what it finds.
          </p>
          <Button onClick={lookAgain}>Look again</Button>
          <p class="dim">
            {form.runbooks.length > 0
              ? "A file of this folder, chosen above,"
              : "A plan, written above with ## headings and sh blocks,"}{" "}
            works without a model.
          </p>
        </div>
      )}
      <How fields={fields} change={change} found={form.found} />
      <Check value={fields.worktrees} onValue={(worktrees) => change({ worktrees })}>
        Each task works on a branch of its own and lands when it is done
      </Check>
      {form.isEmpty && fields.worktrees && (
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
      <div class="row">
        <button
          type="submit"
          class="primary"
          disabled={isSending || (fields.goal.trim() === "" && fields.runbook === "")}
        >
          {isSending ? "Starting…" : "Start"}
        </button>
        {open > 0 && (
          <Button
            disabled={isSending}
            onClick={() => {
              keepFields(fields);
              void send("resume", "", optionsOf(fields, form));
            }}
          >
            Go on with {open} open {open === 1 ? "task" : "tasks"}
          </Button>
        )}
      </div>
    </Form>
  );
}

type HowProps = { fields: Fields; change: (part: Partial<Fields>) => void; found: string };

function How({ fields, change, found }: HowProps) {
  return (
    <div class="form-grid">
      <TextField
        label="Model"
        placeholder={found || "provider/model"}
        value={fields.model}
        onValue={(model) => change({ model })}
      />
      <LabelledChoice
        label="Effort"
        value={fields.effort}
        options={[["", "the model's default"], ...EFFORTS]}
        onValue={(effort) => change({ effort })}
      />
      <TextField
        label="Teammates"
        placeholder="as needed"
        inputMode="numeric"
        value={fields.teammates}
        onValue={(teammates) => change({ teammates })}
      />
      <TextField
        label="Budget in US dollars"
        placeholder="20"
        inputMode="decimal"
        value={fields.budgetUsd}
        onValue={(budgetUsd) => change({ budgetUsd })}
      />
    </div>
  );
}

/** The fields that differ from the settings; only these are sent. */
function optionsOf(fields: Fields, form: StartForm): StartOptions {
  const { model, effort, teammates, budgetUsd, worktrees, ask, trust } = fields;
  const count = Number(teammates);
  return {
    ...(model.trim() !== form.model && { model: model.trim() }),
    ...(effort !== form.effort && { effort }),
    ...(teammates.trim() !== "" &&
      Number.isInteger(count) &&
      count !== form.teammates && { teammates: count }),
    ...(budgetUsd.trim() !== "" && { budgetUsd: budgetUsd.trim().replace(/^\$/, "") }),
    ...(worktrees !== form.worktrees && { worktrees }),
    ...(worktrees && form.isEmpty && { repository: true }),
    ...(ask && { ask }),
    ...(trust && { trust }),
  };
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
  return { send, isSending, refusal };
}

/** The team works. */
function More() {
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
        onSend={() =>
          send("spawn", "", { teammates: Number(count) || 1, ...(keptFields().ask && { ask: true }) })
        }
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
