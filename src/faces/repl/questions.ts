/**
 * Permission questions and what members ask, in a conversation: asked at the prompt, one after the other. The prompt says so for as long as one waits;
 * a line that is no answer goes where it always goes, so that the person can look around, or talk to the lead, before answering.
 */
import { escapes } from "../../core/hidden.ts";
import { type Asked, optionLines } from "../../core/question.ts";
import type { AskAtTerminal } from "../../host/permission-questions.ts";
import { NO, questionText, readAnswer } from "../terminal/asking.ts";
import type { ReplScreen } from "./screen.ts";
import { isCommand } from "./slash.ts";

type Waiting = {
  readonly who: string;
  readonly text: string;
  readonly hint: string;
  /** False for a line that is no answer. */
  readonly take: (line: string) => boolean;
  /** It was answered elsewhere, or put aside. */
  readonly drop: () => void;
};

export class Questions {
  private readonly waiting: Waiting[] = [];
  private readonly screen: ReplScreen;
  private readonly paint: (text: string) => string;

  constructor(screen: ReplScreen, paint: (text: string) => string) {
    this.screen = screen;
    this.paint = paint;
  }

  readonly ask: AskAtTerminal = (question) =>
    new Promise((settle) => {
      const take = (line: string): boolean => {
        const answer = readAnswer(line);
        if (answer) settle(answer);
        return answer !== null;
      };
      const drop = (): void => settle(NO);
      const waiting = { who: question.who, text: questionText(question), hint: "y/n/a", take, drop };
      this.put(waiting);
      question.signal?.addEventListener("abort", () => this.forget(waiting), { once: true });
    });

  /** What a member asks: every line that is no command is the answer, given by `give`. Returns what takes it away. */
  person(who: string, asked: Asked, give: (line: string) => void): () => void {
    const take = (line: string): boolean => {
      if (isCommand(line)) return false;
      give(line);
      return true;
    };
    const numbers = asked.options.map((_, i) => i + 1).join("/");
    const text = `${who} asks you: ${escapes(asked.question)}\n${optionLines(asked).map(escapes).join("\n")}\nType a number or your own words; ctrl-c leaves it for later, /send lead TEXT talks past it.`;
    const waiting = { who, text, hint: numbers, take, drop: () => {} };
    this.put(waiting);
    return () => this.forget(waiting);
  }

  /** True when the line was an answer to a question; an empty one only asks to see it again. */
  answer(line: string): boolean {
    const [first] = this.waiting;
    if (!first) return false;
    if (line.trim() !== "") {
      if (!first.take(line)) return false;
      this.waiting.splice(this.waiting.indexOf(first), 1);
    }
    this.show();
    return true;
  }

  /** A permission is refused, and a question stays open for another terminal. Whether there was one. */
  putAside(): boolean {
    const [first] = this.waiting;
    if (first) this.forget(first);
    return first !== undefined;
  }

  private put(waiting: Waiting): void {
    this.waiting.push(waiting);
    if (this.waiting.length === 1) this.show();
  }

  /** It was answered in another terminal, or nobody wants to know any more. */
  private forget(question: Waiting): void {
    const at = this.waiting.indexOf(question);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    question.drop();
    if (at === 0) this.show();
  }

  private show(): void {
    const [first] = this.waiting;
    this.screen.promptIs(first ? this.paint(`${first.who} [${first.hint}]> `) : "> ");
    if (first) this.screen.write(this.paint(first.text.trimEnd()));
    else this.screen.prompt();
  }
}
