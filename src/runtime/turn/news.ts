/** The news of a conversation: texts since its last reply, which the model has not seen. A summary keeps them. */
import { type Entry, heard } from "../../core/conversation/chat.ts";
import type { Image } from "../../core/conversation/image.ts";
import type { Agent } from "../agent/agent.ts";
import { shortened } from "../wraps/result-size.ts";
import { lengthOf } from "./size.ts";

export type News = { readonly texts: readonly string[]; readonly shortened: boolean };

/** News stays word for word, unless it alone has more than `room` characters. */
export async function newsOf({ conversation, spool, seat }: Agent, room: number): Promise<News> {
  const texts = conversation.news;
  if (lengthOf(texts) <= room) return { texts, shortened: false };
  const each = Math.max(400, Math.floor(room / texts.length));
  return {
    shortened: true,
    texts: await Promise.all(texts.map((text) => shortened(text, each, `${seat.name}-news`, spool))),
  };
}

/** The model has not seen these images yet: they stay, with the last text. */
export const heardAgain = (texts: readonly string[], images: readonly Image[]): Entry[] =>
  texts.map((text, i) => heard(text, i === texts.length - 1 ? images : []));
