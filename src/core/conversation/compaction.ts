/**
 * Decides when and how a conversation is made smaller; runtime/turn/context.ts does it. Cheapest first, each step only when the
 * one before was not enough:
 *
 *   snip    tool steps far back are left out, named in one line          no model call, decided once and stored
 *   micro   results but the last three become one line each              the same; files that were read go last
 *   edit    the same, by the provider itself                             the same; messages stay, so thoughts hold
 * summary the model writes notes that replace everything before        one model call
 *
 * New images that do not fit into a request beside the old ones are a reason for `micro` or `summary` too.
 *
 * (A single large result is cut when it arrives, see `resultCharacters`.)
 */
import type { Settings } from "../settings/settings.ts";
import type { Message, Trim } from "./chat.ts";
import { areCrowded } from "./fitting-images.ts";
import type { Image } from "./image.ts";
import { countResults, SHORT_RESULT, trimmed, weighAll, withoutCleared } from "./trim.ts";

export type ContextSettings = Pick<
  Settings,
  "contextShare" | "contextTokens" | "trimTokens" | "keepResults" | "shortResult" | "notesTokens"
>;

export type ContextLimits = { readonly trimAt: number; readonly summariseAt: number };

/** A model that reads no prose has no limit, and its conversation is not weighed before each request. */
const WITHOUT_LIMIT = Number.MAX_SAFE_INTEGER;

/** False for the models that are programs. */
export const readsProse = (window: number): boolean => window < WITHOUT_LIMIT;

export function limitsOf(
  window: number,
  settings: Pick<ContextSettings, "contextShare" | "contextTokens" | "trimTokens">,
): ContextLimits {
  if (window >= WITHOUT_LIMIT && settings.contextTokens === undefined)
    return { summariseAt: window, trimAt: window };
  const summariseAt = Math.floor(
    Math.min(window * settings.contextShare, settings.contextTokens ?? Number.POSITIVE_INFINITY),
  );
  return { summariseAt, trimAt: Math.min(settings.trimTokens, Math.floor(summariseAt / 2)) };
}

/** The size of a conversation before a request. */
export type Load = {
  /** Since the last summary, untrimmed, without entries that the model has not answered yet. */
  readonly messages: readonly Message[];
  /** Results that the model has not read yet. */
  readonly unread: number;
  /** Images that it has not seen yet. */
  readonly images: readonly Image[];
  readonly trim: Trim;
  /** Estimate of the whole request. */
  readonly tokens: number;
  readonly charactersPerToken: number;
};

/**
 * The party that may shorten earlier messages. `program`: this program, in place. `provider`: it leaves out results of messages that stay.
 * `nobody`: thoughts bind them, so only a summary helps.
 */
export type Shortener = "program" | "provider" | "nobody";

type Shorter = "snip" | "micro" | "edit";
export type Step =
  | { readonly layer: Shorter; readonly trim: Trim; readonly after: number }
  | { readonly layer: "summary" };

/** A conversation shorter than this keeps all its steps; a longer one the last half of it. */
const SNIP_ABOVE = 120;
/** Of `trimAt`: the least that a step must save to be worth more than the prefix cache. */
const WORTHWHILE = 0.2;
/** Of `trimAt`: small enough for the next step to be needless. */
const ENOUGH = 0.7;

/** Of `summariseAt`: the size that trimming must reach to avoid a summary; above it every next turn would break the cache. */
const RELIEF = 0.75;

export function compactionSteps(
  load: Load,
  limits: ContextLimits,
  { keepResults, shortResult }: Pick<ContextSettings, "keepResults" | "shortResult">,
  shortener: Shortener = "program",
): Step[] {
  const { messages, unread, charactersPerToken } = load;
  const shown = load.images.length === 0 || load.trim.cleared ? messages : trimmed(messages, load.trim);
  const crowded = areCrowded(shown, load.images);
  if (crowded && shortener !== "program") return [{ layer: "summary" }];
  if (load.tokens <= limits.trimAt && !crowded) return [];
  if (shortener === "nobody") return load.tokens > limits.summariseAt ? [{ layer: "summary" }] : [];
  const steps: Step[] = [];
  let { trim, tokens } = load;
  const view = (to: Trim): Message[] =>
    to.cleared ? withoutCleared(messages, to.cleared) : trimmed(messages, to);
  let size = weighAll(view(trim));
  const results = messages.reduce((sum, message) => sum + countResults(message), 0);
  const old = Math.max(0, Math.min(results, results + unread - keepResults));

  // Stored with the decision, so that a later setting does not change what was sent.
  const short = shortResult === SHORT_RESULT ? {} : { short: shortResult };
  if (crowded) {
    const to: Trim = { ...trim, ...short, results: old, cleared: undefined };
    const isEnough = old > trim.results && !areCrowded(trimmed(messages, to), load.images);
    return isEnough ? [{ layer: "micro", trim: to, after: tokens }] : [{ layer: "summary" }];
  }
  const attempt = (layer: Shorter, to: Trim): void => {
    if (tokens <= limits.trimAt * ENOUGH) return;
    const smaller = weighAll(view(to));
    const saved = (size - smaller) / charactersPerToken;
    if (saved < limits.trimAt * WORTHWHILE) return;
    trim = to;
    size = smaller;
    tokens -= saved;
    steps.push({ layer, trim, after: Math.round(tokens) });
  };
  if (shortener === "provider") {
    const { results: before, all } = trim.cleared ?? { results: 0, all: false };
    if (old > before) attempt("edit", { ...trim, cleared: { results: old, all } });
    if (!all && tokens > limits.summariseAt)
      attempt("edit", { ...trim, cleared: { results: old, all: true } });
  } else {
    if (messages.length - trim.steps > SNIP_ABOVE)
      attempt("snip", { ...trim, steps: messages.length - SNIP_ABOVE / 2, cleared: undefined });
    if (old > trim.results) attempt("micro", { ...trim, ...short, results: old, cleared: undefined });
    if (old > trim.reads && tokens > limits.summariseAt)
      attempt("micro", { ...trim, ...short, results: old, reads: old, cleared: undefined });
  }
  const wanted = load.tokens > limits.summariseAt ? limits.summariseAt * RELIEF : limits.summariseAt;
  return tokens > wanted ? [{ layer: "summary" }] : steps;
}

/** Characters of a token before the first reply tells us: a low guess, so that the estimate errs upwards. */
export const CHARACTERS_PER_TOKEN = 3.5;

/** From the real usage of the last reply. Very small requests tell nothing, and an implausible count is ignored. */
export function calibrated(known: number, characters: number, inputTokens: number): number {
  if (inputTokens < 200 || characters < 800) return known;
  return Math.min(6, Math.max(1, characters / inputTokens));
}

/** The longest result in a conversation with this window; a longer one keeps its head and tail, and a file has all of it. */
export const resultCharacters = (window: number): number =>
  Math.round(Math.min(60_000, Math.max(4_000, window * 0.8)));
