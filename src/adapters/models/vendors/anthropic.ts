/** Claude over the Messages protocol. Caching is asked for with marks; thinking goes back with its signature. */
import { type Vendor, withoutVersion } from "../vendor.ts";

/** Models whose replies may have 64,000 tokens: all but the oldest. */
const LONG_WINDED = /^claude-(?!3|opus-4(-[01]\b|-2025|$)|instant|2)/;

export const anthropic: Vendor = {
  name: "anthropic",
  keyVariable: "ANTHROPIC_API_KEY",
  defaultModel: "claude-sonnet-5-5",
  async connect(model, { env, baseUrl }) {
    const address = withoutVersion(baseUrl || env.ANTHROPIC_BASE_URL || "https://api.anthropic.com");
    const secret = env.ANTHROPIC_API_KEY ?? "";
    const { askMessages } = await import("../messages.ts");
    const to = { url: `${address}/v1`, key: secret, model };
    return {
      model: { doStream: (options) => askMessages(to, options) },
      address,
      secret,
      // The package asks for a model's maximum (128,000), which a model with a window of 200,000 then lacks for its input.
      maxOutputTokens: 32_000,
      ...(LONG_WINDED.test(model) && { longestReply: 64_000 }),
      // Calls are run when they are whole, so pieces of their input are of no use, and the wish for them is paid for per tool.
      options: { anthropic: { toolStreaming: false } },
      cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    };
  },
};
