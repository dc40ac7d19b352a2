/**
 * The questions of a list in the order in which they came. One that was answered, by anybody, stays where it is for a moment, so that no
 * other question comes under the pointer of a person who is about to answer.
 */
import { useEffect, useRef } from "preact/hooks";
import type { Event } from "../../../../core/event.ts";
import { PERSON } from "../../../../core/ids.ts";
import type { Question } from "../../wire.ts";
import { app } from "../app.ts";

const STAYS_MS = 3_000;
/** So long a refusal can be taken back: it is sent then. */
const HELD_MS = 5_000;

const heard = new Map<string, string>();
const mine = new Set<string>();
/** Refusals that are not sent yet. */
const held = new Map<string, { readonly timer: ReturnType<typeof setTimeout>; readonly send: () => void }>();

/** Keeps who answered. */
export function hearAnswers(events: readonly Event[]): void {
  for (const event of events) {
    if (event.type === "request.withdrawn") heard.set(event.request, "Withdrawn: nobody need answer it");
    else if ("request" in event && event.request !== undefined && event.type.endsWith(".answered"))
      heard.set(event.request, wordsOf(event));
  }
}

function wordsOf(event: Event): string {
  const by = "by" in event ? event.by : "";
  const id = "request" in event ? `${event.request}` : "";
  const who = by === PERSON ? (mine.has(id) ? " by you" : " by another person") : by ? ` by ${by}` : "";
  const isYes = "allowed" in event ? event.allowed : "approved" in event ? event.approved : true;
  return `${event.type === "question.answered" ? "Answered" : isYes ? "Allowed" : "Refused"}${who}`;
}

export const isHeld = (id: string): boolean => held.has(id);

export function takeBack(id: string): void {
  clearTimeout(held.get(id)?.timer);
  held.delete(id);
  app.draw();
}

/** True when it was done. A refusal is held for a moment, and is done at once if the page is left. */
export async function answer(question: Question, word: string, text = ""): Promise<boolean> {
  const { id } = question;
  mine.add(id);
  const send = (): Promise<boolean> => app.act({ do: "answer", request: id, answer: word, text });
  if (word !== "no") return await send();
  const now = (): void => {
    takeBack(id);
    void send();
  };
  held.set(id, { timer: setTimeout(now, HELD_MS), send: now });
  app.draw();
  return true;
}
globalThis.addEventListener?.("pagehide", () => {
  for (const { send } of [...held.values()]) send();
});

export type Settled = {
  readonly question: Question;
  /** Who answered it, and how; null while it is open. */
  readonly answered: string | null;
};
type Kept = { question: Question; goneAt: number | null };

/** `leave`: the pointer has left the list. */
export function useSettled(questions: readonly Question[]): {
  readonly shown: readonly Settled[];
  readonly leave: () => void;
} {
  const kept = useRef<{ team: string; list: Kept[] }>({ team: "", list: [] });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (kept.current.team !== app.route.team) kept.current = { team: app.route.team, list: [] };
  const now = Date.now();
  const open = new Map(questions.map((one) => [one.id, one]));
  const list = kept.current.list.flatMap((one): Kept[] => {
    const question = open.get(one.question.id);
    open.delete(one.question.id);
    if (question) return [{ question, goneAt: null }];
    const goneAt = one.goneAt ?? now;
    return now - goneAt < STAYS_MS ? [{ question: one.question, goneAt }] : [];
  });
  kept.current.list = [...list, ...[...open.values()].map((question) => ({ question, goneAt: null }))];
  const isAnyGone = kept.current.list.some(({ goneAt }) => goneAt !== null);
  useEffect(() => {
    if (isAnyGone) timer.current = setTimeout(() => app.draw(), STAYS_MS / 10);
    return () => clearTimeout(timer.current);
  });
  return {
    shown: kept.current.list.map(({ question, goneAt }) => ({
      question,
      answered:
        goneAt !== null
          ? (heard.get(question.id) ?? "Answered")
          : isHeld(question.id)
            ? "Refused by you"
            : null,
    })),
    leave: () => {
      kept.current.list = kept.current.list.filter(({ goneAt }) => goneAt === null);
      app.draw();
    },
  };
}
