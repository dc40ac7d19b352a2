/** Claude over the Messages protocol. Marks ask for caching; thinking is sent back with its signature. */
import { askMessages } from "../messages/messages.ts";
import { type Vendor, type Whereabouts, withoutVersion } from "../vendor.ts";

/** The longest replies of the older models, in tokens; they refuse a higher limit. */
const LONGEST: readonly (readonly [RegExp, number])[] = [
  [/claude-(3-(haiku|opus|sonnet)|2|instant)/, 4_096],
  [/claude-3-5/, 8_192],
  [/claude-(3-7|opus-4(-[01]\b|-2025|$))/, 32_000],
];
const LONG = 64_000;
const longestOf = (model: string): number => LONGEST.find(([name]) => name.test(model))?.[1] ?? LONG;

const addressOf = ({ env, baseUrl }: Whereabouts): string =>
  withoutVersion(baseUrl || env.ANTHROPIC_BASE_URL || "https://api.anthropic.com");

export const anthropic: Vendor = {
  name: "anthropic",
  keyVariable: "ANTHROPIC_API_KEY",
  defaultModel: "claude-sonnet-5-5",
  address: addressOf,
  async connect(model, options) {
    const { env } = options;
    const address = addressOf(options);
    const secret = env.ANTHROPIC_API_KEY ?? "";
    const longest = longestOf(model);
    const to = { url: new URL(`${address}/v1/messages`), key: secret, model };
    return {
      ask: (request, signal) => askMessages(to, request, signal),
      address,
      secret,
      // Below the maximum of 128,000, which would leave a model with a window of 200,000 too little for its input.
      maxOutputTokens: Math.min(32_000, longest),
      ...(model.startsWith("claude-") && longest === LONG && { longestReply: LONG }),
    };
  },
};
