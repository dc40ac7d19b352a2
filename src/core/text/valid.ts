/**
 * Makes valid what a provider would refuse in the next request: half characters, blank texts, and names and ids that are empty, too
 * long, odd or doubled. A refused conversation would be refused for ever, because it is sent again with every turn.
 */
import type { AssistantMessage, Entry } from "../conversation/chat.ts";

/** The names that all providers accept. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const NAME_MAX = 64;

const named = (text: string, otherwise: string): string =>
  NAME.test(text) ? text : text.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, NAME_MAX) || otherwise;

/** Half of a surrogate pair is not a character; it becomes U+FFFD. */
const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
export const wellFormed = (text: string): string => text.replace(LONE, "\uFFFD");

function deep(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(deep);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [wellFormed(key), deep(one)]));
}
/** JSON writes half characters as escapes, so that most inputs need no copy. */
const validInput = (input: unknown): unknown =>
  /\\ud[89a-f]/i.test(JSON.stringify(input) ?? "") ? deep(input) : input;

/** The first `max` UTF-16 units of a text, or one less: never half a character. */
export function cutEnd(text: string, max: number): string {
  if (max >= text.length) return text;
  const kept = text.slice(0, Math.max(0, max));
  const last = kept.charCodeAt(kept.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? kept.slice(0, -1) : kept;
}

/** The last `max` UTF-16 units of a text, or one less. */
export function cutStart(text: string, max: number): string {
  if (max >= text.length) return text;
  const kept = text.slice(text.length - Math.max(0, max));
  const first = kept.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? kept.slice(1) : kept;
}

/** A signature holds only for the part as the provider made it: a changed part with it would be refused. */
function unsigned<T extends { readonly meta?: unknown }>({ meta: _, ...part }: T): Omit<T, "meta"> {
  return part;
}

/**
 * `isTaken`: ids of earlier calls of the conversation. The same object where nothing had to change. A blank text stays before a
 * thought: the thought may be bound to it, and an adapter that leaves out the one must know of the other.
 */
export function validReply(
  message: AssistantMessage,
  isTaken: (id: string) => boolean = () => false,
): AssistantMessage {
  const ids = new Set<string>();
  let changed = false;
  const lastThought = message.content.findLastIndex(({ type }) => type === "thinking");
  const content = message.content.flatMap((part, at) => {
    let valid: typeof part;
    if (part.type === "call") {
      const wanted = named(part.id, "call");
      let id = wanted;
      for (let nth = 2; ids.has(id) || isTaken(id); nth += 1) id = `${wanted.slice(0, NAME_MAX - 6)}_${nth}`;
      ids.add(id);
      const [tool, input] = [named(part.tool, "unnamed"), validInput(part.input)];
      const isWhole = tool === part.tool && input === part.input;
      valid = isWhole && id === part.id ? part : { ...(isWhole ? part : unsigned(part)), id, tool, input };
    } else {
      const text = wellFormed(part.text);
      if (part.type === "text" && text.trim() === "" && at > lastThought) {
        changed = true;
        return [];
      }
      valid = text === part.text ? part : { ...unsigned(part), text };
    }
    changed ||= valid !== part;
    return [valid];
  });
  return changed ? { ...message, content } : message;
}

/** Texts of entries. Replies need the ids of their conversation, see `validReply`. */
export function validEntry(entry: Entry): Entry {
  switch (entry.kind) {
    case "heard":
    case "summary": {
      const text = wellFormed(entry.text);
      return text === entry.text ? entry : { ...entry, text };
    }
    case "result": {
      const { result } = entry;
      const text = result.text !== "" && result.text.trim() === "" ? "(no output)" : wellFormed(result.text);
      return text === result.text ? entry : { ...entry, result: { ...result, text } };
    }
    default:
      return entry;
  }
}

/** In quotes, at most 60 characters of it. */
export const quoted = (text: string): string => (text.length > 60 ? `"${cutEnd(text, 57)}…"` : `"${text}"`);

/** Head and tail of a text longer than `max` characters; `where` says how to get the rest. */
export function headAndTail(text: string, max: number, where: string): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 4);
  const head = Math.max(0, max - tail);
  return `${cutEnd(text, head)}\n[… ${text.length - head - tail} characters left out; ${where} …]\n${cutStart(text, tail)}`;
}
