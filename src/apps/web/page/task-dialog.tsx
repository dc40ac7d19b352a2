/** A new task, or a task that is changed. What the server refuses stays in the form, with its sentence. */
import { useEffect, useState } from "preact/hooks";
import type { TaskHistory } from "../../../core/views/board.ts";
import type { TaskFields } from "../wire.ts";
import { app } from "./app.ts";
import { Dialog, openDialog } from "./dialog.tsx";

type Form = {
  subject: string;
  description: string;
  after: string;
  priority: string;
  estimate: string;
  role: string;
  touches: string;
  needsPlan: boolean;
};
const BLANK: Form = {
  subject: "",
  description: "",
  after: "",
  priority: "0",
  estimate: "1",
  role: "",
  touches: "",
  needsPlan: false,
};

export function TaskDialog({ task: id }: { task: number | null }) {
  const [form, setForm] = useState<Form>(() => (id === null ? BLANK : known(id)));
  const [refusal, setRefusal] = useState("");
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
  const change = (part: Partial<Form>): void => setForm({ ...form, ...part });
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const fields = read(form);
    if (typeof fields === "string") return setRefusal(fields);
    const done = await app.source.act(
      app.route.team,
      id === null ? { do: "add", task: fields } : { do: "edit", id, task: changes(id, fields) },
    );
    if (!done.ok) return setRefusal(done.text);
    app.say(done.text, false);
    openDialog("none");
  };
  return (
    <Dialog title={id === null ? "New task" : `Edit #${id}`}>
      <form class="form" onSubmit={(event) => void send(event)}>
        <label>
          Subject
          <input
            value={form.subject}
            maxLength={500}
            required
            autoFocus
            onInput={({ currentTarget }) => change({ subject: currentTarget.value })}
          />
        </label>
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
          <label>
            After
            <input
              value={form.after}
              placeholder="1, 2"
              onInput={({ currentTarget }) => change({ after: currentTarget.value })}
            />
          </label>
          <label>
            Role
            <input value={form.role} onInput={({ currentTarget }) => change({ role: currentTarget.value })} />
          </label>
          <label>
            Priority
            <input
              inputMode="numeric"
              value={form.priority}
              onInput={({ currentTarget }) => change({ priority: currentTarget.value })}
            />
          </label>
          <label>
            Estimate
            <input
              inputMode="decimal"
              value={form.estimate}
              onInput={({ currentTarget }) => change({ estimate: currentTarget.value })}
            />
          </label>
        </div>
        <label>
          Files it edits
          <input
            value={form.touches}
            placeholder="src/parser/**, docs/parser.md"
            onInput={({ currentTarget }) => change({ touches: currentTarget.value })}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={form.needsPlan}
            onChange={({ currentTarget }) => change({ needsPlan: currentTarget.checked })}
          />
          A plan must be approved before anything is changed
        </label>
        {refusal && (
          <p class="bad" role="alert">
            {refusal}
          </p>
        )}
        <div class="row end">
          <button type="submit" class="primary" disabled={!isReady}>
            {id === null ? "Add task" : "Save"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function known(id: number): Form {
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

/** What goes to the server, or what is wrong with it. */
function read({
  subject,
  description,
  after,
  priority,
  estimate,
  role,
  touches,
  needsPlan,
}: Form): TaskFields | string {
  const words = (text: string): string[] => text.split(/[,\s]+/).filter((part) => part !== "");
  const ids = words(after).map((word) => Number(word.replace(/^#/, "")));
  if (ids.some((one) => !Number.isSafeInteger(one) || one < 1))
    return "After: give numbers of tasks, such as 1, 2.";
  const [first, work] = [Number(priority || 0), Number(estimate || 1)];
  if (!Number.isFinite(first) || !Number.isFinite(work)) return "Priority and estimate are numbers.";
  return {
    subject,
    description,
    blockedBy: ids,
    priority: first,
    estimate: work,
    role: role.trim(),
    touches: words(touches),
    needsPlan,
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
