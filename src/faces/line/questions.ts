/**
 * Permission questions and what members ask, at a prompt: one after the other. The prompt says so for as long as one waits;
 * a line that is no answer goes where it always goes, so that the person can look around, or talk to the lead, before answering.
 */
import { readAnswer } from "../../core/board/answer.ts";
import type { RequestId } from "../../core/ids.ts";
import type { Request } from "../../ports/index.ts";
import { isCommand } from "../commands/slash/slash.ts";
import { questionText } from "../kit/question-text.ts";
import type { Output } from "./output.ts";

type Give = (id: RequestId, word: string, text: string) => void;

export class PromptQuestions {
  private readonly waiting: Request[] = [];
  private readonly output: Output;
  private readonly give: Give;
  private readonly later: string;

  /** `later`: the key that leaves a question for later. */
  constructor(output: Output, give: Give, later: string) {
    this.output = output;
    this.give = give;
    this.later = later;
  }

  /** Until `over` aborts: then it was answered elsewhere, or nobody wants to know any more. */
  readonly put = (request: Request, over: AbortSignal): void => {
    this.waiting.push(request);
    over.addEventListener("abort", () => this.forget(request), { once: true });
    if (this.waiting.length === 1) this.show();
  };

  /** True when the line was an answer to a question; an empty one only asks to see it again. */
  answer(line: string): boolean {
    const [first] = this.waiting;
    if (!first) return false;
    if (line.trim() !== "") {
      if (!this.take(first, line)) return false;
      this.waiting.splice(this.waiting.indexOf(first), 1);
    }
    this.show();
    return true;
  }

  /** A permission is refused, and a question stays open for another terminal. Whether there was one. */
  putAside(): boolean {
    const [first] = this.waiting;
    if (!first) return false;
    this.forget(first);
    if (first.ask.kind === "permission") this.give(first.id, "no", "");
    return true;
  }

  /** The first one, or the prompt without a question. */
  show(): void {
    const [first] = this.waiting;
    const paint = (text: string): string => this.output.out.paint("warn", text);
    this.output.promptIs(first ? paint(`${first.by} [${hintOf(first)}]> `) : "> ");
    if (first) this.output.write(paint(`${questionText(first).trimEnd()}${this.more(first)}`));
    else this.output.prompt();
  }

  /** False for a line that is no answer: to what a member asks, every line that is no command is one. */
  private take({ id, ask }: Request, line: string): boolean {
    if (ask.kind === "permission") {
      const answer = readAnswer(line, ask.rule !== undefined);
      if (answer) this.give(id, answer.word, answer.text);
      return answer !== null;
    }
    if (isCommand(line)) return false;
    this.give(id, line, "");
    return true;
  }

  private more({ ask }: Request): string {
    return ask.kind === "question"
      ? `\nType a number or your own words; ${this.later} leaves it for later, /send lead TEXT talks past it.`
      : "";
  }

  private forget(question: Request): void {
    const at = this.waiting.indexOf(question);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    if (at === 0) this.show();
  }
}

const hintOf = ({ ask }: Request): string =>
  ask.kind === "question" ? ask.options.map((_, i) => i + 1).join("/") : "y/n/a";
