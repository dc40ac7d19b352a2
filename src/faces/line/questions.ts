/**
 * Permission questions and what members ask, in a conversation: asked at the prompt, one after the other. The prompt says so for as long as one waits;
 * a line that is no answer goes where it always goes, so that the person can look around, or talk to the lead, before answering.
 */
import type { RequestId } from "../../core/ids.ts";
import type { Request } from "../../ports/index.ts";
import { isCommand } from "../commands/slash/slash.ts";
import { questionText, readPermission } from "../kit/asking.ts";
import type { ReplScreen } from "./screen.ts";

type Give = (id: RequestId, word: string, text: string) => void;

export class PromptQuestions {
  private readonly waiting: Request[] = [];
  private readonly screen: ReplScreen;
  private readonly paint: (text: string) => string;
  private readonly give: Give;

  constructor(screen: ReplScreen, paint: (text: string) => string, give: Give) {
    this.screen = screen;
    this.paint = paint;
    this.give = give;
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

  /** False for a line that is no answer: to what a member asks, every line that is no command is one. */
  private take({ id, ask }: Request, line: string): boolean {
    if (ask.kind === "permission") {
      const answer = readPermission(line, ask);
      if (answer) this.give(id, answer.word, answer.text);
      return answer !== null;
    }
    if (isCommand(line)) return false;
    this.give(id, line, "");
    return true;
  }

  private forget(question: Request): void {
    const at = this.waiting.indexOf(question);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    if (at === 0) this.show();
  }

  private show(): void {
    const [first] = this.waiting;
    this.screen.promptIs(first ? this.paint(`${first.by} [${hintOf(first)}]> `) : "> ");
    if (first) this.screen.write(this.paint(`${questionText(first).trimEnd()}${more(first)}`));
    else this.screen.prompt();
  }
}

const hintOf = ({ ask }: Request): string =>
  ask.kind === "question" ? ask.options.map((_, i) => i + 1).join("/") : "y/n/a";

const more = ({ ask }: Request): string =>
  ask.kind === "question"
    ? "\nType a number or your own words; ctrl-c leaves it for later, /send lead TEXT talks past it."
    : "";
