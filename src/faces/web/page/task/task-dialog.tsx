/** A new task, or a task that is changed. Fields that the server refuses stay in the form, with its sentence. */
import { useEffect, useState } from "preact/hooks";
import type { TaskHistory } from "../../../../core/views/board.ts";
import type { TaskFields } from "../../wire.ts";
import { app } from "../app.ts";
import { Dialog, openDialog } from "../parts/dialog.tsx";
import { Check, Form, Refusal, TextField } from "../parts/fields.tsx";

const BLANK = {
  subject: "",
  description: "",
  after: "",
  priority: "0",
  estimate: "1",
  role: "",
  touches: "",
  needsPlan: false,
};
type Fields = typeof BLANK;

/** The fields of a form, and what sends them. */
function useTaskForm(id: number | null) {
  const [form, setForm] = useState<Fields>(() => (id === null ? BLANK : known(id)));
  const [refusal, setRefusal] = useState("");
  const [isSending, setSending] = useState(false);
  const [isReady, setReady] = useState(id === null);
  useEffect(() => {
    if (id === null) return;
    // The board has no descriptions: an edit that was sent without it would empty it.
    app.source.get<TaskHistory>(`${app.route.team}/task/${id}`).then(
      ({ task }) => {
        setForm((before) => ({ ...before, description: task.description }));
        setReady(true);
      },
      (error: Error) => setRefusal(error.message),
    );
  }, [id]);
  const change = (part: Partial<Fields>): void => setForm({ ...form, ...part });
  const send = async (): Promise<void> => {
    const fields = read(form);
    if (typeof fields === "string") return setRefusal(fields);
    setSending(true);
    const done = await app.send(
      id === null ? { do: "add", task: fields } : { do: "edit", id, task: changes(id, fields) },
    );
    setSending(false);
    if (!done.ok) return setRefusal(done.text);
    app.say(done.text, false);
    openDialog("none");
  };
  return { form, change, refusal, isSending, isReady, send };
}

export function TaskDialog({ task: id }: { task: number | null }) {
  const { form, change, refusal, isSending, isReady, send } = useTaskForm(id);
  const text = (key: Exclude<keyof Fields, "needsPlan">, label: string, more: object = {}) => (
    <TextField label={label} value={form[key]} onValue={(value) => change({ [key]: value })} {...more} />
  );
  return (
    <Dialog title={id === null ? "New task" : `Edit #${id}`}>
      <Form class="form" onSend={send}>
        {text("subject", "Subject", { maxLength: 500, required: true, autoFocus: true })}
        <label>
          Description
          <textarea
            rows={6}
            value={form.description}
            disabled={!isReady}
            onInput={({ currentTarget }) => change({ description: currentTarget.value })}
          />
        </label>
        <div class="form-grid">
          {text("after", "After", { placeholder: "1, 2" })}
          {text("role", "Role")}
          {text("priority", "Priority", { inputMode: "numeric" })}
          {text("estimate", "Estimate", { inputMode: "decimal" })}
        </div>
        {text("touches", "Files it edits", { placeholder: "src/parser/**, docs/parser.md" })}
        <Check value={form.needsPlan} onValue={(needsPlan) => change({ needsPlan })}>
          A plan must be approved before anything is changed
        </Check>
        <Refusal text={refusal} />
        <div class="row end">
          <button type="submit" class="primary" disabled={!isReady || isSending}>
            {isSending ? "Sending…" : id === null ? "Add task" : "Save"}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}

function known(id: number): Fields {
  const task = app.live.tasks.get(id);
  if (!task) return BLANK;
  return {
    subject: task.subject,
    description: "",
    after: task.blockedBy.join(", "),
    priority: String(task.priority),
    estimate: String(task.estimate),
    role: task.role ?? "",
    touches: task.touches.join(", "),
    needsPlan: task.needsPlan,
  };
}

/** The fields for the server, or a sentence about a fault in them. */
function read({ after, priority, estimate, ...form }: Fields): TaskFields | string {
  const words = (text: string): string[] => text.split(/[,\s]+/).filter((part) => part !== "");
  const ids = words(after).map((word) => Number(word.replace(/^#/, "")));
  if (ids.some((one) => !Number.isSafeInteger(one) || one < 1))
    return "After: give numbers of tasks, such as 1, 2.";
  const [first, work] = [Number(priority || 0), Number(estimate || 1)];
  if (!Number.isFinite(first) || !Number.isFinite(work)) return "Priority and estimate are numbers.";
  return {
    ...form,
    blockedBy: ids,
    priority: first,
    estimate: work,
    role: form.role.trim(),
    touches: words(form.touches),
  };
}

/** Only what is different: edges and role of a started task may not be changed, nor sent. */
function changes(id: number, fields: TaskFields): Partial<TaskFields> {
  const before = read(known(id));
  if (typeof before === "string") return fields;
  const keys = Object.keys(fields) as (keyof TaskFields)[];
  const different = keys.filter(
    (key) => key === "description" || JSON.stringify(fields[key]) !== JSON.stringify(before[key]),
  );
  return Object.fromEntries(different.map((key) => [key, fields[key]]));
}
