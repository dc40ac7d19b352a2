/** The jobs that come by the clock: mail to the lead, and new tasks. */
import { useState } from "preact/hooks";
import type { StartForm } from "../../wire.ts";
import { app } from "../app.ts";
import { Button, Form, LabelledChoice, Refusal, TextField } from "../parts/fields.tsx";

export function Schedule({ form: { crons }, onChange }: { form: StartForm; onChange: () => void }) {
  const [expression, setExpression] = useState("");
  const [text, setText] = useState("");
  const [what, setWhat] = useState("mail");
  const [refusal, setRefusal] = useState("");
  const add = async (): Promise<void> => {
    const done = await app.send({ do: "cron", expression, text, to: "", task: what === "task" });
    setRefusal(done.ok ? "" : done.text);
    if (!done.ok) return;
    setExpression("");
    setText("");
    onChange();
  };
  const cancel = async (id: number): Promise<void> => {
    if (await app.act({ do: "uncron", id })) onChange();
  };
  return (
    <details class="schedule" open={crons.length > 0}>
      <summary>Scheduled{crons.length > 0 && ` (${crons.length})`}</summary>
      <ul>
        {crons.map(({ id, line }) => (
          <li key={id} class="row">
            <span class="grow">{line}</span>
            <Button class="link" aria-label={`Cancel c${id}`} onClick={() => void cancel(id)}>
              Cancel
            </Button>
          </li>
        ))}
      </ul>
      <Form class="form" onSend={add}>
        <div class="form-grid">
          <TextField
            label="When"
            placeholder="0 9 * * 1-5"
            value={expression}
            required
            onValue={setExpression}
          />
          <LabelledChoice
            label="What"
            value={what}
            options={[
              ["mail", "mail to the lead"],
              ["task", "a new task"],
            ]}
            onValue={setWhat}
          />
          <TextField label="Text" class="wide" value={text} required onValue={setText} />
        </div>
        <Refusal text={refusal} />
        <div class="row">
          <button type="submit">Add</button>
        </div>
      </Form>
    </details>
  );
}
