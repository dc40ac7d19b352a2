/**
 * Automatic memory: at the end of a stint, and before a summary, one bounded model call picks what is worth keeping. A setting switches it
 * on. It costs tokens, and may fail without harm: the stint is over either way.
 */
import { type AssistantMessage, type Entry, type Message, textOf } from "../../core/conversation/chat.ts";
import { Conversation } from "../../core/conversation/conversation.ts";
import { isEkidenError } from "../../core/errors.ts";
import type { Instant } from "../../core/ids.ts";
import { EXTRACT_SYSTEM, extracted, extractPrompt, type Note } from "../../core/project/memory.ts";
import type { Recorded, Usage } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { record } from "./record.ts";

/** The part of memory that reflection needs. */
export type Memory = {
  index(): Promise<string>;
  remember(note: Note, by: string, at: Instant): Promise<"stored" | "known">;
};

export type Reflection = (agent: Agent, signal: AbortSignal) => Promise<void>;

/** A shorter stint seldom teaches anything. */
const LEAST_REPLIES = 3;
const EXTRACT_TOKENS = 1_000;

/**
 * For one member. It reads the transcript since the last reflection, at first since the end of `conversation` as it is now: a summary
 * shortens the conversation, but not the transcript.
 * @param onCost for budgets: tokens and US dollars of each call.
 */
export function reflection(
  memory: Memory,
  conversation: Conversation,
  onCost: (tokens: number, usd: number) => void = () => {},
): Reflection {
  const before = conversation.lastSaid;
  let seen: number | null = before === null ? 0 : null;
  return async (agent, signal) => {
    const recorded = await since(agent, seen ?? 0);
    const known = seen === null && before !== null ? lastReply(recorded, before) : -1;
    const fresh = recorded.slice(known + 1);
    seen ??= recorded[known]?.seq ?? 0;
    const messages = messagesOf(fresh.map(({ entry }) => entry));
    if (messages.filter(({ role }) => role === "assistant").length < LEAST_REPLIES) return;
    seen = fresh.at(-1)?.seq ?? seen;
    const { seat, clock } = agent;
    const answer = await asked(agent, signal, extractPrompt(messages, await memory.index()), onCost);
    const topics = new Set<string>();
    let refused: Error | null = null;
    for (const note of extracted(answer))
      try {
        if ((await memory.remember(note, seat.name, clock.now())) === "stored") topics.add(note.topic);
      } catch (error) {
        if (!isEkidenError(error, "bad_input")) throw error;
        refused = error; // the others are kept
      }
    if (topics.size > 0)
      await agent.store.journal.note([{ type: "memory.kept", who: seat.name, topics: [...topics] }]);
    if (refused) throw refused;
  };
}

async function since({ store, seat }: Agent, seq: number): Promise<Recorded[]> {
  const all: Recorded[] = [];
  for await (const page of store.transcript.pages(seat.name, seq)) all.push(...page);
  return all;
}

function lastReply(recorded: readonly Recorded[], reply: AssistantMessage): number {
  const wanted = JSON.stringify(reply);
  return recorded.findLastIndex(
    ({ entry }) => entry.kind === "said" && JSON.stringify(entry.message) === wanted,
  );
}

/** All that was said and heard. A summary repeats it, so it is left out, and the replaced entries are kept. */
function messagesOf(entries: readonly Entry[]): Message[] {
  const parts: Conversation[] = [new Conversation()];
  for (const entry of entries)
    if (entry.kind === "summary") parts.push(new Conversation());
    else if (entry.kind !== "trimmed" && entry.kind !== "opened") parts.at(-1)?.add(entry);
  return parts.flatMap((part) => part.messages());
}

/** One question outside the conversation. The member pays. */
async function asked(
  agent: Agent,
  signal: AbortSignal,
  text: string,
  onCost: (tokens: number, usd: number) => void,
): Promise<string> {
  const messages = [{ role: "user", content: [{ type: "text", text }] }] as const;
  const reply = await agent.model.reply(
    { system: EXTRACT_SYSTEM, messages, tools: [], maxOutputTokens: EXTRACT_TOKENS },
    { signal },
  );
  await record(agent, [], { spent: { turns: 0, ...reply.usage, usd: reply.usd } });
  onCost(tokens(reply.usage), reply.usd);
  return textOf(reply.message);
}

const tokens = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;
