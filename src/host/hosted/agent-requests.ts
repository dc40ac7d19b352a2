/** The words and requests of an agent program during a prompt, in their order, until the member takes them. */
import type { AgentAsk, AgentHost, AgentStep } from "../../adapters/agents/agent.ts";
import type { Text, Thinking, ToolResult } from "../../core/conversation/chat.ts";
import type { Notice } from "../../core/limits/window.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { ReplyOptions } from "../../ports/index.ts";
import { AGENT_STEP, AGENT_TOOLS } from "../../tools/agent-program.ts";
import { callOf, isOfBoard } from "./agent-words.ts";

export type StepEnd = Pick<AgentStep, "output" | "failed">;
type Answer = Pick<ToolResult, "text" | "isError">;
export type Wanted = {
  readonly tool: string;
  readonly input: unknown;
  /** It is one of the board's tools, and the program reads the whole answer. */
  readonly isOfBoard: boolean;
  readonly settle: (answer: Answer) => void;
};

/** Characters of words and thoughts for one reply. */
const SAID_MAX = 400_000;
const TOO_MUCH = "\n[… it said more than can be kept]";

const CUT: Answer = { text: "The work was interrupted.", isError: true };

export class AgentRequests implements AgentHost {
  onDelta: ReplyOptions["onDelta"];
  /** Called with the use of its login's windows. */
  onLimits: (notices: readonly Notice[]) => void = () => {};
  /** Called with each thing that the program says or wants. */
  onLife: () => void = () => {};
  private readonly boardTools: readonly string[];
  private wanted: Wanted[] = [];
  private parts: { type: "text" | "thinking"; text: string }[] = [];
  /** The length of these parts. */
  private length = 0;
  private usd = { told: 0, now: 0 };
  private readonly readers = new Map<number, (text: string) => void>();
  private reads = 0;
  /** The output of steps, until their calls are made: it is in their results only. */
  private readonly printed = new Map<number, StepEnd>();
  private steps = 0;
  /** The prompt is being cancelled: nobody takes what the program still wants. */
  isCut = false;

  constructor(boardTools: readonly string[]) {
    this.boardTools = boardTools;
  }

  get isEmpty(): boolean {
    return this.wanted.length === 0;
  }

  take(): Wanted[] {
    return this.wanted.splice(0);
  }

  /** The texts since the last call, and their cost in US dollars. */
  takeSaid(): { readonly parts: readonly (Text | Thinking)[]; readonly usd: number } {
    const usd = Math.max(0, this.usd.now - this.usd.told);
    this.usd.told = this.usd.now;
    this.length = 0;
    return { parts: this.parts.splice(0), usd };
  }

  /** The texts since the last reply. */
  get words(): string {
    const said = this.parts.filter(({ type }) => type === "text");
    return said.map(({ text }) => text.trim()).join("\n");
  }

  /** The texts of a prompt that failed: they are no reply. */
  takeWords(): string {
    const { words } = this;
    this.length = 0;
    this.parts = [];
    return words;
  }

  /** Nobody will answer what waits. */
  drop(asked: Iterable<Wanted> = []): void {
    this.printed.clear();
    for (const one of [...this.take(), ...asked]) one.settle(CUT);
  }

  /** A session counts its cost from its beginning. */
  anew(): void {
    this.usd = { told: 0, now: 0 };
  }

  /** Takes the content of a file to the program that asked for it. */
  give(nth: number, text: string): void {
    this.readers.get(nth)?.(text);
  }

  /** The end of a step of the program; undefined where nobody knows it any more. */
  endOf(nth: number): StepEnd | undefined {
    return this.printed.get(nth);
  }

  /** A call of one of the board's tools by the program. */
  call(tool: string, input: unknown): Promise<Answer> {
    return this.want(tool, input, true);
  }

  said(type: "text" | "thinking", whole: string): void {
    this.onLife();
    const left = SAID_MAX - this.length;
    if (left < 0) return;
    this.length += whole.length;
    const text = whole.length <= left ? whole : cutEnd(whole, left) + TOO_MUCH;
    const last = this.parts.at(-1);
    if (last?.type === type) last.text += text;
    else this.parts.push({ type, text });
    this.onDelta?.({ type, text });
  }

  did({ output, failed, ...step }: AgentStep): void {
    if ([step.title, step.tool].some((word) => isOfBoard(this.boardTools, word))) return;
    this.steps += 1;
    const nth = this.steps;
    this.printed.set(nth, { output, failed });
    void this.want(AGENT_STEP, { ...step, step: nth }).then(() => this.printed.delete(nth));
  }

  limits(notices: readonly Notice[]): void {
    if (notices.length > 0) this.onLimits(notices);
  }

  cost(usd: number): void {
    if (Number.isFinite(usd)) this.usd.now = Math.max(this.usd.now, usd);
  }

  /** The session has reported a cost. */
  get hasCost(): boolean {
    return this.usd.now > 0;
  }

  async mayDo(ask: AgentAsk): Promise<boolean> {
    // The call itself is judged when it comes.
    const isNamed = [ask.title, ask.tool].some((word) => isOfBoard(this.boardTools, word));
    const isOwn = ask.kind === "other" && ask.paths.length === 0 && isNamed;
    if (isOwn) return true;
    const { tool, input } = callOf(ask);
    return !(await this.want(tool, input)).isError;
  }

  async readFile(path: string, line: number | null, limit: number | null): Promise<string> {
    let content = "";
    this.reads += 1;
    const nth = this.reads;
    this.readers.set(nth, (text) => {
      content = text;
    });
    const { text, isError } = await this.want(AGENT_TOOLS.read, { path, for_agent: nth });
    this.readers.delete(nth);
    if (isError) throw new Error(text);
    if (line === null && limit === null) return content;
    const from = Math.max(0, (line ?? 1) - 1);
    const end = limit === null ? undefined : from + limit;
    return content.split("\n").slice(from, end).join("\n");
  }

  async writeFile(path: string, content: string): Promise<void> {
    const { text, isError } = await this.want(AGENT_TOOLS.write, { path, content });
    if (isError) throw new Error(text);
  }

  private want(tool: string, input: unknown, isOfBoard = false): Promise<Answer> {
    if (this.isCut) return Promise.resolve(CUT);
    return new Promise((settle) => {
      this.wanted.push({ tool, input, isOfBoard, settle });
      this.onLife();
    });
  }
}
