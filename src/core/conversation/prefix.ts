/**
 * The prefix of a request as a value: a hash over the opening of its conversation and all its messages. It is stored with each reply,
 * so that a test, and anybody who doubts a provider's cache, can see whether a conversation only grew. Each message is hashed once.
 */
import type { Entry, Message, Opening } from "./chat.ts";
import { Conversation } from "./conversation.ts";

/** Two FNV-1a hashes of the UTF-16 units, as 16 hexadecimal digits. It tells texts apart, without any security. */
export function digest(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b) + i;
  }
  return hex(a) + hex(b);
}

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, "0");

const known = new WeakMap<object, string>();

/** The hash of a value that never changes, calculated once for each object. */
export function digestOf(value: object): string {
  let hash = known.get(value);
  if (hash === undefined) {
    hash = digest(JSON.stringify(value));
    known.set(value, hash);
  }
  return hash;
}

/** The hash of a request with this opening and these messages. */
export function prefixOf(
  { system, tools }: Pick<Opening, "system" | "tools">,
  messages: readonly Message[],
): string {
  return digest([digest(system), digestOf(tools), ...messages.map(digestOf)].join());
}

/**
 * The replies whose request cannot be made again from the transcript, or whose request does not begin with the one before: the
 * prefix changed in the middle of a conversation. Each with the place of its entry.
 */
export function prefixBreaks(entries: readonly Entry[]): number[] {
  const conversation = new Conversation();
  const broken: number[] = [];
  let before: readonly Message[] = [];
  for (const [i, entry] of entries.entries()) {
    if (entry.kind === "summary" || entry.kind === "cut" || (entry.kind === "trimmed" && !entry.trim.cleared))
      before = [];
    if (entry.kind === "said" && entry.prefix !== undefined) {
      const { opening } = conversation;
      const messages = conversation.messages();
      const grew = before.every((message, at) => {
        const now = messages[at];
        return now !== undefined && digestOf(now) === digestOf(message);
      });
      if (!opening || !grew || prefixOf(opening, messages) !== entry.prefix) broken.push(i);
      // An empty reply leaves no message: the next text joins the message before.
      if (entry.message.content.length > 0) before = messages;
    }
    conversation.add(entry);
  }
  return broken;
}
