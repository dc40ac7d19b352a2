/**
 * The texts of tasks, each stored once. The row of a task holds its present description, and `texts` those before it, numbered from 1. In place
 * of a description a stored fact has its number. A number always names the same text, so the journal and these texts say at any
 * moment what was on the board. Facts of older versions hold the text itself.
 */

import type { TaskFields } from "../../../core/board/task.ts";
import type { Event, Fact } from "../../../core/event.ts";
import type { TaskId } from "../../../core/ids.ts";
import { anyOf, type Op, query, sql, type Tx } from "../sql.ts";

/** The number of a task's first description. */
export const FIRST = 1;

type Numbered<T> = Omit<T, "description"> & { readonly description?: string | number | undefined };
/** A fact as it is stored. */
export type StoredFact =
  | Fact
  | Numbered<Extract<Fact, { type: "task.added" }>>
  | (Omit<Extract<Fact, { type: "task.changed" }>, "now"> & { readonly now: Numbered<TaskFields> });

/** Keeps the present description of a task, which is about to be replaced. @returns the number of the next one */
export function* keepText(tx: Tx, task: TaskId, text: string): Op<number> {
  const [kept] = yield* sql<{ nth: number }>`
    insert into texts (team, task, nth, at, text)
      select ${tx.team}, ${task}, coalesce(max(nth), 0) + 1, ${tx.now}, ${text} from texts where team = ${tx.team} and task = ${task}
    returning nth`;
  return Number(kept?.nth ?? 0) + 1;
}

type Told = { readonly task: TaskId; readonly fields: { description?: string | number } };

/** The fields of the fact that stand for a text stored elsewhere. */
function toldBy(event: Event): Told[] {
  if (event.type !== "task.added" && event.type !== "task.changed") return [];
  const fields = event.type === "task.added" ? event : event.now;
  return typeof (fields?.description as unknown) === "number"
    ? [{ task: event.task, fields: fields as Told["fields"] }]
    : [];
}

/** Puts the texts into facts that were read in the same snapshot. They are changed in place. */
export function* withTexts(tx: Tx, events: Event[]): Op<Event[]> {
  const told = events.flatMap(toldBy);
  if (told.length === 0) return events;
  const ids = anyOf(tx, [...new Set(told.map(({ task }) => task))]);
  const [now = [], before = []] = (yield [
    query`select id, description from tasks where team = ${tx.team} and id ${ids}`,
    query`select task, nth, text from texts where team = ${tx.team} and task ${ids}`,
  ]) as { id: number; description: string; task: number; nth: number; text: string }[][];
  const present = new Map(now.map(({ id, description }) => [Number(id), description]));
  const earlier = new Map(before.map(({ task, nth, text }) => [`${task} ${nth}`, text]));
  for (const { task, fields } of told)
    fields.description = earlier.get(`${task} ${fields.description}`) ?? present.get(task) ?? "";
  return events;
}
