/** OpenAI over its Responses protocol. Servers that only speak chat completions are `openai-compatible`. */
import { packaged } from "../packaged.ts";
import { type Vendor, type Whereabouts, withoutVersion } from "../vendor.ts";

const addressOf = ({ env, baseUrl }: Whereabouts): string =>
  withoutVersion(baseUrl || env.OPENAI_BASE_URL || "https://api.openai.com");

/** An organisation that is not verified gets no summaries, and models without thoughts have none. */
const SUMMARY_REFUSED = /reasoning.summary|reasoning summar|must be verified/i;

const CACHE_KEY_MAX = 64;

export const openai: Vendor = {
  name: "openai",
  keyVariable: "OPENAI_API_KEY",
  defaultModel: "gpt-6.1-sol",
  address: addressOf,
  async connect(model, options) {
    const { env, fetch, capabilities } = options;
    const { createOpenAI } = await import("@ai-sdk/openai");
    const address = addressOf(options);
    const secret = env.OPENAI_API_KEY ?? "";
    const connected = createOpenAI({ baseURL: `${address}/v1`, apiKey: secret, fetch });
    return {
      // Nothing is stored there: the conversation is ours, and reasoning comes back encrypted instead of by reference (the package
      // asks for that, for the models that can).
      ask: packaged(connected.responses(model), {
        hearsSystem: capabilities.hearsSystem,
        search: { type: "provider", id: "openai.web_search", name: "web_search", args: {} },
        options: ({ effort, bare, cache }) => ({
          openai: {
            store: false,
            ...(cache && { promptCacheKey: cache.key.slice(0, CACHE_KEY_MAX) }),
            ...(effort !== undefined && { reasoningEffort: effort }),
            ...(capabilities.thinking === "effort" && !bare && { reasoningSummary: "auto" }),
          },
        }),
      }),
      address,
      secret,
      bareAfter: SUMMARY_REFUSED,
      searches: true,
    };
  },
};
