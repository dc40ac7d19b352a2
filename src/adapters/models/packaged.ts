/**
 * Models behind the packages of their vendors, and our conversation in the form of those packages. A translated message is kept by
 * its identity, so a turn costs only what it adds. Parts that cannot be sent are corrected: empty texts (some vendors refuse them),
 * results without text, thoughts that nothing follows.
 */

import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3ProviderTool,
  SharedV3ProviderMetadata,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import {
  type AssistantMessage,
  type Message,
  partsOfProgram,
  type UserMessage,
} from "../../core/conversation/chat.ts";
import { imagesOf } from "../../core/conversation/fitting-images.ts";
import { imageLeftOut } from "../../core/conversation/image.ts";
import type { ToolSpec } from "../../ports/model.ts";
import { OF_MESSAGE } from "./of-message.ts";
import type { PartStream } from "./stream.ts";
import type { Connection, VendorRequest } from "./vendor.ts";

type ImageOf = VendorRequest["imageOf"];
type UserPart = Extract<LanguageModelV3Message, { role: "user" }>["content"][number];
type Assistant = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];

export type Packaged = {
  /** The options of a request for the package, under the vendor's name. */
  readonly options?: (request: VendorRequest) => SharedV3ProviderOptions;
  /** `omit`: the service refuses thoughts that come back to it. `required`: it refuses a reply that has none. */
  readonly thoughts?: "omit" | "required";
  /** Texts of the program itself are sent as a message with the role "system", behind the rest. */
  readonly hearsSystem?: boolean;
  /** The service refuses what the member hears directly behind results, and two messages of the user in a row. */
  readonly bridged?: boolean;
  /** The kinds of images that it takes; all, if unset. */
  readonly images?: RegExp;
  /** The tool of the package by which the vendor searches the web. */
  readonly search?: LanguageModelV3ProviderTool;
  /** The id of a call as the service takes it. */
  readonly idOf?: (id: string) => string;
  /** The schema of a tool's input as the service takes it. */
  readonly schemaOf?: (schema: ToolSpec["schema"]) => ToolSpec["schema"];
};

/** The text for a required thought that another model had, or that was not shown. */
const NO_THOUGHT = "(not recorded)";
/** The reply between results and the texts that came with them, where a service wants one. */
const BRIDGE: LanguageModelV3Message = {
  role: "assistant",
  content: [{ type: "text", text: "I have the results." }],
};

/** Asks through a vendor's package. */
export const packaged = (
  model: { doStream(options: LanguageModelV3CallOptions): PromiseLike<{ stream: PartStream }> },
  {
    options,
    thoughts,
    hearsSystem = false,
    bridged = false,
    images,
    search,
    idOf = (id) => id,
    schemaOf = (schema) => schema,
  }: Packaged = {},
): Connection["ask"] => {
  const taken =
    (imageOf: ImageOf): ImageOf =>
    (image) =>
      !images || images.test(image.mediaType)
        ? imageOf(image)
        : { text: imageLeftOut(image, `is left out, because this model takes no ${image.mediaType}`) };
  const translate = translator({ thoughts, hearsSystem, idOf });
  const described = new WeakMap<readonly ToolSpec[], LanguageModelV3FunctionTool[]>();
  const toolsOf = (tools: readonly ToolSpec[]): LanguageModelV3FunctionTool[] => {
    const made =
      described.get(tools) ??
      tools.map(({ name, description, schema }) => ({
        type: "function",
        name,
        description,
        inputSchema: schemaOf(schema),
      }));
    described.set(tools, made);
    return made;
  };
  return (request, abortSignal) => {
    const { system, messages, tools, maxOutputTokens, imageOf, isOwn } = request;
    const providerOptions = options?.(request);
    const keeps = (message: Message): boolean =>
      message.role === "user" || (thoughts !== "omit" && isOwn(message));
    const sent = messages.flatMap((message) => translate(message, taken(imageOf), keeps(message)));
    return model.doStream({
      prompt: [
        ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
        ...(bridged ? alternating(sent) : sent),
      ],
      ...(tools.length > 0 && { tools: toolsOf(tools) }),
      ...(request.searchesWeb && search && { tools: [search] }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(providerOptions && { providerOptions }),
      abortSignal,
    });
  };
};

type Translated = Required<Pick<Packaged, "hearsSystem" | "idOf">> & {
  readonly thoughts: Packaged["thoughts"] | undefined;
};

/** Messages without images are translated once, with what is the provider's own and without. */
function translator({ thoughts, hearsSystem, idOf }: Translated) {
  const own = new WeakMap<Message, LanguageModelV3Message[]>();
  const foreign = new WeakMap<Message, LanguageModelV3Message[]>();
  return (message: Message, imageOf: ImageOf, isOwn: boolean): LanguageModelV3Message[] => {
    const kept = isOwn ? own : foreign;
    const known = kept.get(message);
    if (known) return known;
    const made =
      message.role === "user"
        ? fromUser(message, imageOf, idOf, hearsSystem)
        : fromAssistant(message, isOwn, idOf, thoughts);
    if (imagesOf(message).length === 0) kept.set(message, made);
    return made;
  };
}

/** Two of the user are also neighbours where a reply between them is left out. */
function alternating(sent: readonly LanguageModelV3Message[]): LanguageModelV3Message[] {
  const made: LanguageModelV3Message[] = [];
  for (const one of sent) {
    const before = made.at(-1);
    if (one.role === "user" && before?.role === "user")
      made.splice(-1, 1, { ...before, content: [...before.content, ...one.content] });
    else if (one.role === "user" && before?.role === "tool") made.push(BRIDGE, one);
    else made.push(one);
  }
  return made;
}

function fromUser(
  message: UserMessage,
  imageOf: ImageOf,
  idOf: (id: string) => string,
  hearsSystem: boolean,
): LanguageModelV3Message[] {
  const [own, content] = hearsSystem ? partsOfProgram(message) : [[], message.content];
  const results = content.flatMap((part) =>
    part.type === "result"
      ? [
          {
            type: "tool-result" as const,
            toolCallId: idOf(part.id),
            toolName: part.tool,
            output: {
              type: part.isError ? ("error-text" as const) : ("text" as const),
              value: part.text || "(no output)",
            },
          },
        ]
      : [],
  );
  const heard = content.flatMap((part): UserPart[] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    if (part.type === "result") return [];
    const sent = imageOf(part);
    return "text" in sent
      ? [{ type: "text", text: sent.text }]
      : [{ type: "file", mediaType: part.mediaType, data: sent.data }];
  });
  const made: LanguageModelV3Message[] = [];
  if (results.length > 0) made.push({ role: "tool", content: results });
  if (heard.length > 0) made.push({ role: "user", content: heard });
  made.push(...own.map(({ text }) => ({ role: "system" as const, content: text })));
  return made;
}

function fromAssistant(
  { content }: AssistantMessage,
  isOwn: boolean,
  idOf: (id: string) => string,
  thoughts: Packaged["thoughts"],
): LanguageModelV3Message[] {
  const own = (meta: unknown): ReturnType<typeof withMeta> => (isOwn ? withMeta(meta) : {});
  const parts = content.flatMap((part): Assistant[] => {
    switch (part.type) {
      case "text":
        return part.text.trim() === "" && (!isOwn || part.meta === undefined)
          ? []
          : [{ type: "text", text: part.text, ...own(part.meta) }];
      case "thinking":
        return isOwn ? [{ type: "reasoning", text: part.text, ...own(part.meta) }] : [];
      case "call":
        return [
          {
            type: "tool-call",
            toolCallId: idOf(part.id),
            toolName: part.tool,
            input: part.input,
            ...own(part.meta),
          },
        ];
      default:
        return part satisfies never;
    }
  });
  // Such as the thought of a reply that was cut off while it thought: some services refuse it, and none needs it.
  parts.splice(parts.findLastIndex(({ type }) => type !== "reasoning") + 1);
  if (parts.length === 0) return [];
  const whole = parts.find((part) => part.type === "reasoning" && part.providerOptions?.[OF_MESSAGE]);
  if (whole?.providerOptions)
    return [
      {
        role: "assistant",
        content: parts.filter(({ type }) => type !== "reasoning"),
        providerOptions: whole.providerOptions,
      },
    ];
  const isBare =
    thoughts === "required" && !parts.some((part) => part.type === "reasoning" && part.text !== "");
  if (isBare) parts.unshift({ type: "reasoning", text: NO_THOUGHT });
  return [{ role: "assistant", content: parts }];
}

/** `meta` belongs to one vendor, under its name; other vendors ignore it. */
const withMeta = (meta: unknown): { providerOptions?: SharedV3ProviderMetadata } =>
  typeof meta === "object" && meta !== null ? { providerOptions: meta as SharedV3ProviderMetadata } : {};
