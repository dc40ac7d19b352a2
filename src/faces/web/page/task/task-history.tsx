/** The facts of a task, and what can be taken back. */
import type { ComponentChildren } from "preact";
import type { Event } from "../../../../core/event.ts";
import { sentence } from "../../../../core/views/sentence.ts";
import { Time } from "../parts/parts.tsx";
import { Output } from "../parts/text.tsx";

export function History({ events, children }: { events: readonly Event[]; children?: ComponentChildren }) {
  return (
    <>
      {children}
      <ol class="history">
        {events.map((event) => {
          const { who, text, tone } = sentence(event);
          // The evidence follows as it was printed.
          const says = event.type === "task.reopened" ? text.replace(/:.*/s, "") : text;
          return (
            <li key={event.seq} class={tone}>
              <Time at={event.at} />
              <span>
                {who && <b>{who} </b>}
                {says}
              </span>
              {event.type === "task.reopened" && <Output text={event.evidence} />}
            </li>
          );
        })}
      </ol>
    </>
  );
}
