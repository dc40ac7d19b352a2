/**
 * The questions that wait for the person: permissions, plans, stops and what members ask, as the store has them, so that questions of other
 * processes are among them and an answer from anywhere settles them.
 */
import type { Event } from "../../core/event.ts";
import { isForPerson, QUESTION_FACTS } from "../../core/picture/questions.ts";
import type { Request, Store } from "../../ports/index.ts";
import { answer as give } from "../../team/actions/answer.ts";
import type { TeamModel } from "./team.ts";

export type Question = {
  readonly request: Request;
  readonly task: string;
  /** When it was first on the screen. */
  readonly since: number;
};

/** A question that has just appeared is not answered by what was typed before the person could see it. */
const SEEN_MS = 500;

export const isSeen = ({ since }: Question, now: number): boolean => now - since >= SEEN_MS;

/** What stands behind the name of the asker. */
export function headOf({ request: { ask, of } }: Question): string {
  switch (ask.kind) {
    case "permission":
      return `wants to run ${ask.tool}`;
    case "plan":
      return `plans #${ask.task}${of === "person" ? "" : ` (asked ${of}; you may answer, too)`}`;
    case "question":
      return "asks you";
    case "shutdown":
      return "asks whether to stop";
    default:
      return ask satisfies never;
  }
}

export type Given = "answered" | "no question" | "just appeared" | "no rule";

export class Questions {
  private waiting: Question[] = [];
  private at = 0;
  private readonly onChange: () => void;

  constructor(onChange: () => void) {
    this.onChange = onChange;
  }

  get current(): Question | null {
    return this.waiting[this.at] ?? null;
  }

  get count(): number {
    return this.waiting.length;
  }

  /** From 1. */
  get position(): number {
    return this.at + 1;
  }

  /** Who asked last, and for what. */
  get newest(): string {
    const last = this.waiting.reduce<Question | null>(
      (newest, one) => (newest && newest.since >= one.since ? newest : one),
      null,
    );
    return last ? `${last.request.by} ${headOf(last)}` : "";
  }

  /** How many of the others the rule of this one covers. */
  get alike(): number {
    const rule = ruleOf(this.current);
    return rule === null ? 0 : this.waiting.filter((one) => ruleOf(one) === rule).length - 1;
  }

  next(): void {
    if (this.waiting.length === 0) return;
    this.at = (this.at + 1) % this.waiting.length;
    this.onChange();
  }

  async take(event: Event, store: Store, team: TeamModel): Promise<void> {
    if (QUESTION_FACTS.has(event.type)) await this.read(store, team);
  }

  async read(store: Store, team: TeamModel): Promise<void> {
    const open = (await store.requests.open()).filter(({ ask, of }) => isForPerson({ kind: ask.kind, of }));
    const current = this.current?.request.id;
    const known = new Map(this.waiting.map((one) => [one.request.id, one]));
    this.waiting = open.map((one) => known.get(one.id) ?? this.made(one, team));
    this.at = Math.max(
      0,
      this.waiting.findIndex(({ request }) => request.id === current),
    );
    this.onChange();
  }

  /** `y`, `all`, `always`, or `no` with the reason. @throws as the store, where it was answered elsewhere at the same time */
  async answer(store: Store, word: string, text: string): Promise<Given> {
    const { current } = this;
    if (!current) return "no question";
    if (!isSeen(current, Date.now())) return "just appeared";
    if (word === "always" && ruleOf(current) === null) return "no rule";
    this.forget(current);
    await give(store, current.request.id, word, text);
    return "answered";
  }

  private forget(question: Question): void {
    this.waiting = this.waiting.filter((one) => one !== question);
    this.at = Math.min(this.at, Math.max(0, this.waiting.length - 1));
    this.onChange();
  }

  private made(request: Request, team: TeamModel): Question {
    const { ask, by } = request;
    const member = team.picture.members.get(by);
    const id = ask.kind === "plan" ? ask.task : (member?.task ?? null);
    const task = id === null ? "" : `#${id} ${team.picture.subject(id)}`;
    return { request, task, since: Date.now() };
  }
}

const ruleOf = (question: Question | null): string | null =>
  question?.request.ask.kind === "permission" ? (question.request.ask.rule ?? null) : null;
