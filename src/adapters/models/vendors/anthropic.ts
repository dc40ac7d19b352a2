/** Claude over the Messages protocol. Marks ask for caching; thinking is sent back with its signature. */
import { askMessages } from "../messages/messages.ts";
import { type Vendor, type Whereabouts, withoutVersion } from "../vendor.ts";

/** The longest reply that is asked for. */
const LONG = 64_000;
/** A gateway that does not know the beta, or does not pass it on. */
const BETA_REFUSED =
  /anthropic-beta|block_binding|thinking-binding|display|context.management|role '?"?system/;

const addressOf = ({ env, baseUrl }: Whereabouts): string =>
  withoutVersion(baseUrl || env.ANTHROPIC_BASE_URL || "https://api.anthropic.com");

export const anthropic: Vendor = {
  name: "anthropic",
  keyVariable: "ANTHROPIC_API_KEY",
  defaultModel: "claude-sonnet-5-5",
  address: addressOf,
  async connect(model, options) {
    const { env, capabilities, fields } = options;
    const address = addressOf(options);
    const secret = env.ANTHROPIC_API_KEY ?? "";
    const longest = Math.min(LONG, capabilities.longest);
    const url = new URL(`${address}/v1/messages`);
    const to = { url, headers: { "x-api-key": secret }, model, capabilities, fields };
    return {
      ask: (request, signal) => askMessages(to, request, signal),
      address,
      secret,
      // Below the maximum of 128,000, which would leave a model with a window of 200,000 too little for its input.
      maxOutputTokens: Math.min(32_000, longest),
      ...(model.startsWith("claude-") && longest === LONG && { longestReply: LONG }),
      bareAfter: BETA_REFUSED,
      clears: true,
      searches: true,
    };
  },
};
