/** A whole reply in JSON as the events of the same reply, for every protocol, or its error. Loaded only where a provider sends one. */
import { errorOf, isError, type Json } from "./answered-status.ts";
import { StreamBroken } from "./stream.ts";

/** @throws Error for an answer that is an error, or no reply */
export function eventsOf(text: string): string {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    throw new StreamBroken("the provider answered with JSON that cannot be read", error);
  }
  const events = (Array.isArray(answer) ? (answer as Json[]) : [answer as Json]).flatMap((one) => {
    if (isError(one)) throw errorOf(one, text);
    const made = SHAPES.find(([has]) => one?.[has] !== undefined)?.[1](one);
    if (!made) throw new StreamBroken(`the provider answered with JSON that is no reply: ${text}`);
    return made;
  });
  return events
    .map((event) => `event: ${event.type ?? "message"}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

/** The events of a whole reply, by the field that only its protocol has. */
const SHAPES: readonly (readonly [field: string, events: (reply: Json) => readonly Json[]])[] = [
  ["choices", (reply) => [ofCompletion(reply)]],
  ["candidates", (reply) => [reply]],
  ["output", ofResponse],
  ["content", ofMessage],
];

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const textsOf = (value: unknown): unknown =>
  Array.isArray(value)
    ? listOf(value)
        .map(({ text = "" }) => text)
        .join("")
    : value;

/** Chat completions. A piece of a stream stays as it is. */
function ofCompletion(reply: Json): Json {
  const choices = listOf(reply.choices).map(({ message, ...choice }) => {
    if (typeof message !== "object" || message === null) return choice;
    const { content, tool_calls: calls, ...more } = message as Json;
    const called = listOf(calls).map((call, index) => ({ ...call, index }));
    return {
      ...choice,
      delta: {
        ...more,
        role: "assistant",
        content: textsOf(content),
        ...(called.length > 0 && { tool_calls: called }),
      },
      finish_reason: choice.finish_reason ?? (called.length > 0 ? "tool_calls" : "stop"),
    };
  });
  return { ...reply, choices };
}

/** OpenAI's Responses. */
function ofResponse(response: Json): readonly Json[] {
  const items = listOf(response.output).flatMap((given, output_index): Json[] => {
    const id = given.id ?? `item_${output_index}`;
    const item = { status: "completed", ...given, id };
    const summary = listOf(given.summary).flatMap(({ text: delta = "" }, summary_index) => {
      const of = { item_id: id, summary_index };
      const part = "response.reasoning_summary_part";
      return [
        { type: `${part}.added`, ...of },
        { type: "response.reasoning_summary_text.delta", ...of, delta },
        { type: `${part}.done`, ...of },
      ];
    });
    const content = listOf(given.type === "message" ? given.content : []).flatMap((part) => [
      part.type === "refusal"
        ? { type: "response.refusal.delta", item_id: id, delta: part.refusal ?? "" }
        : { type: "response.output_text.delta", item_id: id, delta: part.text ?? "" },
      ...listOf(part.annotations).map((annotation) => ({
        type: "response.output_text.annotation.added",
        annotation,
      })),
    ]);
    const begun = given.type === "function_call" ? { ...item, arguments: "" } : item;
    return [
      { type: "response.output_item.added", output_index, item: begun },
      ...summary,
      ...content,
      { type: "response.output_item.done", output_index, item },
    ];
  });
  const cut = response.incomplete_details ? "response.incomplete" : "response.completed";
  const named = { id: "response", created_at: 0, model: "", ...response };
  return [{ type: "response.created", response: named }, ...items, { type: cut, response }];
}

/** Anthropic's messages. */
function ofMessage(message: Json): readonly Json[] {
  const content = listOf(message.content);
  const blocks = content.flatMap((block, index): Json[] => {
    const delta = (type: string, field: string): Json[] =>
      block[field] ? [{ type: "content_block_delta", index, delta: { type, [field]: block[field] } }] : [];
    return [
      { type: "content_block_start", index, content_block: block },
      ...(block.type === "thinking"
        ? [...delta("thinking_delta", "thinking"), ...delta("signature_delta", "signature")]
        : []),
      { type: "content_block_stop", index },
    ];
  });
  const calls = content.some(({ type }) => type === "tool_use");
  const stop_reason = message.stop_reason ?? (calls ? "tool_use" : "end_turn");
  return [
    { type: "message_start", message },
    ...blocks,
    { type: "message_delta", delta: { stop_reason }, usage: message.usage },
    { type: "message_stop" },
  ];
}
