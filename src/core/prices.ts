/**
 * Prices and windows of models, by the start of their name; the longest start counts. List prices in US dollars per
 * million tokens as the vendors' pricing pages had them on 2026-11-21. Discounts with an end date are left out, so a figure
 * errs upwards. An unknown model costs 0: unknown does not mean free, so a limit in money cannot rely on it.
 */

/** Dollars per million tokens. */
type Rates = {
  readonly input: number;
  /** Read from the provider's cache. */
  readonly cached: number;
  /** Written into it (Anthropic's five-minute cache); elsewhere writing costs the same as fresh input. */
  readonly written: number;
  readonly output: number;
};
/** Above this many input tokens the whole request costs these multiples. */
type Long = { readonly above: number; readonly input: number; readonly output: number };
type Row = Rates & { readonly window: number; readonly long?: Long };

/** Tokens of one reply as a price list sees them; the three kinds of input do not overlap. */
export type Tokens = Readonly<Record<"fresh" | "cached" | "written" | "output", number>>;

const row = (window: number, input: number, cached: number, output: number, long?: Long): Row => ({
  window,
  input,
  cached,
  written: input,
  output,
  ...(long && { long }),
});
const claude = (...[window, input, ...more]: Parameters<typeof row>): Row => ({
  ...row(window, input, ...more),
  written: input * 1.25,
});
const GPT_LONG: Long = { above: 272_000, input: 2, output: 1.5 };
const GEMINI_LONG: Long = { above: 200_000, input: 2, output: 1.5 };

const TABLE: Readonly<Record<string, Row>> = {
  "claude-fable-5-1": claude(1_000_000, 10, 0.25, 50),
  "claude-fable-5": claude(1_000_000, 10, 1, 50),
  "claude-opus-5-5": claude(1_000_000, 4, 0.2, 20),
  "claude-opus-5": claude(1_000_000, 5, 0.5, 25),
  "claude-opus-4-6": claude(1_000_000, 5, 0.5, 25),
  "claude-opus-4-7": claude(1_000_000, 5, 0.5, 25),
  "claude-opus-4-8": claude(1_000_000, 5, 0.5, 25),
  "claude-opus-4-5": claude(200_000, 5, 0.5, 25),
  "claude-opus-4": claude(200_000, 15, 1.5, 75),
  "claude-sonnet-5-5": claude(1_000_000, 2, 0.1, 10),
  "claude-sonnet-5": claude(1_000_000, 2, 0.2, 10),
  "claude-sonnet-4-6": claude(1_000_000, 3, 0.3, 15),
  "claude-sonnet-4": claude(200_000, 3, 0.3, 15),
  "claude-haiku-5-5": claude(1_000_000, 0.1, 0.01, 0.5, { above: 100_000, input: 5, output: 5 }),
  "claude-haiku-4-5": claude(200_000, 1, 0.1, 5),
  "claude-3-5-haiku": claude(200_000, 0.8, 0.08, 4),
  "claude-": { window: 200_000, input: 0, cached: 0, written: 0, output: 0 },

  "gpt-6.1-terra": row(1_050_000, 1, 0.05, 5, GPT_LONG),
  "gpt-6.1-sol": row(1_050_000, 2, 0.1, 10, GPT_LONG),
  "gpt-6-astra": row(1_050_000, 10, 1, 50, GPT_LONG),
  "gpt-6-sol": row(1_050_000, 2, 0.2, 10, GPT_LONG),
  "gpt-6-luna": row(1_050_000, 0.1, 0.01, 0.5, GPT_LONG),
  "gpt-5.6-sol": row(1_050_000, 4, 0.4, 20, GPT_LONG),
  "gpt-5.6-terra": row(1_050_000, 2, 0.2, 12, GPT_LONG),
  "gpt-5.6-luna": row(1_050_000, 0.2, 0.02, 1.2, GPT_LONG),
  "gpt-5.5": row(1_000_000, 5, 0.5, 30, GPT_LONG),
  "gpt-5.4": row(1_050_000, 2.5, 0.25, 15, GPT_LONG),
  "gpt-5.4-mini": row(400_000, 0.75, 0.075, 4.5),
  "gpt-5.4-nano": row(400_000, 0.2, 0.02, 1.25),
  "gpt-5.5-pro": row(1_000_000, 30, 30, 180, GPT_LONG),
  "gpt-5.4-pro": row(1_050_000, 30, 30, 180, GPT_LONG),
  "gpt-5.2-pro": row(400_000, 21, 21, 168),
  "gpt-5-pro": row(400_000, 15, 15, 120),
  "gpt-5.3": row(400_000, 1.75, 0.175, 14),
  "gpt-5.2": row(400_000, 1.75, 0.175, 14),
  "gpt-5.1": row(400_000, 1.25, 0.125, 10),
  "gpt-5": row(400_000, 1.25, 0.125, 10),
  "gpt-5-mini": row(400_000, 0.25, 0.025, 2),
  "gpt-5-nano": row(400_000, 0.05, 0.005, 0.4),
  "gpt-4.1": row(1_000_000, 2, 0.5, 8),
  "gpt-4.1-mini": row(1_000_000, 0.4, 0.1, 1.6),
  "gpt-4o": row(128_000, 2.5, 1.25, 10),
  "gpt-4o-mini": row(128_000, 0.15, 0.075, 0.6),

  "gemini-3.8-flash": row(1_048_576, 1.5, 0.15, 7.5),
  "gemini-3.7-flash": row(1_048_576, 1.5, 0.15, 7.5),
  "gemini-3.6-flash": row(1_048_576, 1.5, 0.15, 7.5),
  "gemini-3.5-flash": row(1_048_576, 1.5, 0.15, 9),
  "gemini-3.5-flash-lite": row(1_048_576, 0.3, 0.03, 2.5),
  "gemini-3.1-pro": row(1_048_576, 2, 0.2, 12, GEMINI_LONG),
  "gemini-3.1-flash-lite": row(1_048_576, 0.25, 0.025, 1.5),
  "gemini-3-pro": row(1_048_576, 2, 0.2, 12, GEMINI_LONG),
  "gemini-3-flash": row(1_048_576, 0.5, 0.05, 3),
  "gemini-2.5-pro": row(1_048_576, 1.25, 0.125, 10, GEMINI_LONG),
  "gemini-2.5-flash": row(1_048_576, 0.3, 0.03, 2.5),
  "gemini-2.5-flash-lite": row(1_048_576, 0.1, 0.01, 0.4),
  "gemini-": { window: 1_048_576, input: 0, cached: 0, written: 0, output: 0 },
};

/** Longest first, so that the first match is the most specific. A start must end at a word: gpt-5 is not gpt-50. */
const ROWS = Object.entries(TABLE).sort(([a], [b]) => b.length - a.length);

const find = (model: string): Row | undefined =>
  ROWS.find(
    ([beginning]) =>
      model.startsWith(beginning) && !(/\w$/.test(beginning) && /^[\d.]/.test(model.slice(beginning.length))),
  )?.[1];

/** Whether a model, by its whole spec, costs money that cannot be counted here: then a budget in money has no effect. */
export const isUnpriced = (spec: string): boolean => {
  const [, model] = /^(?:anthropic|openai|google|openai-compatible)\/(.+)$/.exec(spec) ?? [];
  return model !== undefined && !find(model);
};

/** US dollars of one reply by `model` (its name without the provider); 0 for a model without a price. */
export function usdOf(model: string, tokens: Tokens): number {
  const price = find(model);
  if (!price) return 0;
  const read = tokens.fresh + tokens.cached + tokens.written;
  const { input, output } = price.long && read > price.long.above ? price.long : { input: 1, output: 1 };
  const inputs = tokens.fresh * price.input + tokens.cached * price.cached + tokens.written * price.written;
  return (inputs * input + tokens.output * price.output * output) / 1e6;
}

/** The context window in tokens; a cautious 128,000 for an unknown model. */
export const windowOf = (model: string): number => find(model)?.window ?? 128_000;
