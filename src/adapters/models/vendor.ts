/**
 * What one vendor of models is to us: where its key comes from and how to connect. Its package is imported when a model of
 * it is opened and not before, because each costs 20 to 80 ms and 10 to 20 MB.
 */
import type { LanguageModelV3CallOptions, SharedV3ProviderOptions } from "@ai-sdk/provider";

import type { PartStream } from "./stream.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type Whereabouts = {
  readonly env: Environment;
  /** From `--base-url` or the settings; the vendor's own variable counts when it is empty. */
  readonly baseUrl: string;
};
export type ConnectOptions = Whereabouts & {
  readonly fetch: typeof globalThis.fetch;
};

export type Connection = {
  readonly model: { doStream(options: LanguageModelV3CallOptions): PromiseLike<{ stream: PartStream }> };
  /** The address in use, without credentials: for messages and for the shared gate. */
  readonly address: string;
  /** What must never appear in a message. */
  readonly secret: string;
  readonly maxOutputTokens?: number;
  /** What may be asked for instead, when a reply was cut off. */
  readonly longestReply?: number;
  /** With every request. */
  readonly options?: SharedV3ProviderOptions;
  /** Marks what the vendor shall cache up to, where that is asked for and not automatic. */
  readonly cacheMark?: SharedV3ProviderOptions;
};

export interface Vendor {
  /** What stands before the slash of a spec. */
  readonly name: string;
  /** The environment variable of its key; "" when it needs none. */
  readonly keyVariable: string;
  /** Taken for a spec without a model; "" when there is no sensible one. */
  readonly defaultModel: string;
  /** Where its service is; null when nobody has said. @throws EkidenError `model_missing` for what is no address */
  address(where: Whereabouts): string | null;
  /** @throws EkidenError `model_missing` when an address is needed and not given. */
  connect(model: string, options: ConnectOptions): Promise<Connection>;
}

/** An address without a slash at its end and without `/v1`. */
export const withoutVersion = (url: string): string => url.replace(/\/+$/, "").replace(/\/v1$/, "");
