/** A `Model` over one vendor's connection. `vendors/` has the differences between vendors; this file has what they share. */
import { createHash } from "node:crypto";
import type { AssistantMessage, Maker } from "../../core/conversation/chat.ts";
import { imagesOf } from "../../core/conversation/fitting-images.ts";
import { imageLeftOut } from "../../core/conversation/image.ts";
import { EkidenError } from "../../core/errors.ts";
import { type Effort, nearestEffort } from "../../core/settings/effort.ts";
import { type Capabilities, type ModelSetting, usdOf, windowOf } from "../../core/settings/models.ts";
import type { Model, ModelRequest, Reply, ReplyOptions } from "../../ports/model.ts";
import { failureOf } from "./failures.ts";
import { type Read, readReply } from "./stream.ts";
import type { Connection, VendorRequest } from "./vendor.ts";
import { type Patience, Watchdog } from "./watchdog.ts";

export type ConnectedOptions = {
  readonly spec: string;
  /** The model's name at its vendor. */
  readonly name: string;
  readonly keyVariable: string;
  readonly capabilities: Capabilities;
  readonly known?: ModelSetting | undefined;
  /** For requests that name no effort. */
  readonly effort?: Effort | undefined;
  readonly patience: Patience;
  /** For a caller with a fallback. */
  readonly fallbackPatience: Patience;
  /** Where the person's images are. */
  readonly outputDir?: string | undefined;
};

/** For retrying.ts: the provider has begun to answer. */
export type AliveOptions = ReplyOptions & { readonly onAlive?: () => void };

const NO_IMAGES: VendorRequest["imageOf"] = (image) => ({ text: imageLeftOut(image) });

/** Writing to the cache for an hour costs twice the input, for five minutes 1.25 times. */
const FOR_AN_HOUR = 2 / 1.25;

/** Tokens that a short reply gets in addition where a model thinks first: its limit counts thoughts too. */
const FOR_THOUGHTS = 4_000;
const SHORT_REPLY = 8_000;

/** Leaves out, from then on, a setting that the provider refused and that the request can do without. */
function askerOf(connection: Connection) {
  let bare = false;
  const ask = async (
    request: Omit<VendorRequest, "bare">,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<Connection["ask"]>>> => {
    if (bare || !connection.bareAfter) return await connection.ask({ ...request, bare }, signal);
    try {
      return await connection.ask({ ...request, bare }, signal);
    } catch (error) {
      const refusal = error instanceof Error ? (error as Error & { statusCode?: number }) : null;
      if (refusal?.statusCode !== 400 || !connection.bareAfter.test(refusal.message)) throw error;
      bare = true;
      return await connection.ask({ ...request, bare }, signal);
    }
  };
  return { ask, isBare: () => bare };
}

function limitOf(
  wanted: number | undefined,
  { maxOutputTokens }: Connection,
  { thinking, longest }: Capabilities,
): number | undefined {
  if (wanted === undefined) return maxOutputTokens;
  return Math.min(longest, thinking !== "none" && wanted < SHORT_REPLY ? wanted + FOR_THOUGHTS : wanted);
}

const imagesIn = async (
  { messages }: ModelRequest,
  outputDir: string | undefined,
): Promise<VendorRequest["imageOf"]> =>
  messages.some((message) => imagesOf(message).length > 0)
    ? (await import("../images.ts")).imagesFor(messages, outputDir)
    : NO_IMAGES;

function givenUp(
  spec: string,
  { stalled, stallMs }: Watchdog,
  { contentMs }: Patience,
  hasFallback = false,
): EkidenError {
  const setting = hasFallback ? "fallbackContentMs" : "progressTimeoutMs";
  const what =
    stalled === "silence"
      ? `nothing was heard for ${stallMs / 1000} s`
      : `no piece of the reply came for ${contentMs / 1000} s (${setting})`;
  return new EkidenError("model_overloaded", `${spec}: ${what}, so Ekiden gave up on the call.`, {
    details: { stalled: true },
  });
}

function costOf(
  usage: Read["usage"],
  name: string,
  known: ConnectedOptions["known"],
): Pick<Reply, "usage" | "usd"> {
  const inputTokens = usage.inputTokens.total ?? 0;
  const cachedTokens = usage.inputTokens.cacheRead ?? 0;
  const written = usage.inputTokens.cacheWrite ?? 0;
  const lasting = Number(usage.raw?.writtenForAnHour ?? 0);
  const outputTokens = usage.outputTokens.total ?? 0;
  const tokens = {
    fresh: Math.max(0, inputTokens - cachedTokens - written),
    cached: cachedTokens,
    written: written + lasting * (FOR_AN_HOUR - 1),
    output: outputTokens,
  };
  return { usage: { inputTokens, cachedTokens, outputTokens }, usd: usdOf(name, tokens, known) };
}

export function connectedModel(
  connection: Connection,
  { spec, name, keyVariable, capabilities, known, outputDir, ...rest }: ConnectedOptions,
): Model {
  const by: Maker = { model: spec, account: accountOf(connection.secret) };
  const isOwn = ({ by: maker }: AssistantMessage): boolean =>
    maker === undefined || (maker.model === by.model && maker.account === by.account);
  const asked = askerOf(connection);

  async function reply(request: ModelRequest, options: AliveOptions): Promise<Reply> {
    options.signal.throwIfAborted();
    const maxOutputTokens = limitOf(request.maxOutputTokens, connection, capabilities);
    const wanted = request.effort ?? rest.effort;
    const effort = wanted && nearestEffort(wanted, capabilities.efforts);
    const patience = options.hasFallback ? rest.fallbackPatience : rest.patience;
    const watchdog = new Watchdog(options.signal, patience);
    try {
      const imageOf = await imagesIn(request, outputDir);
      const limit = maxOutputTokens !== undefined && { maxOutputTokens };
      const { stream } = await asked.ask({ ...request, ...limit, effort, imageOf, isOwn }, watchdog.signal);
      options.onAlive?.();
      const { message, stop, usage, sources } = await readReply(stream, options.onDelta, () =>
        watchdog.progressed(),
      );
      const cost = costOf(usage, name, known);
      return { message: { ...message, by }, stop, ...(sources.length > 0 && { sources }), ...cost };
    } catch (error) {
      options.signal.throwIfAborted();
      if (watchdog.stalled) throw givenUp(spec, watchdog, patience, options.hasFallback);
      throw failureOf(error, { spec, keyVariable, secret: connection.secret, now: Date.now() });
    } finally {
      watchdog.end();
    }
  }

  const { longestReply } = connection;
  return {
    spec,
    get window() {
      return connection.loadedWindow?.() ?? windowOf(name, known);
    },
    bindsPrefix: capabilities.binds,
    get clears() {
      return connection.clears === true && capabilities.clears && !asked.isBare();
    },
    caches: true,
    account: keyVariable === "" || connection.secret === "" ? undefined : `${keyVariable} ${markOf(by)}`,
    searches: connection.searches === true,
    reply,
    ...(longestReply !== undefined && { longestReply }),
  };
}

const MARK = 6;
const markOf = ({ account }: Maker): string => account.slice(0, MARK);

/** A key cannot be found out from it. */
const accountOf = (key: string): string =>
  createHash("sha256").update(`ekiden ${key}`).digest("hex").slice(0, 12);
