/**
 * `fetch` for model calls, over node:http. The built-in one compiles a WebAssembly parser at its first use, which costs 40 ms of
 * a cold start, 30 MB of memory and 120 ms of CPU: a third of a small run. The cases it lacks (redirects, bodies that are not
 * text) go to the built-in one. It has no time limit for a silent answer: the watchdog has one.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { askByProxy, proxyFor } from "../proxied.ts";
import type { WholeAnswer } from "./whole-answers.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** A `Response` with one of these may not have a body. */
const EMPTY = new Set([204, 205, 304]);

/**
 * @param onBytes called for the head of the answer and for each piece of it
 * @param whole reads JSON in the place of a stream
 * @throws TypeError "fetch failed" as fetch does
 */
export async function httpFetch(
  input: Parameters<typeof fetch>[0],
  init: RequestInit = {},
  onBytes: () => void = () => {},
  whole: WholeAnswer | null = null,
): Promise<Response> {
  const { method = "GET", body, signal } = init;
  const url = typeof input === "string" || input instanceof URL ? new URL(input) : null;
  if (!url || !/^https?:$/.test(url.protocol) || !(typeof body === "string" || body == null))
    return fetch(input, init);
  signal?.throwIfAborted();
  const headers = Object.fromEntries(new Headers(init.headers));
  const answer = noPage(url, await send(url, { method, headers, ...(signal && { signal }) }, body ?? ""));
  onBytes();
  const status = answer.statusCode ?? 0;
  if (redirects(answer)) return fetch(input, init);
  if (EMPTY.has(status)) answer.resume();
  return new Response(
    EMPTY.has(status) ? null : bytesOf(await decoded(answer), onBytes, status === 200 ? whole : null),
    {
      status,
      statusText: answer.statusMessage ?? "",
      headers: headersOf(answer),
    },
  );
}

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Strings, as they arrive. A reader that does not read to the end must destroy it. */
  readonly text: Readable;
};

/** The same without a `Response`, which alone costs 45 ms of a start: it makes Node load its own `fetch`. */
export async function ask(
  url: URL,
  options: {
    /** Default: POST. */
    readonly method?: "GET" | "POST";
    readonly headers?: Record<string, string>;
    readonly body?: string;
    readonly signal: AbortSignal;
    readonly onBytes?: () => void;
  },
): Promise<Answer> {
  const { method = "POST", headers = {}, body = "", signal, onBytes = () => {} } = options;
  signal.throwIfAborted();
  const how = { method, headers, signal };
  const answer = noPage(url, await send(url, how, body));
  onBytes();
  const given = redirects(answer)
    ? await followed(url, { ...how, ...(body && { body }) })
    : { status: answer.statusCode ?? 0, headers: answer.headers, text: await decoded(answer) };
  // A reader hears of an error by reading; without a reader nobody needs to.
  given.text
    .on("data", onBytes)
    .on("error", () => {})
    .pause();
  given.text.setEncoding("utf8");
  return given;
}

/** A page comes from a wrong address, or from a network that wants a sign-in. @throws Error */
function noPage({ origin, pathname }: URL, answer: IncomingMessage): IncomingMessage {
  if (answer.statusCode !== 200 || !/^text\/html\b/.test(answer.headers["content-type"] ?? "")) return answer;
  answer.destroy();
  throw new Error(
    `${origin}${pathname} answers with a web page. Check the address of the provider, and whether the network wants a sign-in`,
  );
}

/** The error of an answer that is none, with the words of the vendor. */
export async function refusal({ status, headers, text }: Answer): Promise<Error> {
  let body = "";
  for await (const chunk of text) body += chunk;
  let message = body;
  try {
    const { error } = JSON.parse(body) as { error?: string | { message?: string } };
    message = (typeof error === "string" ? error : error?.message) ?? body;
  } catch {
    // Not the vendor's words but a proxy's: shown as they are.
  }
  return Object.assign(new Error(message || `status ${status}`), {
    statusCode: status,
    responseHeaders: headers,
    responseBody: body,
  });
}

async function followed(url: URL, init: RequestInit): Promise<Answer> {
  const { status, headers, body } = await fetch(url, init);
  const text = body ? Readable.fromWeb(body as NodeReadableStream) : Readable.from([]);
  return { status, headers: Object.fromEntries(headers), text };
}

/** Whether the built-in `fetch` has to follow a redirect. */
function redirects(answer: IncomingMessage): boolean {
  const elsewhere = REDIRECTS.has(answer.statusCode ?? 0) && answer.headers.location !== undefined;
  if (elsewhere) answer.resume();
  return elsewhere;
}

type Options = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly signal?: AbortSignal;
};

async function send(url: URL, options: Options, body: string): Promise<IncomingMessage> {
  const proxy = proxyFor(url);
  if (proxy !== null) return await sendByProxy(proxy, url, options, body);
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  for (;;) {
    let sent: ClientRequest | undefined;
    try {
      return await new Promise<IncomingMessage>((resolve, reject) => {
        sent = request(url, options, resolve).on("error", reject);
        sent.end(body);
      });
    } catch (error) {
      options.signal?.throwIfAborted();
      // The server closed a kept connection just as it was used again: it has not read the request.
      if (sent?.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET") continue;
      throw new TypeError("fetch failed", { cause: error }); // callers recognise a failed connection by these words
    }
  }
}

async function sendByProxy(
  proxy: string,
  url: URL,
  options: Options,
  body: string,
): Promise<IncomingMessage> {
  try {
    const { statusCode, headers, body: answer } = await askByProxy(proxy, url, { ...options, body });
    const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().flatMap((one) => [name, one]),
    );
    return Object.assign(answer, { statusCode, headers, rawHeaders }) as unknown as IncomingMessage;
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new TypeError("fetch failed", { cause: error });
  }
}

/** We do not ask for compression, but a proxy may compress. */
async function decoded(answer: IncomingMessage): Promise<Readable> {
  const encoding = answer.headers["content-encoding"] ?? "identity";
  if (!/^(gzip|x-gzip|deflate|br)$/.test(encoding)) return answer;
  const [{ createBrotliDecompress, createUnzip }, { pipeline }] = await Promise.all([
    import("node:zlib"),
    import("node:stream"),
  ]);
  return pipeline(answer, encoding === "br" ? createBrotliDecompress() : createUnzip(), () => {});
}

/** One stream instead of the three that stacked adapters would make: they cost more than the reading. */
function bytesOf(
  source: Readable,
  onBytes: () => void,
  whole: WholeAnswer | null,
): ReadableStream<Uint8Array> {
  let cancelled = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      source.on("data", (chunk: Buffer) => {
        if (cancelled) return;
        onBytes();
        const events = whole ? whole.take(chunk) : chunk;
        if (events === null) return;
        controller.enqueue(events);
        if ((controller.desiredSize ?? 0) <= 0) source.pause();
      });
      // An end that was under way comes also to a reader that has gone, and would end the process.
      source.on("end", () => {
        if (cancelled) return;
        const close = (events?: string): void => {
          if (cancelled) return;
          if (events) controller.enqueue(Buffer.from(events));
          controller.close();
        };
        if (whole?.isJson) whole.end().then(close, (error: unknown) => cancelled || controller.error(error));
        else close();
      });
      source.on("error", (error) => cancelled || controller.error(error));
    },
    pull: () => void source.resume(),
    cancel: () => {
      cancelled = true;
      source.destroy();
    },
  });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    headers.append(rawHeaders[i] ?? "", rawHeaders[i + 1] ?? "");
  return headers;
}
