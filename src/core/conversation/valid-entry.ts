/**
 * Makes valid what a provider would refuse in the next request: half characters, blank texts, and names and ids that are empty, too
 * long, odd or doubled. A refused conversation would be refused for ever, because it is sent again with every turn.
 */
import { wellFormed } from "../text/valid.ts";
import type { AssistantMessage, Entry } from "./chat.ts";

/** The names that all providers accept. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const NAME_MAX = 64;

const named = (text: string, otherwise: string): string =>
  NAME.test(text) ? text : text.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, NAME_MAX) || otherwise;

function deep(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(deep);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [wellFormed(key), deep(one)]));
}

/** JSON writes half characters as escapes, so that most inputs need no copy. */
const validInput = (input: unknown): unknown =>
  /\\ud[89a-f]/i.test(JSON.stringify(input) ?? "") ? deep(input) : input;

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
    case "cut":
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
