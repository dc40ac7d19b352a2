/**
 * Permission questions in a conversation: asked at the prompt, one after the other. The prompt says so for as long as one waits;
 * a line that is no answer goes where it always goes, so that the person can look around, or talk to the lead, before answering.
 */
import type { AskAtTerminal, TerminalAnswer } from "../host/permission-questions.ts";
import { NO, questionText, readAnswer } from "../terminal/asking.ts";
import type { ReplScreen } from "./screen.ts";

type Waiting = {
  readonly who: string;
  readonly text: string;
  readonly settle: (answer: TerminalAnswer) => void;
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
      const waiting = { who: question.who, text: questionText(question), settle };
      this.waiting.push(waiting);
      if (this.waiting.length === 1) this.show();
      question.signal?.addEventListener("abort", () => this.forget(waiting), { once: true });
    });

  /** True when the line was an answer to a question; an empty one only asks to see it again. */
  answer(line: string): boolean {
    const [first] = this.waiting;
    const answer = readAnswer(line);
    if (!first || answer === null) return false;
    if (line.trim() !== "") {
      this.waiting.shift();
      first.settle(answer);
    }
    this.show();
    return true;
  }

  /** It was answered in another terminal, or nobody wants to know any more. */
  private forget(question: Waiting): void {
    const at = this.waiting.indexOf(question);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    question.settle(NO);
    if (at === 0) this.show();
  }

  private show(): void {
    const [first] = this.waiting;
    this.screen.promptIs(first ? this.paint(`${first.who} [y/n/a]> `) : "> ");
    if (first) this.screen.write(this.paint(first.text.trimEnd()));
    else this.screen.prompt();
  }
}
