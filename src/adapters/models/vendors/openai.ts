/** OpenAI over its Responses protocol. Servers that only speak chat completions are `openai-compatible`. */
import { packaged } from "../packaged.ts";
import { type Vendor, type Whereabouts, withoutVersion } from "../vendor.ts";

const addressOf = ({ env, baseUrl }: Whereabouts): string =>
  withoutVersion(baseUrl || env.OPENAI_BASE_URL || "https://api.openai.com");

export const openai: Vendor = {
  name: "openai",
  keyVariable: "OPENAI_API_KEY",
  defaultModel: "gpt-6.1-sol",
  address: addressOf,
  async connect(model, options) {
    const { env, fetch } = options;
    const { createOpenAI } = await import("@ai-sdk/openai");
    const address = addressOf(options);
    const secret = env.OPENAI_API_KEY ?? "";
    const connected = createOpenAI({ baseURL: `${address}/v1`, apiKey: secret, fetch });
    return {
      // Nothing is stored there: the conversation is ours, and reasoning comes back encrypted instead of by reference (the package
      // asks for that, for the models that can).
      ask: packaged(connected.responses(model), { openai: { store: false } }),
      address,
      secret,
    };
  },
};
