/** The decisions that a person may make about a task. */
import { useState } from "preact/hooks";
import { PERSON } from "../../../../core/ids.ts";
import type { Task } from "../../../../core/picture/task.ts";
import { app } from "../app.ts";
import { openDialog } from "../parts/dialog.tsx";
import { Button, Choice, Form, TextField } from "../parts/fields.tsx";

/** Chooses the member that may claim it, or the person. */
function Hands({ task: { id, owner, assignee, status } }: { task: Task }) {
  const names = [...app.model.members.values()]
    .filter((one) => one.kind === "teammate" && one.phase !== "shutdown")
    .map(({ name }) => name as string);
  const mine = owner === PERSON;
  const options = [...new Set([...names, ...(assignee ? [assignee] : [])])].map(
    (name) => [name, name] as const,
  );
  return (
    <div class="row">
      {(status === "pending" || (status === "in_progress" && !mine)) && options.length > 0 && (
        // biome-ignore lint/a11y/noLabelWithoutControl: the choice is in it
        <label class="check">
          For{" "}
          <Choice
            label="Member that may claim it"
            value={assignee}
            options={[["", "anybody"], ...options]}
            onValue={(who) => void app.act({ do: "assign", id, who })}
          />
        </label>
      )}
      {status === "pending" && (
        <Button onClick={() => void app.act({ do: "take", id })} title="You do it by hand">
          Take it
        </Button>
      )}
      {mine && (
        <>
          <Button onClick={() => void app.act({ do: "complete", id, text: "" })}>Done</Button>
          <Button onClick={() => void app.act({ do: "fail", id, text: "" })}>Failed</Button>
        </>
      )}
    </div>
  );
}

export function Actions({ task }: { task: Task }) {
  const [asks, setAsks] = useState(false);
  const [reason, setReason] = useState("");
  const { id, status } = task;
  const isOver = status === "failed" || status === "cancelled";
  return (
    <div class="actions">
      <div class="row">
        {status !== "completed" && <Button onClick={() => openDialog({ edit: id })}>Edit</Button>}
        {isOver && (
          <Button class="primary" onClick={() => void app.act({ do: "retry", id })}>
            Retry
          </Button>
        )}
        {status === "in_progress" && (
          <Button
            onClick={() => void app.act({ do: "release", id })}
            title="Take it from its owner and put it back on the board"
          >
            Release
          </Button>
        )}
        {!isOver && status !== "completed" && (
          <Button aria-expanded={asks} onClick={() => setAsks(!asks)}>
            Cancel task
          </Button>
        )}
      </div>
      {!isOver && status !== "completed" && <Hands task={task} />}
      {asks && (
        <Form
          class="row"
          onSend={async () => {
            if (await app.act({ do: "cancel", id, reason })) setAsks(false);
          }}
        >
          <TextField aria-label="Reason" placeholder="Why? (optional)" value={reason} onValue={setReason} />
          <button type="submit" class="danger">
            Cancel #{id}
          </button>
        </Form>
      )}
    </div>
  );
}
