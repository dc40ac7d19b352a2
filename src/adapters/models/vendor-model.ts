/** A `Model` over one vendor's connection. `vendors/` has the differences between vendors; this file has what they share. */
import { imageLeftOut, imagesOf } from "../../core/conversation/image.ts";
import { EkidenError } from "../../core/errors.ts";
import { usdOf, windowOf } from "../../core/prices.ts";
import type { Model, ModelRequest, Reply, ReplyOptions } from "../../ports/model.ts";
import { failureOf } from "./failures.ts";
import { readReply } from "./stream.ts";
import type { Connection, VendorRequest } from "./vendor.ts";
import { Watchdog } from "./watchdog.ts";

export type ConnectedOptions = {
  readonly spec: string;
  /** The model's name at its vendor. */
  readonly name: string;
  readonly keyVariable: string;
  readonly stallMs: number;
  readonly progressMs: number;
  /** Where the person's images are. */
  readonly outputDir?: string | undefined;
};

/** For retrying.ts: the provider has begun to answer. */
export type AliveOptions = ReplyOptions & { readonly onAlive?: () => void };

const NO_IMAGES: VendorRequest["imageOf"] = (image) => ({ text: imageLeftOut(image) });

export function connectedModel(
  connection: Connection,
  { spec, name, keyVariable, stallMs, progressMs, outputDir }: ConnectedOptions,
): Model {
  const imagesIn = async ({ messages }: ModelRequest): Promise<VendorRequest["imageOf"]> =>
    messages.some((message) => imagesOf(message).length > 0)
      ? (await import("../images.ts")).imagesFor(messages, outputDir)
      : NO_IMAGES;

  async function reply(request: ModelRequest, options: AliveOptions): Promise<Reply> {
    options.signal.throwIfAborted();
    const maxOutputTokens = request.maxOutputTokens ?? connection.maxOutputTokens;
    const watchdog = new Watchdog(options.signal, stallMs, progressMs);
    try {
      const imageOf = await imagesIn(request);
      const limit = maxOutputTokens !== undefined && { maxOutputTokens };
      const { stream } = await connection.ask({ ...request, ...limit, imageOf }, watchdog.signal);
      options.onAlive?.();
      const { message, stop, usage } = await readReply(stream, options.onDelta, () => watchdog.progressed());
      const inputTokens = usage.inputTokens.total ?? 0;
      const cached = usage.inputTokens.cacheRead ?? 0;
      const written = usage.inputTokens.cacheWrite ?? 0;
      const output = usage.outputTokens.total ?? 0;
      return {
        message,
        stop,
        usage: { inputTokens, cachedTokens: cached, outputTokens: output },
        usd: usdOf(name, { fresh: Math.max(0, inputTokens - cached - written), cached, written, output }),
      };
    } catch (error) {
      options.signal.throwIfAborted();
      if (watchdog.stalled)
        throw new EkidenError(
          "model_overloaded",
          watchdog.stalled === "silence"
            ? `${spec}: nothing was heard for ${stallMs / 1000} s, so the call was given up.`
            : `${spec}: no piece of the reply came for ${progressMs / 1000} s (progressTimeoutMs), so the call was given up.`,
        );
      throw failureOf(error, { spec, keyVariable, secret: connection.secret, now: Date.now() });
    } finally {
      watchdog.end();
    }
  }

  const { longestReply } = connection;
  return { spec, window: windowOf(name), reply, ...(longestReply !== undefined && { longestReply }) };
}
