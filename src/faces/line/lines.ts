/**
 * The display without a full screen: news, questions and answers as lines, on a terminal and in a pipe. Where the person types, a question
 * waits at the prompt; elsewhere it is printed with the command line that answers it.
 */
import { textIn } from "../../adapters/small-files.ts";
import type { Event } from "../../core/event.ts";
import { LEAD, PERSON } from "../../core/ids.ts";
import { sentence } from "../../core/views/sentence.ts";
import type { TeamHost } from "../../host/team-host.ts";
import type { Request } from "../../ports/index.ts";
import { WaitingQuestions } from "../../team/queries/requests.ts";
import { againLine } from "../kit/again-line.ts";
import type { Invocation } from "../kit/invocation.ts";
import { News, toPerson } from "../kit/news.ts";
import { newsLines, type Overflow, overflow } from "../kit/print.ts";
import { questionText } from "../kit/question-text.ts";
import { clean, type Terminal } from "../kit/terminal.ts";
import { Output } from "./output.ts";
import type { Keys, Prompt } from "./prompt.ts";

/** The place of lines, and what is done with keys there; null where nobody types. */
export type At = { readonly out: Terminal; readonly stream: NodeJS.WriteStream; readonly keys: Keys };

/** Where a process in the background touches the settings of its terminal, the kernel stops it. */
function holdsTerminal(): boolean {
  // After the name in parentheses: state, parent, group, session, terminal, the terminal's foreground group.
  const [, , group, , , foreground] = textIn("/proc/self/stat")
    .replace(/^.*\) /s, "")
    .split(" ");
  return process.stdin.isTTY === true && group === foreground;
}

export class Lines {
  readonly output: Output;
  /** Whether the person answers here. */
  readonly asks: boolean;
  prompt: Prompt | null = null;
  private readonly call: Invocation;
  private readonly at: At;
  private readonly news = new News();
  private host: TeamHost | null = null;
  private questions: WaitingQuestions | null = null;

  constructor(call: Invocation, at: At) {
    this.call = call;
    this.at = at;
    this.output = new Output(at.out);
    this.asks = at.out.isTTY && !call.json && holdsTerminal();
  }

  /** The team has started. */
  async open(host: TeamHost): Promise<void> {
    const { call, output, at } = this;
    this.host = host;
    if (this.asks) {
      // A pipe needs none of it.
      const { Prompt } = await import("./prompt.ts");
      this.prompt = new Prompt({ call, host, output }, at.stream, at.keys);
    }
    const put = this.prompt?.questions.put ?? ((request: Request) => this.print(request));
    this.questions = new WaitingQuestions(host.store, put);
    await this.questions.read();
  }

  async take(events: readonly Event[]): Promise<void> {
    await this.questions?.take(events);
    for (const event of events) await this.tell(event);
  }

  /** For the person, whatever else is shown. */
  say(text: string): void {
    if (this.call.json) this.call.err.write(`${clean(text)}\n`);
    else this.output.write(clean(text));
  }

  stop(): void {
    this.prompt?.close();
    this.prompt = null;
  }

  private async tell(event: Event): Promise<void> {
    const { call, host, prompt } = this;
    if (!host) return;
    const letter = await toPerson(event, host.store);
    if (letter !== null && event.type === "mail.sent") {
      if (prompt) return this.line(event, letter, "goes on");
      const line = againLine(call, host.store.team, `send ${event.from} "…"`);
      return this.say(`${event.from} ${letter}\n  To answer: ${line}`);
    }
    if (call.json || call.quiet) return;
    if (event.type === "permission.asked" && prompt && event.of === PERSON) return;
    const said = this.news.of(event);
    if (!said) return;
    // Whom the person talks to here answers in full.
    const isWhole = prompt !== null && event.type === "turn.taken" && event.who === LEAD;
    this.line(event, said.text, isWhole ? "goes on" : overflow(said.tone));
  }

  private line(event: Event, text: string, tooLong: Overflow): void {
    const { out } = this.output;
    this.output.write(newsLines(out, event.at, { ...sentence(event), text }, tooLong).join("\n"));
  }

  private print(request: Request): void {
    const { id, ask } = request;
    // A permission is in the journal, with its request.
    if (ask.kind !== "question" || !this.host) return;
    const numbers = ask.options.map((_, i) => i + 1).join("|");
    const line = againLine(this.call, this.host.store.team, `answer ${id} ${numbers}`);
    this.say(`${questionText(request)}  To answer: ${line}, or your own words in place of the number`);
  }
}

/** Of `ekiden run`, where they are beside its result. */
export const linesOfRun = (call: Invocation): Lines =>
  new Lines(call, {
    ...{ out: call.err, stream: process.stderr },
    keys: {
      later: "ctrl-d",
      // To the whole process group, as the terminal itself would send it.
      interrupt: () => process.kill(0, "SIGINT"),
      quit: () => process.kill(0, "SIGINT"),
      end: (prompt) => prompt.questions.putAside() || true,
    },
  });
