/** Gemini. Its calls carry an encrypted thought that must be sent back with them. */
import type { JSONValue, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { Effort } from "../../../core/settings/effort.ts";
import type { Capabilities } from "../../../core/settings/models.ts";
import { packaged } from "../packaged.ts";
import { forGemini } from "../schemas.ts";
import type { Vendor, VendorRequest, Whereabouts } from "../vendor.ts";

const addressOf = ({ baseUrl }: Whereabouts): string =>
  (baseUrl || "https://generativelanguage.googleapis.com/v1beta").replace(/\/+$/, "");

export const google: Vendor = {
  name: "google",
  keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
  defaultModel: "gemini-3.8-flash",
  address: addressOf,
  async connect(model, options) {
    const { env, fetch, capabilities } = options;
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    const address = addressOf(options);
    const secret = env.GOOGLE_GENERATIVE_AI_API_KEY ?? "";
    const connected = createGoogleGenerativeAI({ baseURL: address, apiKey: secret, fetch });
    const withThinking = (request: VendorRequest): SharedV3ProviderOptions => ({
      google: { thinkingConfig: thinkingOf(capabilities, request) },
    });
    return {
      ask: packaged(connected(model), {
        schemaOf: forGemini,
        // It takes texts beside results, but then continues with the text in place of an answer.
        bridged: true,
        images: /png|jpeg|webp/,
        search: { type: "provider", id: "google.google_search", name: "google_search", args: {} },
        ...(capabilities.thinking !== "none" && { options: withThinking }),
      }),
      address,
      secret,
      bareAfter: /thinking|thoughts/i,
      searches: true,
    };
  },
};

/** Tokens of thinking for each level, for the models that take no levels. */
const BUDGETS: Readonly<Partial<Record<Effort, number>>> = {
  minimal: 512,
  low: 2_048,
  medium: 8_192,
  high: 24_576,
};

const thinkingOf = (
  { thinking }: Capabilities,
  { effort, bare }: VendorRequest,
): Record<string, JSONValue> =>
  bare
    ? {}
    : {
        includeThoughts: true,
        ...(effort !== undefined && thinking === "level" && { thinkingLevel: effort }),
        ...(effort !== undefined && thinking === "budget" && { thinkingBudget: BUDGETS[effort] ?? 8_192 }),
      };
