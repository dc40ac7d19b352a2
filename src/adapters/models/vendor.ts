/**
 * One vendor of models: where its key comes from and how to connect. Its package is imported when one of its models is opened,
 * because each costs 20 to 80 ms and 10 to 20 MB.
 */
import type { AssistantMessage } from "../../core/conversation/chat.ts";
import type { Image } from "../../core/conversation/image.ts";
import type { Capabilities } from "../../core/settings/models.ts";
import type { ModelRequest } from "../../ports/model.ts";
import type { SentImage } from "../images.ts";
import type { PartStream } from "./stream.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type Whereabouts = {
  readonly env: Environment;
  /** From `--base-url` or the settings; if it is empty, the vendor's own variable counts. */
  readonly baseUrl: string;
};
export type ConnectOptions = Whereabouts & {
  readonly fetch: typeof globalThis.fetch;
  readonly capabilities: Capabilities;
  /** Tokens of context that the person wants, from the same setting. */
  readonly window?: number | undefined;
  /** Fields for each request, as they are, from the setting `models`. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
};

export type VendorRequest = ModelRequest & {
  readonly imageOf: (image: Image) => SentImage;
  /** This model and account made the message, so its thoughts and signatures go back. */
  readonly isOwn: (message: AssistantMessage) => boolean;
  /** Without settings that not every server or account may use: betas, summaries of thoughts. */
  readonly bare: boolean;
};

export type Connection = {
  /** Asks for a reply. Rejects with errors of the vendor and of the network; see failures.ts. */
  readonly ask: (request: VendorRequest, signal: AbortSignal) => PromiseLike<{ readonly stream: PartStream }>;
  /** The address in use, without credentials: for messages and for the shared gate. */
  readonly address: string;
  /** The key, which must never appear in a message. */
  readonly secret: string;
  readonly maxOutputTokens?: number;
  /** Words of a refusal after which the request is sent again, `bare`. */
  readonly bareAfter?: RegExp;
  /** It clears old results for requests that say so, where the model can. */
  readonly clears?: boolean;
  /** Tokens of context that its server has loaded the model with, once it is known. */
  readonly loadedWindow?: () => number | undefined;
  /** It searches the web for requests that say so. */
  readonly searches?: boolean;
  /** The limit to ask for after a reply was cut off. */
  readonly longestReply?: number;
};

export interface Vendor {
  /** The part of a spec before the slash. */
  readonly name: string;
  /** The environment variable of its key; "" when it needs none. */
  readonly keyVariable: string;
  /** Used for a spec without a model; "" when no default makes sense. */
  readonly defaultModel: string;
  /** The address of its service; null when it is unknown. @throws EkidenError `model_missing` for an invalid address */
  address(where: Whereabouts): string | null;
  /** @throws EkidenError `model_missing` when an address is needed and missing. */
  connect(model: string, options: ConnectOptions): Promise<Connection>;
}

/** An address without a slash at its end and without `/v1`. */
export const withoutVersion = (url: string): string => url.replace(/\/+$/, "").replace(/\/v1$/, "");
