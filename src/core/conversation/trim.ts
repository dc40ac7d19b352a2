/**
 * Shortens a conversation without a model: old results become one line each, old tool steps are left out. Stored entries stay
 * whole. The same messages and the same `Trim` give the same view, so a stored decision is not made again, and the provider's
 * prefix cache breaks only when a decision is added.
 *
 * A call and its result stay or go together; no text that was heard (mail, claims, tasks) is ever left out. Images that came before
 * the last shortened result are.
 */
import { oneLine } from "../text/one-line.ts";
import { cutEnd, cutStart } from "../text/valid.ts";
import { STORED_WITHOUT } from "../tool-names.ts";
import {
  type AssistantMessage,
  type Cleared,
  type Clearing,
  callsOf,
  type Message,
  type ToolCall,
  type ToolResult,
  type Trim,
  textOf,
} from "./chat.ts";
import { IMAGE_CHARACTERS, imageLeftOut } from "./image.ts";
import { escapeTags } from "./tags.ts";

export const WHOLE: Trim = { steps: 0, results: 0, reads: 0 };

/** Results up to this length stay: a line about them would hardly be shorter. */
export const SHORT_RESULT = 300;

const weights = new WeakMap<Message, number>();

/** The characters of a message that a model pays for. */
export function weigh(message: Message): number {
  let size = weights.get(message);
  if (size === undefined) {
    size = 0;
    for (const part of message.content)
      size +=
        part.type === "call"
          ? JSON.stringify(part.input ?? null).length + part.tool.length
          : part.type === "image"
            ? IMAGE_CHARACTERS
            : part.text.length;
    weights.set(message, size);
  }
  return size;
}

export const weighAll = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + weigh(message), 0);

export const countResults = (message: Message): number =>
  message.role === "user" ? message.content.filter((part) => part.type === "result").length : 0;

/** `messages` since the last summary, whole; the result shares every message that did not change. */
export const trimmed = (messages: readonly Message[], trim: Trim): Message[] =>
  withoutSteps(withShortResults(messages, trim), trim.steps);

function withShortResults(
  messages: readonly Message[],
  { results, reads, short = SHORT_RESULT }: Trim,
): Message[] {
  let seen = 0;
  let asked: readonly ToolCall[] = [];
  return messages.map((message) => {
    if (message.role === "assistant") {
      asked = callsOf(message);
      return message;
    }
    if (seen >= Math.max(results, reads)) return message;
    let changed = false;
    const content = message.content.map((part) => {
      if (part.type === "image") {
        changed = true;
        return { type: "text" as const, text: imageLeftOut(part) };
      }
      if (part.type !== "result") return part;
      seen += 1;
      if (part.text.length <= short) return part;
      if (seen > (isLasting(part) ? reads : Math.max(results, reads))) return part;
      changed = true;
      return {
        ...part,
        text: lineFor(
          part.text,
          part.tool,
          asked.find((call) => call.id === part.id),
        ),
      };
    });
    return changed ? { role: "user", content } : message;
  });
}

/** `messages` as if this program shortened the results that the provider clears: for estimates. */
export const withoutCleared = (messages: readonly Message[], { results, all }: Cleared): Message[] =>
  trimmed(messages, { ...WHOLE, results, reads: all ? results : 0 });

/**
 * The order for a provider with `messages`, so that it clears exactly the results that were decided: it counts from the end, so the
 * number grows with each result.
 */
export function clearing(messages: readonly Message[], { results, all }: Cleared): Clearing {
  const answers = messages.flatMap(({ role, content }) => (role === "user" ? content : []));
  const known = answers.filter((part) => part.type === "result");
  const lasting = known.slice(0, results).flatMap((part) => (isLasting(part) ? [part.tool] : []));
  return { keep: known.length - results, except: all ? [] : [...new Set(lasting)].sort() };
}

const isLasting = ({ tool, lasting = STORED_WITHOUT[tool]?.lasting }: ToolResult): boolean =>
  lasting === true;

/** Names the result and how to get it again. */
function lineFor(text: string, tool: string, call: ToolCall | undefined): string {
  const first = cutEnd(oneLine(text), 80);
  return escapeTags(
    `[left out: ${tool}${call ? ` ${subjectOf(call)}` : ""}, ${text.length} characters, began: ${first}]`,
  );
}

/** Drops pairs of a reply with calls and a message with only their results, up to message `end`. */
function withoutSteps(messages: Message[], end: number): Message[] {
  const kept: Message[] = [];
  let dropped: AssistantMessage[] = [];
  const settle = (): void => {
    const before = kept.at(-1);
    if (dropped.length > 0 && before?.role === "user")
      kept[kept.length - 1] = {
        role: "user",
        content: [...before.content, { type: "text", text: account(dropped) }],
      };
    dropped = [];
  };
  for (let i = 0; i < messages.length; i += 1) {
    const message = messages[i];
    const answer = messages[i + 1];
    if (!message) break;
    if (
      i + 1 < end &&
      message.role === "assistant" &&
      answer?.role === "user" &&
      answer.content.every((part) => part.type === "result")
    ) {
      dropped.push(message);
      i += 1;
      continue;
    }
    settle();
    kept.push(message);
  }
  settle();
  return kept;
}

const ACCOUNT_MAX = 3_000;

function account(replies: readonly AssistantMessage[]): string {
  const steps = replies.map((reply) => {
    const said = cutEnd(oneLine(textOf(reply)), 120);
    const calls = callsOf(reply).map((call) => `${call.tool} ${subjectOf(call)}`.trim());
    return [...(said ? [`"${said}"`] : []), ...calls].join(", ");
  });
  let list = steps.join("; ");
  if (list.length > ACCOUNT_MAX) list = `…${cutStart(list, ACCOUNT_MAX)}`;
  return escapeTags(`[${replies.length} of your steps are left out here: ${list}]`);
}

/** The subject of a call, on one line: the first text of its input. */
export function subjectOf({ input }: ToolCall): string {
  if (typeof input !== "object" || input === null) return "";
  const first = Object.values(input).find((value) => typeof value === "string" || typeof value === "number");
  return first === undefined ? "" : cutEnd(oneLine(String(first)), 80);
}
