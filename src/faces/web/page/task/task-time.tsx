/** The parts of a task's time, on one click: the facts of the team are read only then. */
import { useState } from "preact/hooks";
import { span } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { useFacts } from "../live/facts.ts";
import { Pair } from "../parts/fields.tsx";
import { timeOfTask } from "../pure/time-of-task.ts";

export function TaskTime({ id }: { id: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Where its time went</summary>
      {isOpen && <Parts id={id} />}
    </details>
  );
}

function Parts({ id }: { id: number }) {
  const { events, isLoading, error } = useFacts();
  if (error) return <p class="bad">{error}</p>;
  if (isLoading) return <p class="dim">Loading</p>;
  const time = timeOfTask(id, events, app.now);
  if (time === null) return <p class="dim">Nobody has begun it.</p>;
  return (
    <dl class="facts">
      {time.parts.map(({ kind, words, ms }) => (
        <Pair key={kind} label={words}>
          {span(ms)}
        </Pair>
      ))}
      <Pair label="in all">
        {span(time.total)}
        {time.tries > 1 && `, in ${time.tries} tries`}
      </Pair>
    </dl>
  );
}
