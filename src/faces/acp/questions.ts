/**
 * Shows what waits for the person as questions of an editor: permissions, and what members ask. An answer that is given elsewhere takes a question
 * back. A question that the person wants to answer in own words is answered by the next prompt.
 */
import type {
  AgentContext,
  CreateElicitationResponse,
  PermissionOption,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { optionLines } from "../../core/board/question.ts";
import { messageOf } from "../../core/errors.ts";
import type { RequestId } from "../../core/ids.ts";
import type { Request, Store } from "../../ports/index.ts";
import { answer } from "../../team/actions/answer.ts";
import { meaning } from "../kit/question-text.ts";

export type Asking = {
  readonly client: Pick<AgentContext, "request">;
  readonly store: () => Store;
  /** The editor shows forms. */
  readonly hasForms: boolean;
  readonly sessionId: string;
  /** Says a sentence in the session. */
  readonly say: (text: string) => void;
};

/** The call that a question is about, as the editor shows it, and in which session. */
export type ShownCall = { readonly toolCall: ToolCallUpdate; readonly sessionId: string };

export class EditorQuestions {
  private readonly asking: Asking;
  private readonly shown = new Map<RequestId, AbortController>();
  /** The question that the next prompt answers. */
  private inWords: RequestId | null = null;
  private cut = new AbortController();

  constructor(asking: Asking) {
    this.asking = asking;
  }

  /** The person writes the answer as the next prompt. */
  get waitsForWords(): boolean {
    return this.inWords !== null;
  }

  /** The prompt was cancelled: permissions are refused, and questions of members stay open. */
  putAside(): void {
    this.cut.abort();
    this.cut = new AbortController();
  }

  /** `sessionId`: where the call is shown. `over`: it was answered elsewhere. Never rejects. */
  async permission(
    { id, ask }: Request,
    { toolCall, sessionId }: ShownCall,
    over: AbortSignal,
  ): Promise<void> {
    if (ask.kind !== "permission") return;
    const { rule, why: reason } = ask;
    const options: PermissionOption[] = [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      ...(rule === undefined
        ? []
        : [
            {
              optionId: "always",
              name: `Always allow ${rule} (${meaning(rule)})`,
              kind: "allow_always" as const,
            },
          ]),
      { optionId: "no", name: "Refuse", kind: "reject_once" },
    ];
    const _meta = { ekiden: { reason } };
    const chosen = await this.choose({ ...toolCall, _meta }, options, sessionId, over).catch(() => null);
    if (over.aborted) return;
    const word = chosen === "yes" || chosen === "always" ? chosen : "no";
    await answer(this.asking.store(), id, word).catch(() => {}); // it was withdrawn, or the store is away
  }

  /** Shows a member's question to the person, once; never rejects. */
  async member({ id, by, ask, state }: Request): Promise<void> {
    if (ask.kind !== "question" || state !== "open" || this.shown.has(id)) return;
    const over = new AbortController();
    this.shown.set(id, over);
    const { store, say } = this.asking;
    const { cut } = this;
    const isVoid = (): boolean => over.signal.aborted || cut.signal.aborted;
    try {
      const given = await this.form(`${by} asks: ${ask.question}`, ask, over.signal);
      if (given !== null) await answer(store(), id, given);
      else if (!isVoid()) {
        this.inWords = id;
        say(
          `\n\n${by} asks: ${ask.question}\n${optionLines(ask).join("\n")}\n\nYour next message is the answer.\n`,
        );
      }
    } catch (error) {
      if (!isVoid()) say(`\n\n${messageOf(error)}\n`);
    } finally {
      // After a cancel it is shown again with the next prompt.
      if (cut.signal.aborted) this.shown.delete(id);
    }
  }

  answered(id: RequestId): void {
    this.shown.get(id)?.abort();
    if (this.inWords === id) this.inWords = null;
  }

  /** Takes a prompt as the answer to the question that waits for it. */
  async take(text: string): Promise<boolean> {
    const id = this.inWords;
    this.inWords = null;
    if (id === null) return false;
    return await answer(this.asking.store(), id, text).then(
      () => true,
      () => false, // it is answered already
    );
  }

  /** Null: not by one of the options. */
  private async form(
    message: string,
    asked: Extract<Request["ask"], { kind: "question" }>,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { client, hasForms, sessionId } = this.asking;
    if (hasForms) {
      const choices = asked.options.map(({ label, description }) => ({
        const: label,
        title: description === "" ? label : `${label}: ${description}`,
      }));
      const own = { type: "string", title: "Or in your own words" } as const;
      const form = {
        type: "object",
        properties: { option: { type: "string", title: "Answer", oneOf: choices }, words: own },
      } as const;
      const options = { cancellationSignal: this.until(signal), stopWaitingOnCancel: true };
      const given: CreateElicitationResponse = await client.request(
        "elicitation/create",
        { mode: "form", sessionId, message, requestedSchema: form },
        options,
      );
      const { words, option } = (given as { content?: Record<string, unknown> }).content ?? {};
      if (given.action !== "accept") return null;
      const text = [words, option].find((one) => typeof one === "string" && one.trim() !== "");
      return typeof text === "string" ? text : null;
    }
    const options: PermissionOption[] = [
      ...asked.options.map(({ label }, i) => ({
        optionId: String(i + 1),
        name: label,
        kind: "allow_once" as const,
      })),
      { optionId: "words", name: "In my own words", kind: "reject_once" },
    ];
    const lines = optionLines(asked).join("\n");
    const content = [{ type: "content" as const, content: { type: "text" as const, text: lines } }];
    const call = {
      toolCallId: `question-${message.length}-${this.shown.size}`,
      title: message,
      kind: "think",
      content,
    } as const;
    const chosen = await this.choose(call, options, sessionId, signal);
    return chosen === null || chosen === "words" ? null : chosen;
  }

  /** The id of the option; null where none was chosen. */
  private async choose(
    toolCall: ToolCallUpdate,
    options: PermissionOption[],
    sessionId: string,
    signal?: AbortSignal,
  ): Promise<string | null> {
    const { client } = this.asking;
    const how = { cancellationSignal: this.until(signal), stopWaitingOnCancel: true };
    const { outcome } = await client.request(
      "session/request_permission",
      { sessionId, toolCall, options },
      how,
    );
    return outcome.outcome === "selected" ? outcome.optionId : null;
  }

  private until(signal?: AbortSignal): AbortSignal {
    return signal ? AbortSignal.any([signal, this.cut.signal]) : this.cut.signal;
  }
}
