/**
 * A conversation, independent of any provider: each adapter translates, and nothing else knows a provider's format.
 *
 * *Entries* are stored, one per event (an incoming text, a reply, the result of one call). A model reads *messages*, which
 * `Conversation` folds from entries; it guarantees that no unanswered call reaches a provider.
 */
import type { Instant, MailId } from "../ids.ts";
import type { Shows } from "../views/shown-call.ts";
import type { Image } from "./image.ts";

/** `meta` is the provider's own, such as a signature on a part of a reply, and goes back to it unchanged. */
export type Text = {
  readonly type: "text";
  readonly text: string;
  readonly meta?: unknown;
  /** This program itself says it: but for names, none of its words are of anybody else. */
  readonly ofProgram?: true;
};
/** A thinking block. `meta` is the provider's own (signature, redacted data) and goes back to it unchanged. */
export type Thinking = { readonly type: "thinking"; readonly text: string; readonly meta?: unknown };
export type ToolCall = {
  readonly type: "call";
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** Where its tool has other names for the fields of its input than is usual. */
  readonly shows?: Shows;
  readonly meta?: unknown;
};
export type ToolResult = {
  readonly type: "result";
  readonly id: string;
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
  /** The agent works from it, so it is shortened last. */
  readonly lasting?: true;
};

export type UserMessage = { readonly role: "user"; readonly content: readonly (ToolResult | Text | Image)[] };
export type AssistantMessage = {
  readonly role: "assistant";
  readonly content: readonly (Thinking | Text | ToolCall)[];
  /** Its author. Another model or account gets it without the parts that only its provider can read: thoughts and signatures. */
  readonly by?: Maker;
};
/** A model by its spec, and the account at its provider as a hash of the key. */
export type Maker = { readonly model: string; readonly account: string };
export type Message = UserMessage | AssistantMessage;

/** A tool as a model is told of it. `schema`: JSON Schema of the input, an object. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
};

/**
 * The beginning of a conversation. It stays as it is until the next summary: models bind their thoughts to every byte before them,
 * and providers cache by it. `shared` and `own` are the first texts that the model hears; siblings have the same `shared`.
 */
export type Opening = {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly shared: string;
  readonly own: string;
  readonly told: Told;
};

/** Sections by name, each as the hash of the text that the model has last been told. */
export type Told = Readonly<Record<string, string>>;

/** One row of a transcript. */
export type Entry =
  /** Stored with the first reply of a conversation. */
  | ({ readonly kind: "opened" } & Opening)
  /** Mail, a claim, a reminder: from the harness to the model. `told`: the sections that it brings up to date. */
  | {
      readonly kind: "heard";
      readonly text: string;
      readonly images?: readonly Image[];
      readonly told?: Told;
      /** This program itself says it: but for names, none of its words are of anybody else. */
      readonly ofProgram?: true;
    }
  | Said
  | { readonly kind: "result"; readonly result: ToolResult } //      the answer to one call
  | Summary
  /** The conversation continues after the reply with this call: see `cutAt`. `atRest`: no reply is due. */
  | { readonly kind: "cut"; readonly call: string; readonly text: string; readonly atRest?: true }
  /** From here on, earlier entries are sent shortened. The stored entries do not change. */
  | { readonly kind: "trimmed"; readonly trim: Trim };

/** A reply, stored before its calls run. */
export type Said = {
  readonly kind: "said";
  readonly message: AssistantMessage;
  /** The hash of the request that it answers, with the opening and all messages (`prefixOf`). */
  readonly prefix?: string;
  /** Its thoughts hold only behind exactly that request. */
  readonly binds?: true;
};

/** Replaces everything before it. */
export type Summary = {
  readonly kind: "summary";
  readonly text: string;
  /** Made while no reply was due, so it asks for none. */
  readonly atRest?: true;
  /** The person began the conversation again: nothing was summed up. */
  readonly anew?: true;
  /** The last mail of the person before that. This summary and later ones keep no words of the person up to it. */
  readonly forgets?: MailId;
};

/** An entry with its place in the transcript. */
export type Recorded = { readonly seq: number; readonly at: Instant; readonly entry: Entry };

/** The part of a conversation since its last summary that is sent shortened. Numbers only grow until the next summary. */
export type Trim = {
  /** Tool steps before this message (counted from 0) are left out. */
  readonly steps: number;
  /** This many first results are one line each, except those of tools that read. */
  readonly results: number;
  /** This many first results are one line each, of any tool. */
  readonly reads: number;
  /** Characters up to which a result stays, if not `SHORT_RESULT`. */
  readonly short?: number;
  /** The results that the provider leaves out of messages that are sent whole. Only where nothing is shortened here. */
  readonly cleared?: Cleared | undefined;
};

/** This many first results, `all` of them or those that are not `lasting`. */
export type Cleared = { readonly results: number; readonly all: boolean };

/** The same as a provider is told: so many last results stay, and those of these tools. */
export type Clearing = { readonly keep: number; readonly except: readonly string[] };

export const heard = (text: string, images: readonly Image[] = []): Entry => ({
  kind: "heard",
  text,
  ...(images.length > 0 && { images }),
});

export const callsOf = (message: AssistantMessage): ToolCall[] =>
  message.content.filter((c) => c.type === "call");

/** The texts of the program itself in a message, and the rest of it. */
export function partsOfProgram({ content }: UserMessage): [Text[], (ToolResult | Text | Image)[]] {
  const own: Text[] = [];
  const others: (ToolResult | Text | Image)[] = [];
  for (const part of content)
    if (part.type === "text" && part.ofProgram) own.push(part);
    else others.push(part);
  return [own, others];
}

export const textOf = (message: Message): string =>
  message.content
    .flatMap((c) => (c.type === "text" ? [c.text] : []))
    .join("\n")
    .trim();

export const thoughtsOf = ({ content }: AssistantMessage): string =>
  content.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("\n");

export const INTERRUPTED = "Interrupted: it may or may not have taken effect. Check before you repeat it.";

/** The field in which a call keeps input that was not a JSON object: an object again, because providers accept nothing else. */
export const INVALID_INPUT = "__invalid";

/** The raw text that a model gave instead of a JSON object, or null for valid input. Such a call is answered and never run. */
export function invalidInput(call: ToolCall): string | null {
  const { input } = call;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return JSON.stringify(input) ?? "";
  const raw: unknown = (input as Record<string, unknown>)[INVALID_INPUT];
  return typeof raw === "string" ? raw : null;
}
