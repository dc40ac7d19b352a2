/** Any server that speaks OpenAI's chat completions: vLLM, llama.cpp, LM Studio, gateways. Its key is optional. */

import type { MetadataExtractor } from "@ai-sdk/openai-compatible";
import type { SharedV3ProviderMetadata } from "@ai-sdk/provider";
import { EkidenError } from "../../../core/errors.ts";
import { OF_MESSAGE } from "../of-message.ts";
import { type Packaged, packaged } from "../packaged.ts";
import { forMoonshot } from "../schemas.ts";
import {
  type Connection,
  type ConnectOptions,
  type Vendor,
  type Whereabouts,
  withoutVersion,
} from "../vendor.ts";

/** An address with another path than /v1 stays unchanged. */
function addressOf({ env, baseUrl }: Whereabouts): string | null {
  const url = baseUrl || env.OPENAI_COMPATIBLE_BASE_URL;
  if (!url) return null;
  return /^https?:\/\/[^/]+\/?$/.test(url) ? `${withoutVersion(url)}/v1` : url.replace(/\/+$/, "");
}

export const openaiCompatible: Vendor = {
  name: "openai-compatible",
  keyVariable: "",
  defaultModel: "",
  address: addressOf,
  async connect(model, options) {
    const address = addressOf(options);
    if (address === null)
      throw new EkidenError(
        "model_missing",
        `"openai-compatible/${model}" needs the address of its server. Give --base-url, such as --base-url http://127.0.0.1:8000/v1.`,
      );
    return connectCompatible("openai-compatible", model, address, options);
  },
};

/** The differences of one service from the others. */
export type Ways = Packaged & {
  /** It counts tokens without being asked, and refuses the question. */
  readonly countsUnasked?: boolean;
  /** For each request. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Its thoughts come as `reasoning_details`, with signatures, and go back so. */
  readonly details?: boolean;
};

/** The needs of models by the family in their name, from any provider. */
const FAMILIES: readonly (readonly [RegExp, Ways])[] = [
  [/(mis|mix|minis|magis|devs|codes|pix)tral/i, { bridged: true }],
  [/kimi/i, { schemaOf: forMoonshot }],
];

/** OPENAI_API_KEY is not read here: it would be sent to another company. */
export async function connectCompatible(
  name: string,
  model: string,
  address: string,
  { env, fetch }: ConnectOptions,
  { secret = env.OPENAI_COMPATIBLE_API_KEY ?? "", ...own }: Ways & { readonly secret?: string } = {},
): Promise<Connection> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const {
    countsUnasked = false,
    details = false,
    fields,
    ...ways
  } = { ...FAMILIES.find(([of]) => of.test(model))?.[1], ...own };
  const connected = createOpenAICompatible({
    name,
    baseURL: address,
    includeUsage: !countsUnasked,
    fetch,
    ...(secret && { apiKey: secret }),
    transformRequestBody: (body) => ({
      ...(ways.thoughts === "required" ? withContent(body) : details ? withSignatures(body) : body),
      ...fields,
    }),
    ...(details && { metadataExtractor: DETAILS }),
  });
  const ask = packaged(connected(model), {
    ...ways,
    options: ({ effort }) => (effort === undefined ? {} : { [name]: { reasoningEffort: effort } }),
  });
  return { ask, address, secret };
}

type Sent = {
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly reasoning_details?: readonly Detail[];
};
/** Google takes this in the place of the signature of a call that another model made. */
const NO_SIGNATURE = { type: "reasoning.encrypted", data: "skip_thought_signature_validator" } as const;

/** Gemini from 3 on refuses a call without a signature, also through OpenRouter. */
const withSignatures = (body: Record<string, unknown>): Record<string, unknown> =>
  /gemini-([3-9]|\d\d)/.test(String(body.model))
    ? { ...body, messages: (body.messages as readonly Sent[]).map(signed) }
    : body;

function signed(message: Sent): Sent {
  const { tool_calls: calls = [], reasoning_details: known = [] } = message;
  if (calls.length === 0 || known.some(({ type }) => type === NO_SIGNATURE.type)) return message;
  const made = calls.map(({ id }, at): Detail => {
    return { ...NO_SIGNATURE, id, format: "google-gemini-v1", index: known.length + at };
  });
  return { ...message, reasoning_details: [...known, ...made] };
}

/** Services that want a thought refuse one beside a content of null. */
const withContent = (body: Record<string, unknown>): Record<string, unknown> => ({
  ...body,
  messages: (body.messages as readonly { content?: unknown }[]).map((message) =>
    message.content === null ? { ...message, content: "" } : message,
  ),
});

type Detail = { readonly type?: string; readonly index?: number; readonly [field: string]: unknown };
type Chunk = { readonly choices?: readonly { readonly delta?: { readonly reasoning_details?: unknown } }[] };

/** Collects the details of a streamed reply, for the message as a whole (see `fromAssistant` in packaged.ts). */
const DETAILS: MetadataExtractor = {
  extractMetadata: () => Promise.resolve(undefined),
  createStreamExtractor: () => {
    const all: Detail[] = [];
    return {
      processChunk(chunk) {
        const given = (chunk as Chunk | null)?.choices?.[0]?.delta?.reasoning_details;
        for (const one of Array.isArray(given) ? (given as Detail[]) : []) {
          const last = all.at(-1);
          if (last && last.type === one.type && last.index === one.index)
            all[all.length - 1] = joined(last, one);
          else all.push(one);
        }
      },
      buildMetadata: () =>
        all.length === 0
          ? undefined
          : ({ [OF_MESSAGE]: { reasoning_details: all } } as SharedV3ProviderMetadata),
    };
  },
};

/** The text of a detail comes in pieces. */
const joined = (a: Detail, b: Detail): Detail => ({
  ...a,
  ...Object.fromEntries(Object.entries(b).filter(([, value]) => value != null)),
  ...Object.fromEntries(
    ["text", "summary"].flatMap((key) =>
      typeof a[key] === "string" && typeof b[key] === "string" ? [[key, a[key] + b[key]]] : [],
    ),
  ),
});
