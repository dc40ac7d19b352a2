/** The fields of a start: its goal, plan or file, how the team works, and what is sent of them. */
import type { Mode } from "../../../../core/permission/mode.ts";
import { EFFORTS } from "../../../../core/settings/effort.ts";
import { tried } from "../../../../core/tried.ts";
import { counted } from "../../../../core/views/view.ts";
import type { StartForm, StartOptions } from "../../wire.ts";
import { app } from "../app.ts";
import { Button, Check, LabelledChoice, TextField } from "../parts/fields.tsx";

export type Fields = {
  readonly goal: string;
  readonly runbook: string;
  readonly model: string;
  /** An agent program; "": the model. */
  readonly lead: string;
  readonly effort: string;
  readonly teammates: string;
  readonly budgetUsd: string;
  /** "": by itself, as the settings say. */
  readonly branches: "" | "yes" | "no";
  /** "": as they come where tasks work on branches, else they are asked about. */
  readonly mode: Mode | "";
  readonly ask: boolean;
  readonly planFirst: boolean;
  /** The text is a plan: null where nobody has said so or not. */
  readonly isPlan: boolean | null;
  readonly trust: boolean;
};

/** The choices of the last start of a team in this browser: a team goes on in the same way. */
const keptKey = (): string => `ekiden-start-${app.project}-${app.teamName}`;
export const keptFields = (): Partial<Fields> =>
  tried(() => JSON.parse(localStorage.getItem(keptKey()) ?? "{}") as Partial<Fields>, {});
export function keepFields(fields: Fields): void {
  const { model, lead, effort, teammates, branches, mode, ask, planFirst } = fields;
  const kept = JSON.stringify({ model, lead, effort, teammates, branches, mode, ask, planFirst });
  tried(() => localStorage.setItem(keptKey(), kept), null); // a browser that keeps nothing
}

export const firstFields = (form: StartForm): Fields => ({
  ...{ goal: "", runbook: "", budgetUsd: "", trust: false, ask: false, planFirst: false, isPlan: null },
  ...{
    model: form.model,
    lead: form.lead,
    effort: form.effort,
    mode: form.mode === "default" ? "" : form.mode,
  },
  branches: form.worktrees === "auto" ? "" : form.worktrees ? "yes" : "no",
  teammates: form.teammates === null ? "" : String(form.teammates),
  ...keptFields(),
  ...(form.changedMode !== null && { mode: form.changedMode }),
});

const onBranches = ({ branches, teammates, runbook }: Fields, { isolates }: StartForm): boolean =>
  branches === "yes" || (branches === "" && isolates && runbook === "" && Number(teammates || 2) > 1);

const modeOf = (fields: Fields, form: StartForm): Mode =>
  fields.mode || (onBranches(fields, form) ? "accept-edits" : "default");

/** A goal and tasks under headings of their own. */
const looksLikePlan = (text: string): boolean => /^\s*#\s+\S/.test(text) && /^##\s+\S/m.test(text);
const HAS_SCRIPTS = /^\s*(```|~~~)\s*(sh|bash|python|node)\b/m;
export const isPlan = ({ goal, isPlan }: Fields): boolean =>
  looksLikePlan(goal) && (isPlan ?? HAS_SCRIPTS.test(goal));

type WhatProps = {
  readonly fields: Fields;
  readonly change: (part: Partial<Fields>) => void;
  readonly form: StartForm;
};

/** A goal, a plan or a file of the folder. */
export function What({ fields, change, form }: WhatProps) {
  return (
    <>
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
      {fields.runbook === "" && !isPlan(fields) && (
        <Check value={fields.planFirst} onValue={(planFirst) => change({ planFirst })}>
          Show me the board first: nothing of it begins before I have approved it
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
    </>
  );
}

/** What is written needs a model or a program, and nothing names one. */
export const lacksModel = (fields: Fields, { missing }: StartForm): boolean =>
  ![missing === "", fields.model.trim(), fields.lead, fields.runbook, isPlan(fields)].some(Boolean);

/** Says how to get a model. */
export function Missing({ form, lookAgain }: { form: StartForm; lookAgain: () => void }) {
  return (
    <div class="missing" role="note">
      <b>A goal needs a model, and none is set up</b>
      <p>{form.missing}</p>
      <p>
        The page takes no key. <code>ekiden</code> in a terminal of this machine asks for one, and keeps it
        where you agree; a variable counts from the next <code>ekiden web</code> on.{" "}
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
  );
}

function LedBy({ fields, change, form: { programs, found, model } }: WhatProps) {
  if (programs.length === 0) return null;
  const spec = (model || found).replace(/^agent:/, "");
  const options = programs.map(({ name, title, lacks }): [string, string] => [
    name,
    `${title}: ${lacks === "" ? "ready" : "not ready"}`,
  ]);
  return (
    <LabelledChoice
      label="Led by"
      value={fields.lead}
      options={[["", spec === "" ? "a model, named beside" : `the model: ${spec}`], ...options]}
      onValue={(lead) => change({ lead })}
    />
  );
}

const EDITS = [
  ["accept-edits", "as they come"],
  ["default", "ask me"],
] as const;
const OTHER_MODES = { plan: "none: only look", bypass: "as they come, and every command" } as const;

export function How(props: WhatProps) {
  const { lead } = props.fields;
  const { lacks = "" } = props.form.programs.find(({ name }) => name === lead) ?? {};
  return (
    <>
      <Choices {...props} />
      {lacks !== "" && <p role="note">{lacks}</p>}
    </>
  );
}

function Choices({ fields, change, form }: WhatProps) {
  const mode = modeOf(fields, form);
  const isOther = mode === "plan" || mode === "bypass";
  return (
    <div class="form-grid">
      <LedBy fields={fields} change={change} form={form} />
      <TextField
        label="Model"
        placeholder={form.found || "provider/model"}
        offered={form.offered}
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
      <LabelledChoice
        label="Branches"
        value={fields.branches}
        options={[
          ...(form.worktrees === "auto"
            ? [
                [
                  "",
                  form.isolates ? "by itself: one for each task" : "by itself: one folder for all",
                ] as const,
              ]
            : []),
          ["yes", "one for each task, landed when it is done"],
          ["no", "one folder for all"],
        ]}
        onValue={(branches) => change({ branches: branches as Fields["branches"] })}
      />
      <LabelledChoice
        label="Edits"
        value={mode}
        options={[...EDITS, ...(isOther ? [[mode, OTHER_MODES[mode]] as const] : [])]}
        onValue={(mode) => change({ mode: mode as Mode })}
      />
    </div>
  );
}

/** The fields that differ from the settings; only these are sent. */
export function optionsOf(fields: Fields, form: StartForm): StartOptions {
  const { model, lead, effort, teammates, budgetUsd, branches, ask, trust } = fields;
  const mode = modeOf(fields, form);
  const worktrees = branches === "" ? form.worktrees : branches === "yes";
  const count = Number(teammates);
  return {
    ...(model.trim() !== form.model && { model: model.trim() }),
    ...(lead !== form.lead && { lead }),
    ...(effort !== form.effort && { effort }),
    ...(teammates.trim() !== "" &&
      Number.isInteger(count) &&
      count !== form.teammates && { teammates: count }),
    ...(budgetUsd.trim() !== "" && { budgetUsd: budgetUsd.trim().replace(/^\$/, "") }),
    ...(worktrees !== "auto" && worktrees !== form.worktrees && { worktrees }),
    ...(worktrees === true && form.isEmpty && { repository: true }),
    ...(mode !== form.mode && { mode }),
    ...(ask && { ask }),
    ...(fields.planFirst && { planFirst: true }),
    ...(trust && { trust }),
  };
}
