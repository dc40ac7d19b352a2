/**
 * The model of a member whose turns are taken by an agent program of another vendor, which this process starts. A request becomes a
 * prompt; the program's requests, and the steps that it took by itself, become calls of the reply; the end of the prompt is the last reply
 * of the stint. So lease, plans, permissions, hooks, landings and mail work for it as for any other.
 */

import type { PromptEnd } from "../../adapters/agents/agent.ts";
import { isNothing, NO_USAGE, sumOf } from "../../adapters/agents/usage.ts";
import { localReply } from "../../adapters/models/local.ts";
import { within } from "../../adapters/within.ts";
import { aboutSpan } from "../../core/board/time-left.ts";
import type { AssistantMessage, ToolResult } from "../../core/conversation/chat.ts";
import { messageOf, toolFailed } from "../../core/errors.ts";
import type { Model, ModelRequest, Reply, ReplyOptions } from "../../ports/index.ts";
import { aboutOf, newsOf } from "../guests/guest-model.ts";
import { AgentRequests, type Wanted } from "./agent-requests.ts";
import { orSilent, said } from "./agent-words.ts";
import { BoardSocket } from "./board-socket.ts";
import { earlierIn, historyOf } from "./earlier.ts";
import { Failures } from "./failures.ts";
import type { HostedOptions, Place, Running } from "./hosted-options.ts";
import { isLimit } from "./login.ts";

/** An end of this process must not wait for longer than a few seconds. */
const CANCEL_MS = 3_000;

export class HostedModel implements Model {
  readonly spec: string;
  /** The program keeps its own conversation: this one is never sent. */
  readonly window = Number.MAX_SAFE_INTEGER;
  private readonly options: HostedOptions;
  private socket: BoardSocket | null = null;
  private running: Running | null = null;
  isStarting = false; // it has not answered yet
  /** The prompt that continues now, resolved when it has ended. */
  private prompting: Promise<void> | null = null;
  private end: PromptEnd | Error | null = null;
  readonly requests: AgentRequests;
  private readonly asked = new Map<string, Wanted>();
  private untold: string[] = []; // texts besides results
  /** Those of the prompt that continues now, as long as nothing was done for it. */
  private sent: string[] = [];
  private told = { before: -1, parts: 0 };
  private usage = NO_USAGE;
  private calls = 0;
  private hasActed = false; // in the prompt that continues now
  private readonly failures = new Failures();
  private lost: string | null = null;
  private isClosed = false;
  private wake: () => void = () => {};

  constructor(options: HostedOptions) {
    this.options = options;
    this.spec = options.spec;
    this.requests = new AgentRequests(options.tools);
    this.requests.onLife = () => this.wake();
  }

  async reply(request: ModelRequest, options: ReplyOptions): Promise<Reply> {
    const { signal } = options;
    this.requests.onDelta = options.onDelta;
    try {
      signal.throwIfAborted();
      const wasCut = this.hear(request);
      if (wasCut) await this.cancel();
      // Its further steps there would belong to no task.
      else if (this.prompting && this.untold.length > 0 && this.isElsewhere(await this.options.place()))
        await this.stop();
      // A prompt that ended meanwhile is answered by another one, where there is something to say.
      if (this.end && this.untold.length > 0) this.end = null;
      for (;;) {
        const fault = await this.faultIn(request, signal);
        if (fault !== null) await this.failed(fault, signal);
        const reply = fault === null ? this.next() : null;
        if (reply) return reply;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      await this.cancel();
      throw signal.reason;
    } finally {
      this.requests.onDelta = undefined;
      this.options.login.left(this);
    }
  }

  /** A round of calls has ended: the program hears the results at once, also where the member rests now. */
  answered(results: readonly ToolResult[]): void {
    for (const result of results) {
      const { id, text, isError } = result;
      const wanted = this.asked.get(id);
      this.asked.delete(id);
      if (!wanted) continue;
      if (!isError) this.failures.worked();
      if (!isError) this.options.login.worked(this);
      const news = wanted.isOfBoard ? this.untold.splice(0) : [];
      wanted.settle({ text: [text, ...news].join("\n\n"), isError });
    }
  }

  /** The program and all that it started have ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.stop();
    this.socket?.close();
  }

  /** Hands results to the program and keeps the rest. Returns whether a call of it was cut short. */
  private hear(request: ModelRequest): boolean {
    const before = request.messages.findLastIndex(({ role }) => role === "assistant");
    const news = newsOf(request);
    const fresh = news.slice(this.told.before === before ? this.told.parts : 0);
    this.told = { before, parts: news.length };
    this.untold.push(...fresh.flatMap((part) => (part.type === "text" ? [part.text] : [])));
    const results = fresh.flatMap((part) => (part.type === "result" ? [part] : []));
    this.answered(results);
    return results.some(({ text, isError }) => isError && text.startsWith("Interrupted by"));
  }

  /** Prompts the program where nothing continues, and waits for something to reply with. Null, or what was wrong. */
  private async faultIn(request: ModelRequest, signal: AbortSignal): Promise<unknown> {
    try {
      if (!this.prompting && !this.end && this.requests.isEmpty) await this.prompt(request, signal);
      await this.something(signal);
    } catch (error) {
      signal.throwIfAborted();
      return error;
    }
    const { end, options, requests, hasActed } = this;
    if (!requests.isEmpty || end instanceof Error) return requests.isEmpty ? end : null;
    if (hasActed) return null;
    const { words } = requests;
    const limit = options.login.heard([words], this);
    const isMute = limit === null && words === "" && options.mustSpeak && this.told.before === -1;
    return isMute ? toolFailed(`${this.spec} ended its turn without a word, and did nothing.`) : limit;
  }

  private async failed(fault: unknown, signal: AbortSignal): Promise<void> {
    if (this.isClosed) throw fault;
    const words = this.requests.takeWords();
    const said = [...(this.hasActed ? [] : [words]), ...messageOf(fault).split("\n")];
    const limit = isLimit(fault) ? fault : this.options.login.heard(said, this);
    this.failures.note();
    const isUnsure = limit?.details.again === true;
    // A session in which it fails at once, again and again, is given up. Of a limit sometimes only the session is stopped.
    const isTired = this.failures.isRepeated && this.running?.isBack === true;
    if (isTired || isUnsure) this.lost = this.running?.program.session ?? null;
    void this.stop(); // forgets the end
    if (!this.hasActed) this.untold.unshift(...this.sent.splice(0));
    if (limit === null) return await this.failures.pause(fault, words, this.options.remedy, signal);
    this.failures.worked(true);
    if (isUnsure) return;
    this.lost = null; // its work continues there
    throw limit;
  }

  private isElsewhere({ cwd, readOnly }: Place): boolean {
    const { running } = this;
    return running !== null && (running.cwd !== cwd || running.readOnly !== readOnly);
  }

  private async prompt(request: ModelRequest, signal: AbortSignal): Promise<void> {
    if (this.isClosed) throw toolFailed("This process does not run the member any more.");
    const { login } = this.options;
    const entry = login.enter(this);
    const place = await this.options.place();
    if (this.isElsewhere(place)) await this.stop();
    const opening = this.running ? [] : await this.begin(request, place, signal);
    const { program } = this.running as unknown as Running;
    if (entry === "try") await login.tryOut(this, program, signal);
    this.sent = this.untold.splice(0);
    const words = [...opening, ...this.sent].join("\n\n") || "Continue.";
    this.end = null;
    this.hasActed = false;
    const done = program
      .prompt(words)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(messageOf(error))))
      .then((end) => {
        if (this.prompting !== done) return;
        this.prompting = null;
        this.end = end;
        this.wake();
      });
    this.prompting = done;
  }

  /** The first texts of a session; none for one that continues. */
  private async begin(request: ModelRequest, place: Place, signal: AbortSignal): Promise<string[]> {
    const { cwd } = place;
    this.socket ??= new BoardSocket(this.options.serve);
    const { server, port: board } = await this.socket.ready;
    const earlier = earlierIn(request.messages, cwd);
    const program = await this.options.start({ ...place, board }, this.requests);
    // A program may never answer: its end is the end of the wait.
    const cut = (): void => void program.close();
    signal.addEventListener("abort", cut);
    this.isStarting = true;
    try {
      signal.throwIfAborted();
      await program.open();
      const session = earlier.session === this.lost ? null : earlier.session;
      const isBack = await program.begin(cwd, server, session);
      this.running = { ...place, program, isBack };
      this.requests.anew();
      if (isBack) return [];
      return [
        ...aboutOf(request),
        this.options.howToWork,
        ...(earlier.isSame ? historyOf(request.messages) : []),
      ];
    } catch (error) {
      await program.close();
      throw error;
    } finally {
      this.isStarting = false;
      signal.removeEventListener("abort", cut);
    }
  }

  /** Resolves when there is something to reply with. @throws EkidenError `tool_failed` when the program is silent for too long */
  private async something(signal: AbortSignal): Promise<void> {
    const { silenceMs } = this.options;
    while (this.requests.isEmpty && !this.end) {
      signal.throwIfAborted();
      const woken = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      const { wake } = this;
      signal.addEventListener("abort", wake);
      const waits = within(silenceMs, woken, "silent");
      const end = await waits.finally(() => signal.removeEventListener("abort", wake));
      if (end !== "silent" || this.asked.size > 0) continue; // else it waits for results
      const words = `${this.spec} has said and done nothing for ${aboutSpan(silenceMs)} (setting agentSilenceMs), so it was ended.`;
      throw toolFailed(words, { details: { late: true } });
    }
    signal.throwIfAborted();
  }

  /** Null: the program is started again. */
  private next(): Reply | null {
    const wanted = this.requests.take();
    if (wanted.length > 0) {
      this.hasActed = true;
      const calls = wanted.map((one) => {
        this.calls += 1;
        const id = `agent-${Date.now()}-${this.calls}`;
        this.asked.set(id, one);
        return { type: "call" as const, id, tool: one.tool, input: one.input };
      });
      return this.replyWith(calls);
    }
    const { end } = this;
    this.end = null;
    if (end && !(end instanceof Error)) {
      this.usage = sumOf(this.usage, end.usage);
      if (this.hasActed) this.failures.worked(true);
      if (this.hasActed)
        this.options.onUsed?.({ tokens: !isNothing(end.usage), money: this.requests.hasCost });
    }
    // Mail that came meanwhile is the next prompt, and the member continues.
    return this.untold.length > 0 ? null : this.replyWith([]);
  }

  private replyWith(calls: AssistantMessage["content"]): Reply {
    const { usage } = this;
    this.usage = NO_USAGE;
    const { parts, usd } = this.requests.takeSaid();
    const at = this.running && { session: this.running.program.session, cwd: this.running.cwd };
    const words = calls.length === 0 && this.hasActed ? orSilent(parts) : parts;
    const content = said([...words, ...calls], at?.session === "" ? null : at);
    return localReply(content, {}, { usd, usage });
  }

  /** The prompt ends, and the program stays. */
  async cancel(): Promise<void> {
    const { prompting, running } = this;
    this.forget();
    if (!prompting || !running) return;
    this.prompting = null;
    this.requests.isCut = true;
    await running.program.cancel();
    if ((await within(CANCEL_MS, prompting, "late")) === "late") await this.stop();
    this.requests.isCut = false;
    this.forget();
  }

  private forget(): void {
    this.requests.drop(this.asked.values());
    this.asked.clear();
    this.end = null;
  }

  async stop(): Promise<void> {
    const { running } = this;
    this.running = null;
    this.prompting = null;
    this.forget();
    await running?.program.close();
  }
}
