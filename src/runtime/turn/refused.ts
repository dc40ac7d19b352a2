/**
 * A conversation that its provider refuses (400) would be refused at every turn, because every turn sends it again. Other forms of it
 * are tried, without its images, and the first that the provider accepts is recorded as a summary. A refusal for another reason (the
 * account, the tools) would meet all forms alike: nothing is sent again. No form is sent that says what was refused. The transcript keeps
 * the original.
 */
import { type Entry, heard, type Message } from "../../core/conversation/chat.ts";
import { Conversation } from "../../core/conversation/conversation.ts";
import { rendered, summaryText } from "../../core/conversation/summary.ts";
import { isEkidenError, messageOf } from "../../core/errors.ts";
import type { Reply } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { heldFacts } from "./pinned.ts";
import { record } from "./record.ts";

/**
 * Another form of the conversation may be accepted: the provider's words say that the conversation or its images are refused, or they name
 * nothing and it can be nothing else, because its beginning was accepted before. Providers refuse images with different statuses, such as
 * 404 or 500.
 */
export function isRefusal(error: unknown, conversation: Conversation): boolean {
  if (!isEkidenError(error, "model_refused")) return false;
  const { hasImages, goesOn } = conversation;
  const { about, status } = error.details;
  if (about === "request") return false;
  if (about === "images") return hasImages;
  if (status !== 400 && status !== 422) return hasImages && about === undefined;
  return about === "conversation" || hasImages || goesOn;
}

type Form = {
  readonly keepsHistory: boolean;
  readonly clean: (text: string) => string;
  readonly told: string;
};

/** Control and private characters, and the marks by which models separate messages. */
const unusual = (text: string): string =>
  text.replace(/[^\P{C}\n\t]/gu, "").replace(/<\|([\w ]{0,40})\|>/g, "<$1>");
const plain = (text: string): string =>
  unusual(text).replace(/[^\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{Zs}\n\t]/gu, "");

const FORMS: readonly Form[] = [
  { keepsHistory: true, clean: unusual, told: "as plain text, with calls and results as lines" },
  { keepsHistory: false, clean: plain, told: "without its earlier part" },
];

export type Refused = {
  readonly agent: Agent;
  readonly spec: string;
  readonly error: unknown;
  /** Characters that the earlier part may have. */
  readonly room: number;
  readonly signal: AbortSignal;
  readonly ask: (messages: readonly Message[]) => Promise<Reply>;
};

/** @throws the first refusal if no form is accepted or says anything else, and other errors of `ask` at once */
export async function withoutRefused({ agent, spec, error, room, signal, ask }: Refused): Promise<Reply> {
  const { conversation, identity, loadout, seat } = agent;
  const { hasImages, news, goesOn, unanswered } = conversation;
  const before = unanswered?.content.filter((part) => part.type === "result" || part === conversation.notes);
  const history: Message[] = [...conversation.whole, { role: "user", content: before ?? [] }];
  const facts = await heldFacts(agent, room);
  let [refused, hadImages] = [news, hasImages];
  for (const { keepsHistory, clean, told: form } of FORMS) {
    const cleaned = news.map(clean);
    const isNew = goesOn || hadImages || cleaned.some((text, i) => text !== refused[i]);
    if (!isNew) continue;
    [refused, hadImages] = [cleaned, false];
    const told = hasImages ? `${form}, and without its images` : form;
    const why = `The provider refused your conversation (${messageOf(error)}), so you see it ${told}. Look again before you rely on a part that is missing.`;
    const notes = keepsHistory ? `${why}\n${rendered(history, identity, room)}` : why;
    const text = clean(summaryText({ identity, notes, last: [], facts, room: 2 * room }));
    const entries: Entry[] = [
      { kind: "summary", text, ...conversation.carried },
      ...cleaned.map((text) => heard(text)),
    ];
    const reply = await ask(new Conversation(entries).messages(loadout.opening)).catch((again: unknown) => {
      if (signal.aborted || !isRefusal(again, conversation)) throw again;
      return null;
    });
    if (!reply) continue;
    const warning = `${spec} refused the conversation of ${seat.name} (${messageOf(error)}). It accepted it ${told}, and ${seat.name} continues.`;
    await record(agent, entries, { facts: [{ type: "warning.raised", who: seat.name, text: warning }] });
    for (const entry of entries) conversation.add(entry);
    return reply;
  }
  throw error;
}
