/** Encodes a request of the Messages protocol as text. Each message and each list of tools is encoded once and kept, but for images. */
import {
  type AssistantMessage,
  type Clearing,
  type Message,
  partsOfProgram,
} from "../../../core/conversation/chat.ts";
import { imagesOf } from "../../../core/conversation/fitting-images.ts";
import type { Capabilities } from "../../../core/settings/models.ts";
import type { CacheHint, ToolSpec } from "../../../ports/model.ts";
import type { VendorRequest } from "../vendor.ts";

/** With it, a thought whose prefix changed is left out by the vendor; without it, the request is refused. */
const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/** With it, the vendor leaves out old results as `context_management` says. */
const EDITING_BETA = "context-management-2025-06-27";

/** The betas that a request needs; "" for none. */
export const betasOf = ({ capabilities }: Told, { bare, clearing }: VendorRequest): string =>
  bare ? "" : [...(capabilities.binds ? [BINDING_BETA] : []), ...(clearing ? [EDITING_BETA] : [])].join(",");

/**
 * The threshold is below every decision, so exactly what was decided is left out of each request: a set that moved with each request
 * would break the vendor's cache each time.
 */
const editsOf = ({ keep, except }: Clearing): object => ({
  edits: [
    {
      type: "clear_tool_uses_20250919",
      trigger: { type: "tool_uses", value: 1 },
      keep: { type: "tool_uses", value: keep },
      ...(except.length > 0 && { exclude_tools: except }),
    },
  ],
});

/** Runs at the vendor. */
const SEARCH = { type: "web_search_20250305", name: "web_search", max_uses: 5 };

/** A model for its vendor: its name, its abilities, and fields of the person. */
export type Told = {
  readonly model: string;
  readonly capabilities: Capabilities;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
};

/** The JSON of an object with a mark in it: the vendor caches the request up to there. */
const marked = (json: string, lasting = false): string =>
  `${json.slice(0, -1)},"cache_control":{"type":"ephemeral"${lasting ? ',"ttl":"1h"' : ""}}}`;

export function bodyOf({ model, capabilities, fields }: Told, request: VendorRequest): string {
  const { system, tools, maxOutputTokens, effort, bare, cache, clearing, searchesWeb } = request;
  const head = JSON.stringify({
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    ...(capabilities.thinking === "adaptive" && { thinking: thinkingOf(capabilities, bare) }),
    ...(effort !== undefined && { output_config: { effort } }),
    ...(clearing && !bare && { context_management: editsOf(clearing) }),
    ...fields,
  });
  // Tools come before the system prompt: the mark behind the prompt covers both.
  const rules =
    system && `,"system":[${marked(JSON.stringify({ type: "text", text: system }), cache?.waits)}]`;
  const list = [encodedTools(tools), searchesWeb ? JSON.stringify(SEARCH) : ""].filter(Boolean).join();
  const offered = list && `,"tools":[${list}]`;
  return `${head.slice(0, -1)}${rules}${offered},"messages":[${turnsOf(request, capabilities.hearsSystem && !bare).join(",")}]}`;
}

/** Thoughts come as summaries. */
const thinkingOf = ({ binds }: Capabilities, bare: boolean): object => ({
  type: "adaptive",
  display: "summarized",
  ...(binds && !bare && { block_binding: { prefix_mismatch_behavior: "drop_block" } }),
});

const knownTools = new WeakMap<readonly ToolSpec[], string>();

function encodedTools(tools: readonly ToolSpec[]): string {
  const before = knownTools.get(tools);
  if (before !== undefined) return before;
  const list = tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
  const text = list.map((tool) => JSON.stringify(tool)).join(",");
  knownTools.set(tools, text);
  return text;
}

/**
 * Marks the last message, and the last one of the request before: the vendor looks for an earlier mark only a few parts back, and a
 * reply with many calls adds more than that. A message without anything that can be sent is left out. Texts of the program itself
 * become a message with the role "system" where the model takes those: it must come after a message of the user and before a reply.
 */
function turnsOf({ messages, imageOf, isOwn, cache }: VendorRequest, hearsSystem: boolean): string[] {
  const reply = messages.findLastIndex(({ role }) => role === "assistant");
  const turns: { role: Message["role"]; blocks: string[]; system: string[]; isMarked: boolean }[] = [];
  for (const [i, whole] of messages.entries()) {
    const [message, own] = hearsSystem ? apart(whole) : [whole, ""];
    const blocks =
      i === 0 && cache && cache.sharedParts > 0
        ? behindShared(message, cache, imageOf)
        : encoded(message, imageOf, message.role === "user" || isOwn(message));
    if (blocks === "" && own === "") continue;
    const last = turns.at(-1);
    const turn =
      last?.role === message.role ? last : { role: message.role, blocks: [], system: [], isMarked: false };
    if (turn !== last) turns.push(turn);
    if (blocks !== "") turn.blocks.push(blocks);
    if (own !== "") turn.system.push(own);
    turn.isMarked = i === reply - 1 || i === messages.length - 1;
  }
  const turn = (role: string, blocks: string): string => `{"role":"${role}","content":[${blocks}]}`;
  return turns.flatMap(({ role, blocks, system, isMarked }) => {
    const [first, then] = blocks.length > 0 ? [blocks.join(), system.join()] : [system.join(), ""];
    return [turn(role, isMarked ? marked(first) : first), ...(then === "" ? [] : [turn("system", then)])];
  });
}

const knownParts = new WeakMap<Message, readonly [Message, string]>();

/** A message without the texts of the program itself, and these texts as blocks. */
function apart(message: Message): readonly [Message, string] {
  if (message.role === "assistant") return [message, ""];
  const before = knownParts.get(message);
  if (before) return before;
  const [own, others] = partsOfProgram(message);
  const parts =
    own.length === 0
      ? ([message, ""] as const)
      : ([
          { role: "user", content: others },
          own.map(({ text }) => JSON.stringify({ type: "text", text })).join(),
        ] as const);
  knownParts.set(message, parts);
  return parts;
}

type ImageOf = VendorRequest["imageOf"];

/** The first message with a mark where the part ends that siblings share. */
function behindShared(message: Message, { sharedParts, waits }: CacheHint, imageOf: ImageOf): string {
  const blocks = message.content.map((part) => blocksOf(part, imageOf).map((block) => JSON.stringify(block)));
  const last = blocks[sharedParts - 1];
  if (last?.length === 1) blocks[sharedParts - 1] = [marked(last[0] ?? "", waits)];
  return blocks.flat().join(",");
}

/** With the thoughts, and without. */
const known = { own: new WeakMap<Message, string>(), foreign: new WeakMap<Message, string>() };

function encoded(message: Message, imageOf: ImageOf, isOwn: boolean): string {
  const kept = known[isOwn ? "own" : "foreign"];
  const before = kept.get(message);
  if (before !== undefined) return before;
  const sent = message.role === "assistant" ? sentBack(message.content, isOwn) : message.content;
  const blocks = sent.flatMap((part) => blocksOf(part, imageOf));
  const text = blocks.map((block) => JSON.stringify(block)).join(",");
  if (imagesOf(message).length === 0) kept.set(message, text);
  return text;
}

/**
 * Left out: thoughts of others; thoughts behind a blank text, which is left out itself and to which they are bound; and thoughts at
 * the end of a reply that was cut off, but for a reply of thoughts alone.
 */
function sentBack(content: AssistantMessage["content"], isOwn: boolean): AssistantMessage["content"] {
  const blank = content.findIndex((part) => part.type === "text" && part.text.trim() === "");
  const own = content.filter(
    (part, at) => part.type !== "thinking" || (isOwn && (blank === -1 || at < blank)),
  );
  const said = own.findLastIndex(({ type }) => type !== "thinking");
  return said === -1 ? own : own.slice(0, said + 1);
}

/** The vendor refuses blank texts, and thoughts without its signature: those of other vendors. */
function blocksOf(part: Message["content"][number], imageOf: ImageOf): object[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    case "image": {
      const sent = imageOf(part);
      if ("text" in sent) return [{ type: "text", text: sent.text }];
      return [{ type: "image", source: { type: "base64", media_type: part.mediaType, data: sent.data } }];
    }
    case "thinking": {
      const { redactedData, signature } = (part.meta as Meta | undefined)?.anthropic ?? {};
      if (redactedData !== undefined) return [{ type: "redacted_thinking", data: redactedData }];
      return signature === undefined ? [] : [{ type: "thinking", thinking: part.text, signature }];
    }
    case "call":
      return [{ type: "tool_use", id: part.id, name: part.tool, input: part.input }];
    case "result": {
      const content = part.text || "(no output)";
      return [
        { type: "tool_result", tool_use_id: part.id, content, ...(part.isError && { is_error: true }) },
      ];
    }
    default:
      return part satisfies never;
  }
}

/** The data of a thought that `partsOf` in reply.ts keeps. */
type Meta = { readonly anthropic?: { readonly redactedData?: string; readonly signature?: string } };
