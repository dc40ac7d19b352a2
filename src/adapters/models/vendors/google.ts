/** Gemini. Its calls carry an encrypted thought that must be sent back with them. */
import type { JSONValue, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { Effort } from "../../../core/effort.ts";
import type { Capabilities } from "../../../core/models.ts";
import { packaged } from "../packaged.ts";
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
        ...(capabilities.thinking !== "none" && { options: withThinking }),
      }),
      address,
      secret,
      bareAfter: /thinking|thoughts/i,
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
): Record<string, JSONValue> => ({
  ...(!bare && { includeThoughts: true }),
  ...(effort !== undefined && thinking === "level" && { thinkingLevel: effort }),
  ...(effort !== undefined && thinking === "budget" && { thinkingBudget: BUDGETS[effort] ?? 8_192 }),
});

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Gemini refuses a choice between values that are not texts (a sentence takes its place), a list that does not say of what, and each
 * choice between schemas but `anyOf`.
 */
function forGemini(schema: Schema): Schema {
  const { enum: values, description, ...rest } = schema;
  const made: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key === "properties" && isSchema(value))
      made.properties = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, within(one)]));
    else if (Array.isArray(value) && /^(any|one|all)Of$/.test(key)) made.anyOf = value.map(within);
    else made[key] = key === "items" ? within(value) : value;
  }
  const isList = [rest.type].flat().includes("array");
  if (isList && Object.keys(made.items ?? {}).length === 0) made.items = { type: "string" };
  const isOfTexts = Array.isArray(values) && rest.type === "string";
  const words = Array.isArray(values) && !isOfTexts ? `One of ${JSON.stringify(values).slice(1, -1)}.` : "";
  const told = [description, words].filter(Boolean).join(" ");
  return { ...made, ...(isOfTexts && { enum: values }), ...(told && { description: told }) };
}

const within = (value: unknown): unknown => (isSchema(value) ? forGemini(value) : value);
