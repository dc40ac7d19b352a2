/**
 * The questions that wait for the person: permissions, plans, stops and what members ask, as the store has them, so that questions of other
 * processes are among them and an answer from anywhere settles them.
 */

import type { Event } from "../../../core/event.ts";
import { LEAD, type Name, type RequestId } from "../../../core/ids.ts";
import { widthsOf } from "../../../core/permission/widths.ts";
import { isForPerson, QUESTION_FACTS } from "../../../core/picture/questions.ts";
import type { Request, Store } from "../../../ports/index.ts";
import { answer as give } from "../../../team/actions/answer.ts";
import type { TeamModel } from "../story/team.ts";
import { headOf } from "./asked.ts";
import { type Choice, choicesOf } from "./choices.ts";
import type { Question } from "./question.ts";

/** A question that has just appeared takes no key: a key of this moment was meant for the screen before. */
export const SEEN_MS = 500;

/** Either way: a clock may be set back. */
export const isSeen = ({ shownAt }: Pick<Question, "shownAt">, now: number): boolean =>
  shownAt !== null && Math.abs(now - shownAt) >= SEEN_MS;

const NO_CHOICE = { of: "", line: null, width: 0 } as const;

export type Given = "answered" | "no question" | "just appeared" | "no rule";

export class CardQuestions {
  private waiting: Question[] = [];
  private at = 0;
  private viewer: Name = LEAD;
  /** The state of the question on the card: the line of the cursor, and the width of the rule. */
  private choice: { readonly of: string; readonly line: number | null; readonly width: number } = NO_CHOICE;
  /** The last frame showed a row of what the question on the card is about. */
  showsChange = false;
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

  /** The asker of the newest question, and its subject. */
  get newest(): string {
    const last = this.waiting.reduce<Question | null>(
      (newest, one) => (newest && newest.request.at >= one.request.at ? newest : one),
      null,
    );
    return last ? `${last.request.by} ${headOf(last)}` : "";
  }

  /** The rule that would allow it, and wider ones. */
  get widths(): readonly string[] {
    const rule = ruleOf(this.current);
    return rule === null ? [] : widthsOf(rule);
  }

  get choices(): readonly Choice[] {
    const { current, widths } = this;
    return current ? choicesOf(current, this.alike, widths[this.chosenHere.width] ?? null) : [];
  }

  /** Under the cursor; null where there is none. */
  get chosen(): Choice | null {
    const { line } = this.chosenHere;
    return line === null ? null : (this.choices[line] ?? null);
  }

  /** "2/3", of the widths of the rule; "" where there is one. */
  get width(): string {
    const { length } = this.widths;
    return length < 2 ? "" : `${this.chosenHere.width + 1}/${length}`;
  }

  /** A frame with the card was drawn. `showsChange`: with a row of what is to be judged. */
  shown(now: number, showsChange: boolean): void {
    const { at, current } = this;
    this.showsChange = showsChange;
    if (current?.shownAt === null) this.waiting = this.waiting.with(at, { ...current, shownAt: now });
  }

  /** On the card, for long enough to be read. */
  get readable(): Request | null {
    const { current } = this;
    return current && isSeen(current, Date.now()) ? current.request : null;
  }

  /** A letter alone is an answer, but not to a question with options. */
  get mayAnswerByKey(): boolean {
    const { readable } = this;
    return readable !== null && readable.ask.kind !== "question";
  }

  /** The cursor; above the first line it goes away. */
  move(by: number): void {
    const { line, width } = this.chosenHere;
    const next = Math.min((line ?? -1) + by, this.choices.length - 1);
    this.choose(next < 0 ? null : next, width);
  }

  unchoose(): void {
    this.choose(null, 0);
  }

  widen(by: number): void {
    const { line, width } = this.chosenHere;
    this.choose(line, Math.max(0, Math.min(this.widths.length - 1, width + by)));
  }

  /** Questions of the member that the person looks at come first. */
  lookAt(viewer: Name): void {
    this.viewer = viewer;
    if (viewer !== LEAD && this.current?.request.by !== viewer) this.show(this.firstOf(viewer) ?? this.at);
    this.onChange();
  }

  /** The number of other questions that the rule of this one covers. */
  get alike(): number {
    const rule = ruleOf(this.current);
    return rule === null ? 0 : this.waiting.filter((one) => ruleOf(one) === rule).length - 1;
  }

  /** Edits that wait, each of which the mode that accepts them answers. */
  get edits(): number {
    const { current, waiting } = this;
    return current && isEdit(current) ? waiting.filter(isEdit).length : 0;
  }

  /** Brings a question onto the card. Whether it waits. */
  goTo(id: RequestId): boolean {
    const at = this.waiting.findIndex(({ request }) => request.id === id);
    if (at >= 0 && at !== this.at) this.show(at);
    this.onChange();
    return at >= 0;
  }

  next(): void {
    if (this.waiting.length === 0) return;
    this.at = (this.at + 1) % this.waiting.length;
    this.showsChange = false;
    this.onChange();
  }

  async take(event: Event, store: Store, team: TeamModel): Promise<void> {
    if (QUESTION_FACTS.has(event.type)) await this.read(store, team);
  }

  async read(store: Store, team: TeamModel): Promise<void> {
    const open = (await store.requests.open()).filter(({ ask, of }) => isForPerson({ kind: ask.kind, of }));
    const current = this.current?.request;
    const known = new Map(this.waiting.map((one) => [one.request.id, one]));
    this.waiting = open.map((one) => known.get(one.id) ?? this.made(one, team));
    const at = this.waiting.findIndex(({ request }) => request.id === current?.id);
    const own = this.waiting.findIndex(
      ({ request }) => request.by === this.viewer && !known.has(request.id) && this.viewer !== LEAD,
    );
    if (own >= 0 && current?.by !== this.viewer) this.show(own);
    else if (at >= 0) this.at = at;
    else this.show(this.firstOf(this.viewer) ?? 0);
    this.onChange();
  }

  /** `y`, `all`, `always`, or `no` with the reason. @throws as the store, where it was answered elsewhere at the same time */
  async answer(store: Store, word: string, text: string): Promise<Given> {
    const { current } = this;
    if (!current) return "no question";
    if (!this.readable) return "just appeared";
    const isRule = word === "always" || word === "session";
    if (isRule && ruleOf(current) === null) return "no rule";
    const rule = isRule && text === "" ? (this.widths[this.chosenHere.width] ?? "") : text;
    const before = this.waiting;
    this.forget(current);
    try {
      await give(store, current.request.id, word, rule);
    } catch (error) {
      // A rule that is no rule: the question still waits.
      if (isRule) [this.waiting, this.at] = [before, Math.max(0, before.indexOf(current))];
      this.onChange();
      throw error;
    }
    return "answered";
  }

  private forget(question: Question): void {
    this.waiting = this.waiting.filter((one) => one !== question);
    this.show(this.firstOf(this.viewer) ?? Math.min(this.at, Math.max(0, this.waiting.length - 1)));
    this.onChange();
  }

  private get chosenHere(): CardQuestions["choice"] {
    return this.choice.of === this.current?.request.id ? this.choice : NO_CHOICE;
  }

  private choose(line: number | null, width: number): void {
    this.choice = { of: this.current?.request.id ?? "", line, width };
    this.onChange();
  }

  private firstOf(who: Name): number | null {
    const at = who === LEAD ? -1 : this.waiting.findIndex(({ request }) => request.by === who);
    return at < 0 ? null : at;
  }

  /** A question that appears on the card by itself must be read before it can be answered. */
  private show(at: number): void {
    this.at = at;
    this.showsChange = false;
    const shown = this.waiting[at];
    if (shown) this.waiting = this.waiting.with(at, { ...shown, shownAt: null });
  }

  private made(request: Request, team: TeamModel): Question {
    const { ask, by } = request;
    const member = team.picture.members.get(by);
    const id = ask.kind === "plan" ? ask.task : (member?.task ?? null);
    const task = id === null ? "" : `#${id} ${team.picture.subject(id)}`;
    return { request, task, shownAt: null };
  }
}

const ruleOf = (question: Question | null): string | null =>
  question?.request.ask.kind === "permission" ? (question.request.ask.rule ?? null) : null;

const isEdit = ({ request: { ask } }: Question): boolean =>
  ask.kind === "permission" && ask.diff !== undefined;
