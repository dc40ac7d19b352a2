/** Keys and lines that answer the question of the card: letters, arrows, and the rule of an "always" as the person edits it. */
import { type KeyId, matchesKey } from "@earendil-works/pi-tui";
import { messageOf } from "../../../core/errors.ts";
import type { Name, RequestId } from "../../../core/ids.ts";
import type { Store } from "../../../ports/index.ts";
import type { Style } from "../draw/style.ts";
import type { Prompt } from "../editor/prompt.ts";
import type { FullView } from "../tools.ts";
import { isJudged } from "./asked.ts";
import { ChangeView } from "./change-view.ts";
import type { Choice } from "./choices.ts";
import type { CardQuestions } from "./questions.ts";
import { answerIn } from "./typed-answer.ts";

/** A person who types "yes" where "y" is enough has typed the rest within this time. */
const REST_MS = 1_500;
/** The texts of the editor whose rule Tab widens. */
const RULE_LINE = /^(a|always|s|session)(?:\s+([\w.-]+\(.*\)))?$/is;

type Parts = {
  readonly questions: CardQuestions;
  readonly editor: Prompt;
  /** The member that the person looks at. */
  readonly at: () => Name;
  readonly store: () => Store | null;
  readonly note: (text: string) => void;
  readonly style: Style;
  /** Takes the whole screen; null gives it back. */
  readonly view: (view: FullView | null) => void;
  /** Runs a line as if it had been typed. */
  readonly run: (line: string) => void;
};

export class Answering {
  private readonly parts: Parts;
  private rest = { expected: "", taken: "", until: 0 };
  /** The question that could be read when the text of the editor was begun. A text that was begun before it is no answer to it. */
  private begunFor: RequestId | null = null;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Before each key. */
  begins(): void {
    const { questions, editor } = this.parts;
    if (editor.isEmpty) this.begunFor = questions.readable?.id ?? null;
  }

  /** Whether the key was for the card. */
  takes(data: string): boolean {
    const { questions, editor } = this.parts;
    if (this.takesRest(data)) return true;
    if (!questions.current) return false;
    if (matchesKey(data, "tab") && this.widen()) return true;
    if (!editor.isEmpty) return false;
    const { chosen } = questions;
    const move = MOVES.find(([key]) => matchesKey(data, key))?.[1];
    if (move !== undefined && (chosen || move > 0)) questions.move(move);
    else if (chosen && matchesKey(data, "enter")) this.choose(chosen);
    else if (chosen && matchesKey(data, "escape")) questions.unchoose();
    else if (chosen?.rule && matchesKey(data, "right")) questions.widen(1);
    else if (chosen?.rule && matchesKey(data, "left")) questions.widen(-1);
    else if (chosen?.rule && data === "e") editor.setText(`${chosen.word} ${chosen.rule}`);
    else if (data === "y" && questions.mayAnswerByKey) this.yes();
    else if (this.runs(data)) return true;
    else return false;
    return true;
  }

  /** Whether the line was an answer. */
  submit(line: string): boolean {
    const { questions, at, store } = this.parts;
    const request = questions.current?.request;
    const answer = store() ? answerIn(line, request, at()) : null;
    if (!answer || !request) return false;
    const isForIt = this.begunFor === request.id;
    // Such words were for a member.
    if (!isForIt && answer.isOwn) return false;
    if (isForIt) void this.answer(answer.word, answer.text, line);
    else this.putBack(line, "you began this line before the question came: enter again answers with it");
    return true;
  }

  /** All of what is asked about, on the whole screen. Whether there is something of this kind. */
  opensWhole(): boolean {
    const { questions, style, view, editor } = this.parts;
    if (!questions.current || !isJudged(questions.current)) return false;
    const close = (answer: "y" | "n" | null): void => {
      view(null);
      questions.showsChange = answer === "y";
      if (answer === "y") void this.answer("yes", "", "yes");
      else if (answer === "n") editor.setText("no, ");
    };
    view(new ChangeView({ style, questions, close }));
    return true;
  }

  private async answer(word: string, text: string, typed: string): Promise<void> {
    const { questions, note } = this.parts;
    const store = this.parts.store();
    if (!store) return;
    const { current, readable, showsChange } = questions;
    // Nobody agrees to what was not seen.
    if (current && readable && word !== "no" && isJudged(current) && !showsChange) {
      note("y again agrees to what is shown now");
      this.opensWhole();
      return;
    }
    try {
      const given = await questions.answer(store, word, text);
      if (given === "answered") return;
      this.putBack(
        typed,
        given === "no rule"
          ? "no rule would always allow this: answer y or n"
          : "this question has just come: press enter again to answer it",
      );
    } catch (error) {
      // Such as a rule that does not cover what is asked: it is there to be corrected.
      this.putBack(typed, messageOf(error));
    }
  }

  private putBack(line: string, why: string): void {
    const { questions, editor, note } = this.parts;
    if (editor.isEmpty) editor.setText(line);
    this.begunFor = questions.current?.request.id ?? null;
    note(why);
  }

  private choose({ word, rule, opens, runs }: Choice): void {
    if (runs) this.parts.run(runs);
    else if (opens) this.parts.editor.setText(opens);
    else void this.answer(word, rule ?? "", rule ? `${word} ${rule}` : word);
  }

  /** The key of a choice that runs a line. */
  private runs(data: string): boolean {
    const line = this.parts.questions.choices.find(
      ({ key, runs }) => runs !== undefined && key === data,
    )?.runs;
    if (line !== undefined) this.parts.run(line);
    return line !== undefined;
  }

  private yes(): void {
    this.rest = { expected: "es", taken: "", until: Date.now() + REST_MS };
    void this.answer("yes", "", "yes");
  }

  /** Takes the rest of a "yes". The letters of another word are put back. */
  private takesRest(data: string): boolean {
    const { expected, taken, until } = this.rest;
    if (taken === "" && (expected === "" || Date.now() > until)) return false;
    if (expected !== "" && expected.startsWith(data)) {
      this.rest = { expected: expected.slice(data.length), taken: taken + data, until };
      return true;
    }
    this.rest = { expected: "", taken: "", until: 0 };
    if (taken === "") return false;
    if (matchesKey(data, "enter")) return true;
    this.parts.editor.setText(taken);
    return false;
  }

  /** Tab behind `a` or `s`: the next width of the rule, to be edited. */
  private widen(): boolean {
    const { questions, editor } = this.parts;
    const [, word = "", rule] = RULE_LINE.exec(editor.getText()) ?? [];
    const { widths } = questions;
    if (word === "" || widths.length === 0) return false;
    const next = widths[(rule === undefined ? 0 : widths.indexOf(rule)) + 1] ?? widths[0];
    editor.setText(`${/^a/i.test(word) ? "always" : "session"} ${next}`);
    return true;
  }
}

const MOVES: readonly (readonly [key: KeyId, by: number])[] = [
  ["down", 1],
  ["up", -1],
];
