/** Reads from a member's conversation in which session its program worked before. */
import { type Message, textOf } from "../../core/conversation/chat.ts";
import { cutStart } from "../../core/text/valid.ts";

/** `isSame`: it worked in this folder last, so the task is probably the same. */
export type Earlier = { readonly session: string | null; readonly isSame: boolean };

const HISTORY_MAX = 20_000;

export function earlierIn(messages: readonly Message[], cwd: string): Earlier {
  const last = messages.findLast(({ role }) => role === "assistant");
  for (const part of [...(last?.content ?? [])].reverse()) {
    const { acp } = ((part as { meta?: unknown }).meta ?? {}) as {
      acp?: { session?: unknown; cwd?: unknown };
    };
    if (typeof acp?.session === "string")
      return acp.cwd === cwd ? { session: acp.session, isSame: true } : { session: null, isSame: false };
  }
  return { session: null, isSame: last !== undefined };
}

/** For a program that cannot continue with a session: the end of the conversation as text. */
export function historyOf(messages: readonly Message[]): string[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const lines = messages
    .slice(1, last + 1)
    .flatMap((message) =>
      message.role === "assistant"
        ? [
            textOf(message),
            ...message.content.flatMap((part) =>
              part.type === "call" ? [`[${part.tool} ${JSON.stringify(part.input).slice(0, 500)}]`] : [],
            ),
          ]
        : message.content.flatMap((part) => (part.type === "image" ? [] : [part.text])),
    );
  const text = lines.filter((line) => line !== "").join("\n");
  return text === ""
    ? []
    : [
        `You have begun already; your session was lost. This is the end of what was said. Check what is done before you repeat it.\n<before>\n${cutStart(text, HISTORY_MAX)}\n</before>`,
      ];
}
