/** What fills the context window of a member, by kind. Tokens of a part are its share of the characters: providers report only the sum. */

import type { Name } from "../ids.ts";
import { figure, right, tokens, type View } from "../views/view.ts";
import type { Entry, Message, Opening } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { IMAGE_CHARACTERS } from "./image.ts";

/** `tool`: for results and calls. Shares of all parts add up to 1. */
export type ContextPart = { readonly part: string; readonly share: number };
export type ContextData = {
  readonly name: Name;
  readonly model: string;
  /** Tokens of the last request and its reply, as the provider counted them; null before the first one. */
  readonly tokens: number | null;
  readonly window: number | null;
  /** The largest first. */
  readonly parts: readonly ContextPart[];
};

const opened = ({ system, tools, shared, own }: Opening): (readonly [string, number])[] => [
  ["instructions", system.length],
  [`descriptions of ${tools.length} tools`, JSON.stringify(tools).length],
  ["about the project and the member", shared.length + own.length],
];

const said = (message: Message, summary: string | undefined): (readonly [string, number])[] =>
  message.content.map((part) => {
    if (part.type === "call") return ["its calls", JSON.stringify(part.input ?? null).length];
    if (part.type === "result") return [`results of ${part.tool}`, part.text.length];
    if (part.type === "image") return ["images", IMAGE_CHARACTERS];
    if (part.type === "thinking") return ["its thoughts", part.text.length];
    if (part.text === summary) return ["a summary of what was before", part.text.length];
    return [message.role === "user" ? "mail, tasks and your words" : "its words", part.text.length];
  });

/** `entries`: since the last summary. Of the next request: what was shortened counts as it is sent. */
export function contextParts(entries: readonly Entry[]): ContextPart[] {
  const sums = new Map<string, number>();
  const conversation = new Conversation(entries);
  const { opening } = conversation;
  const summary = entries.find((entry) => entry.kind === "summary")?.text;
  const messages = conversation.messages(null).flatMap((message) => said(message, summary));
  for (const [part, size] of [...(opening ? opened(opening) : []), ...messages])
    sums.set(part, (sums.get(part) ?? 0) + size);
  const whole = [...sums.values()].reduce((sum, size) => sum + size, 0);
  return [...sums]
    .filter(([, size]) => size > 0)
    .map(([part, size]) => ({ part, share: size / whole }))
    .sort((a, b) => b.share - a.share);
}

export function contextViews({ name, model, tokens: used, window, parts }: ContextData): View[] {
  const filled = used !== null && window !== null ? Math.min(1, used / window) : null;
  const of = window === null ? "" : ` of ${figure(window)}`;
  const percent = filled === null ? "" : ` (${Math.round(filled * 100)} %)`;
  const text =
    used === null
      ? "no reply yet"
      : used === 0
        ? "no tokens are counted"
        : `${figure(used)}${of} tokens${percent}`;
  return [
    {
      kind: "figures",
      figures: [
        { label: name, text: model },
        { label: "filled", text, ...(filled !== null && { share: filled }) },
      ],
    },
    {
      kind: "table",
      columns: [{ name: "part", grow: true }, right("share"), right("about")],
      rows: parts.map(({ part, share }) =>
        [
          part,
          share < 0.005 ? "< 1 %" : `${Math.round(share * 100)} %`,
          used === null ? "" : tokens(Math.round(share * used)),
        ].map((cell) => ({ text: cell })),
      ),
      empty: `${name} has heard nothing yet.`,
    },
  ];
}
