/**
 * Lists what models can do and what they cost, by the start of their name; the longest start counts. A line of `TABLE` is a family, its window and
 * its list prices in US dollars per million tokens, as the vendors' pages had them on 2026-11-21. Discounts with an end date are left out, so a
 * figure errs upwards. An unknown model costs 0: unknown does not mean free, so a limit in money cannot rely on it. The setting `models` describes
 * models that are missing here.
 */
import type { Effort } from "./effort.ts";

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

/** The input and output that a model supports. A parameter that it refuses is never sent. */
export type Capabilities = {
  /** Levels of effort that it takes; empty: none may be sent. */
  readonly efforts: readonly Effort[];
  /**
   * The way to ask for thinking. `adaptive`: Claude decides. `effort`: by the level alone. `level` and `budget`: Gemini's two ways.
   * `none`: nothing is sent.
   */
  readonly thinking: "adaptive" | "effort" | "level" | "budget" | "none";
  /** Its thoughts are bound to all that came before them: behind a changed prefix its provider refuses them or leaves them out. */
  readonly binds: boolean;
  /** Its provider clears old results when a request says so: thoughts and cache hold, because the messages stay as they were. */
  readonly clears: boolean;
  /** It takes system messages in the middle of a conversation. */
  readonly hearsSystem: boolean;
  /** The longest reply in tokens. */
  readonly longest: number;
  /** The form in which it edits files best. */
  readonly patch: "apply_patch" | "edit";
};

const levels = (text: string): readonly Effort[] => text.split(" ").filter(Boolean) as Effort[];
const family = (
  efforts: string,
  thinking: Capabilities["thinking"],
  longest: number,
  more: Partial<Capabilities> = {},
): Capabilities => ({
  ...{ efforts: levels(efforts), thinking, longest, patch: "edit" },
  ...{ binds: false, clears: false, hearsSystem: false },
  ...more,
});
const gpt = (efforts: string, binds = false): Capabilities =>
  family(efforts, efforts === "" ? "none" : "effort", 128_000, {
    ...{ patch: "apply_patch", binds, hearsSystem: true },
  });
const CLAUDE = "low medium high xhigh max";

/** The first pattern that matches counts. A model that nothing here matches gets no settings: only its protocol is known. */
const FAMILIES: readonly (readonly [RegExp, Capabilities])[] = [
  [/^claude-haiku-(5-[5-9]|[6-9]\b)/, family(CLAUDE, "adaptive", 128_000, { binds: true, clears: true })],
  [
    /^claude-(fable-5-[1-9]|mythos-5-[1-9]|[a-z]+-(5-[5-9]|[6-9]\b))/,
    family(CLAUDE, "adaptive", 128_000, { binds: true, clears: true, hearsSystem: true }),
  ],
  [/^claude-sonnet-5/, family(CLAUDE, "adaptive", 128_000, { clears: true })],
  [/^claude-(opus-4-8|[a-z]+-5)/, family(CLAUDE, "adaptive", 128_000, { clears: true, hearsSystem: true })],
  [/^claude-opus-4-7/, family(CLAUDE, "adaptive", 128_000, { clears: true })],
  [/^claude-(opus|sonnet)-4-6/, family("low medium high max", "adaptive", 64_000, { clears: true })],
  [/^claude-opus-4-5/, family("low medium high", "effort", 64_000, { clears: true })],
  [/^claude-(sonnet|haiku)-4-5/, family("", "none", 64_000, { clears: true })],
  [/^claude-opus-4(-[01]\b|-2025|$)/, family("", "none", 32_000)],
  [/^claude-3-7/, family("", "none", 32_000)],
  [/^claude-3-5/, family("", "none", 8_192)],
  [/^claude-(3|2|instant)/, family("", "none", 4_096)],
  [/^claude-/, family("", "none", 64_000)],

  [/gpt-oss/, family("low medium high", "effort", 64_000)],
  [/^gpt-(6-sol|6-luna|6\.1-terra)/, gpt("none low medium high xhigh max", true)],
  [/^gpt-5\.[6-9]/, gpt("none low medium high xhigh max")],
  [/^gpt-[6-9]/, gpt("low medium high xhigh max", true)],
  [/^gpt-5(\.\d)?-pro/, gpt("high")],
  [/^gpt-5\.[2-5]/, gpt("none low medium high xhigh")],
  [/^gpt-5\.1/, gpt("none low medium high")],
  [/^gpt-5/, gpt("minimal low medium high")],
  [/^gpt-/, gpt("")],
  [/^o\d/, family("low medium high", "effort", 100_000)],

  [/^gemini-(3\.[7-9]-)?flash(?!-lite)/, family("low medium high", "level", 65_536)],
  [/^gemini-3(\.\d)?-flash/, family("minimal low medium high", "level", 65_536)],
  [/^gemini-3-pro/, family("low high", "level", 65_536)],
  [/^gemini-[3-9]/, family("low medium high", "level", 65_536)],
  [/^gemini-2\.5/, family("minimal low medium high", "budget", 65_536)],
  [/^gemini-/, family("", "none", 8_192)],

  [/^grok-3-mini/, family("low high", "effort", 64_000)],
  [/^grok-4\.3\b/, family("none low medium high", "effort", 64_000)],
  [/^grok-(4\.[4-9]|[5-9])\b/, family("low medium high", "effort", 64_000)],

  [/^deepseek-v([4-9]|\d\d)/, family("low high max", "effort", 64_000)],
  [/^kimi-k([3-9]|\d\d)/, family("low high max", "effort", 64_000)],
  [/^glm-(5\.[3-9]|[6-9])/, family("low high max", "effort", 131_072)],
  [/^glm-5\.2/, family("none minimal low medium high xhigh max", "effort", 131_072)],
  [/^mistral-(small-(latest|2603)|medium-3[.-]5)/, family("none high", "effort", 64_000)],
];
const UNKNOWN = family("", "none", 32_000);

/** The abilities of a model as the person gives them: the setting `models`, by "provider/name". */
export type ModelSetting = {
  readonly efforts?: readonly Effort[] | undefined;
  readonly thinking?: Capabilities["thinking"] | undefined;
  readonly window?: number | undefined;
  readonly longest?: number | undefined;
  readonly patch?: Capabilities["patch"] | undefined;
  /** US dollars per million tokens. */
  readonly price?:
    | { readonly input: number; readonly output: number; readonly cached?: number | undefined }
    | undefined;
  /** Fields that go to the provider with every request, as they are. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
};

/** The name without its provider and what a gateway puts in front: "anthropic.claude-…", "openai/gpt-…". */
const nameOf = (model: string): string =>
  model.slice(model.lastIndexOf("/") + 1).replace(/^([a-z]{2}\.)?(anthropic|openai|google)\./, "");

/** By the model's name, with or without its provider. */
export function capabilitiesOf(model: string, known: ModelSetting = {}): Capabilities {
  const name = nameOf(model);
  const found = FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN;
  const { efforts, thinking, longest, patch } = known;
  return {
    ...found,
    ...(efforts && {
      efforts,
      ...(found.thinking === "none" && efforts.length > 0 && { thinking: "effort" as const }),
    }),
    ...(thinking && { thinking }),
    ...(longest !== undefined && { longest }),
    ...(patch && { patch }),
  };
}

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

const find = (spec: string): Row | undefined => {
  const model = nameOf(spec);
  return ROWS.find(
    ([beginning]) =>
      model.startsWith(beginning) && !(/\w$/.test(beginning) && /^[\d.]/.test(model.slice(beginning.length))),
  )?.[1];
};

/** Whether a model, by its whole spec, costs money that cannot be counted here: then a budget in money has no effect. */
export const isUnpriced = (spec: string, known: Readonly<Record<string, ModelSetting>> = {}): boolean => {
  const [, model] = /^(?!ollama\/|scripted:)[\w-]+\/(.+)$/.exec(spec) ?? [];
  return model !== undefined && !known[spec]?.price && !find(model);
};

/** Whether a model, by its whole spec, has a price. */
export const isPriced = (spec: string): boolean =>
  /^(?!ollama\/|scripted:)[\w-]+\/./.test(spec) && (find(spec)?.output ?? 0) > 0;

/** Dollars per million tokens of output from which on a model counts as one of the strongest. */
const STRONG_OUTPUT = 10;

/** Whether a model, by its whole spec, is one of the strongest, as far as its price tells. */
export const isStrong = (spec: string, known: Readonly<Record<string, ModelSetting>> = {}): boolean =>
  (known[spec]?.price ?? find(spec) ?? { output: 0 }).output >= STRONG_OUTPUT;

/** US dollars of one reply by `model` (its name without the provider); 0 for a model without a price. */
export function usdOf(model: string, tokens: Tokens, { price: own }: ModelSetting = {}): number {
  const price = own ? row(0, own.input, own.cached ?? own.input, own.output) : find(model);
  if (!price) return 0;
  const read = tokens.fresh + tokens.cached + tokens.written;
  const { input, output } = price.long && read > price.long.above ? price.long : { input: 1, output: 1 };
  const inputs = tokens.fresh * price.input + tokens.cached * price.cached + tokens.written * price.written;
  return (inputs * input + tokens.output * price.output * output) / 1e6;
}

/** The context window in tokens; a cautious 128,000 for an unknown model. */
export const windowOf = (model: string, known: ModelSetting = {}): number =>
  known.window ?? find(model)?.window ?? 128_000;
