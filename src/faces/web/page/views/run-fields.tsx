/** The fields of a start: its goal, plan or file, how the team works, and what is sent of them. */
import type { ComponentChildren } from "preact";
import type { Mode } from "../../../../core/permission/mode.ts";
import { EFFORTS } from "../../../../core/settings/effort.ts";
import { counted } from "../../../../core/views/view.ts";
import type { StartForm, StartOptions } from "../../wire.ts";
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

/** A team continues in the way in which it worked last. */
export function firstFields(form: StartForm): Fields {
  const { model, lead, effort, mode, worktrees, teammates, ask } = form.last ?? form;
  return {
    ...{ goal: "", runbook: "", budgetUsd: "", trust: false, planFirst: false, isPlan: null },
    ...{ model, lead, effort, ask },
    mode: form.changedMode ?? (form.last === null && mode === "default" ? "" : mode),
    branches: worktrees === "auto" ? "" : worktrees ? "yes" : "no",
    teammates: teammates === null ? "" : String(teammates),
  };
}

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

/** What one writes, with how the team works on it as chips below it. */
export function Composer({ fields, change, form, children }: WhatProps & { children: ComponentChildren }) {
  return (
    <div class="composer">
      <textarea
        aria-label="Goal"
        rows={4}
        placeholder="Find out why the tests are slow, and make them fast"
        value={fields.goal}
        disabled={fields.runbook !== ""}
        onInput={({ currentTarget }) => change({ goal: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <div class="chips">
        <Chips fields={fields} change={change} form={form} />
        {children}
      </div>
    </div>
  );
}

/** What depends on the text. */
export function Remarks({ fields, change, form }: WhatProps) {
  const { lacks = "" } = form.programs.find(({ name }) => name === fields.lead) ?? {};
  const isText = fields.runbook === "";
  return (
    <>
      {lacks !== "" && <p role="note">{lacks}</p>}
      {isText && looksLikePlan(fields.goal) && (
        <Check value={isPlan(fields)} onValue={(isPlan) => change({ isPlan })}>
          This is a plan: each ## heading is a task; it is kept as a file here
        </Check>
      )}
      {isText && !isPlan(fields) && (
        <Check value={fields.planFirst} onValue={(planFirst) => change({ planFirst })}>
          Show me the board first: no task starts before I approve it
        </Check>
      )}
    </>
  );
}

/** Works without a model: the blocks are what is run. */
const EXAMPLE = `# Look around in this folder

## Count the files
\`\`\`sh
find . -type f -not -path './.git/*' -not -path './.ekiden/*' -not -path './node_modules/*' | wc -l
\`\`\`

## Find the largest files
After: Count the files
\`\`\`sh
find . -type f -not -path './.git/*' -not -path './.ekiden/*' -not -path './node_modules/*' -exec wc -c {} + | sort -rn | head -n 10
\`\`\`

## Count what is to do
After: Count the files
\`\`\`sh
grep -rIn --exclude-dir=.git --exclude-dir=.ekiden --exclude-dir=node_modules TODO . | head -n 20 || true
\`\`\`
`;

/** What is written needs a model or a program, and nothing names one. */
export const lacksModel = (fields: Fields, { missing }: StartForm): boolean =>
  ![missing === "", fields.model.trim(), fields.lead, fields.runbook, isPlan(fields)].some(Boolean);

/** Says how to get a model. */
export function Missing({ form, change, lookAgain }: Omit<WhatProps, "fields"> & { lookAgain: () => void }) {
  return (
    <div class="missing" role="note">
      <b>A goal needs a model, and none is set up</b>
      <p>{form.missing}</p>
      <p>
        A key cannot be entered on this page. <code>ekiden</code> in a terminal of this machine asks for one,
        and keeps it where you agree; a variable counts from the next <code>ekiden web</code> on.{" "}
        <code>ekiden doctor</code> says what it finds.
      </p>
      <Button onClick={lookAgain}>Look again</Button>
      <p class="dim">
        Try without a key:{" "}
        <Button class="link" onClick={() => change({ goal: EXAMPLE, isPlan: true, runbook: "" })}>
          Take the example plan
        </Button>
        , a file of this folder, or a plan with ## headings and sh blocks.
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

const Branches = ({ fields, change, form }: WhatProps) => (
  <LabelledChoice
    label="Branches"
    value={fields.branches}
    options={[
      ...(form.worktrees === "auto"
        ? [["", form.isolates ? "automatic: one for each task" : "automatic: one folder for all"] as const]
        : []),
      ["yes", "one for each task, landed when it is done"],
      ["no", "one folder for all"],
    ]}
    onValue={(branches) => change({ branches: branches as Fields["branches"] })}
  />
);

function Chips({ fields, change, form }: WhatProps) {
  const mode = modeOf(fields, form);
  const isOther = mode === "plan" || mode === "bypass";
  return (
    <>
      {form.runbooks.length > 0 && (
        <LabelledChoice
          label="File"
          value={fields.runbook}
          options={[
            ["", "none: the text above"],
            ...form.runbooks.map(({ file, tasks }) => [file, `${file}: ${counted(tasks, "task")}`] as const),
          ]}
          onValue={(runbook) => change({ runbook })}
        />
      )}
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
        options={[["", "default"], ...EFFORTS]}
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
        label="Budget $"
        placeholder="20"
        inputMode="decimal"
        value={fields.budgetUsd}
        onValue={(budgetUsd) => change({ budgetUsd })}
      />
      <Branches fields={fields} change={change} form={form} />
      <LabelledChoice
        label="Edits"
        value={mode}
        options={[...EDITS, ...(isOther ? [[mode, OTHER_MODES[mode]] as const] : [])]}
        onValue={(mode) => change({ mode: mode as Mode })}
      />
    </>
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
