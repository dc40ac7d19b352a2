/**
 * Turns the errors of vendors and networks into our error class. It holds nothing of the request: no key, no conversation.
 * `details.everyone`: every other call to this provider would fail alike now (see rate-limit-gate.ts). `details.limit`: the account may do
 * nothing more for a while (core/limits/answers.ts).
 */

import { EkidenError, type ErrorDetails, isEkidenError } from "../../core/errors.ts";
import { instant } from "../../core/ids.ts";
import { type Headers, limitIn, waitIn } from "../../core/limits/answers.ts";
import { cutEnd } from "../../core/text/valid.ts";
import { statusIn } from "./answered-status.ts";
import { StreamBroken } from "./stream.ts";

export type FailureContext = {
  readonly spec: string;
  /** The variable that holds the key, or "" when the provider needs none. */
  readonly keyVariable: string;
  readonly secret: string;
  /** Milliseconds since the epoch, for a Retry-After that is a date. */
  readonly now: number;
};

const OVERFLOW =
  /prompt is too long|maximum context length|context[ _]length[ _]exceeded|exceeds? (the |your )?(available )?context|exceed context limit|input token count.*exceeds|too many (input )?tokens|input is too long|request_too_large|reduce the length of (the|your) (messages|prompt|input)|maximum prompt length|exceeded model token limit|prompt exceeds max length|token count of \d+ exceeds|payload size exceeds|greater than the context length/i;
/** Servers of models without vision say so with any status, llama.cpp with 500. */
const NO_IMAGES =
  /(image input|images?|vision) (is|are) not supported|(does not|doesn't|cannot) (support|accept) (images?|vision|image input)|missing data required for image input/i;
/**
 * The subject of a refusal, by its words; the first that fits. A place in the request (`messages.2.content`, `input[3]`) counts more than
 * what is said of it. Words such as "invalid argument" name nothing.
 */
const ABOUT: readonly (readonly [NonNullable<ErrorDetails["about"]>, RegExp])[] = [
  ["images", /\bimages?\b|image_url|\bvision\b|multimodal/i],
  ["conversation", /\b(messages|contents|input)(\.|\[)?\d|\bmessages: /i],
  [
    "request",
    /\b(tools|functions|function_declarations|properties)(\.|\[)?\d|\bun(known|recognized|supported|expected) (request )?(name|parameter|value|field|argument)|extra inputs|max_(output_|completion_)?tokens|temperature|thinking[._]|thinking (level|budget)|effort|credit|billing|quota|payment|balance|account|organi[sz]ation|api key|\bmodel\b.*(not (found|exist|supported|available)|does not exist|deprecated|retired)|no such model/i,
  ],
  [
    "conversation",
    /\b(conversation|prompt|roles?|turn|content|text|characters?|unicode|utf-8|surrogate|special token)\b|tool[_ ](use|result|calls?|call_id)|function[_ ](call|response)|thought_?signature|thought signature|\b(reasoning|thinking|thought)\b/i,
  ],
];
const aboutOf = (said: string): ErrorDetails["about"] => ABOUT.find(([, words]) => words.test(said))?.[0];
/** Refusals by the provider packages: nothing was sent, and another try would not help. */
const OURS =
  /^AI_(InvalidPrompt|InvalidArgument|UnsupportedFunctionality|NoSuchModel|LoadAPIKey|LoadSetting)Error$/;
/** Statuses that are about the provider, not about this request. */
const EVERYONE = new Set([429, 502, 503, 529]);

export function failureOf(given: unknown, context: FailureContext): EkidenError {
  if (isEkidenError(given)) return given;
  // A package reports a failure while it reads an answer as one with the status of the answer.
  const thrown = numberAt(given, "statusCode") === 200 ? (at(given, "cause") ?? given) : given;
  const error = thrown instanceof StreamBroken && thrown.error !== undefined ? thrown.error : thrown;
  const status = numberAt(error, "statusCode") ?? (thrown === error ? undefined : statusIn(error));
  const said = redacted(wordsOf(error), context.secret);
  const fail = (code: EkidenError["code"], message: string, details: ErrorDetails = {}): EkidenError =>
    new EkidenError(code, `${context.spec}: ${message}`, {
      details: { ...details, ...(status !== undefined && { status }) },
    });

  if (OVERFLOW.test(said) && (status === undefined || status < 500))
    return fail("context_overflow", `the request has more tokens than the model takes. ${said}`);
  if (status === undefined && OURS.test(stringAt(thrown, "name") ?? ""))
    return fail("model_refused", `the request cannot be put to this provider. ${said}`);
  if (status === undefined) {
    const lost = unreachable(thrown);
    if (lost) return fail("model_overloaded", `cannot be reached (${lost}).`, { everyone: true });
    const what = thrown instanceof StreamBroken ? thrown.message : "the reply could not be read";
    return fail("model_overloaded", `${what}${said && said !== what ? `: ${said}` : ""}.`);
  }
  if (NO_IMAGES.test(said))
    return fail("model_refused", `the model takes no images (${status}). ${said}`, { about: "images" });
  // Google says it with 400.
  if (status === 401 || status === 403 || /api key (not valid|expired)/i.test(said))
    return fail(
      "model_auth",
      `the provider refused the key (${status}). ${context.keyVariable ? `Check ${context.keyVariable}. ` : ""}${said}`,
    );
  if (status === 413)
    return fail("context_overflow", `the request has more bytes than the provider takes (413). ${said}`);
  const retryAfterMs = waitOf(error, said, context.now);
  const limit = limitIn(status, headersOf(error), said + bodyOf(error), retryAfterMs);
  const asked: ErrorDetails = {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(limit !== null && { limit }),
  };
  // An exhausted quota looks like a rate limit, but waiting does not help.
  if (limit === "credit" && status === 429)
    return fail("model_refused", `the account's quota is used up. ${said}`, { about: "request", ...asked });
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500 || status < 400)
    return fail("model_overloaded", `the provider is busy or broken (${status}). ${said}`, {
      ...(EVERYONE.has(status) && { everyone: true }),
      ...asked,
    });
  const about = aboutOf(said);
  return fail("model_refused", `the provider refused the request (${status}). ${said}`, {
    ...(about && { about }),
    ...(limit !== null && asked),
  });
}

/** The failure of a request before it began, in a word, or null when it began. */
function unreachable(thrown: unknown): string | null {
  for (let error = thrown, i = 0; error instanceof Error && i < 5; error = error.cause, i += 1) {
    const code = (error as NodeJS.ErrnoException).code;
    if (
      code &&
      /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO_\w+)$/.test(
        code,
      )
    )
      return code;
  }
  return null;
}

/** The vendor's message: from its error object, at any depth, or from the exception. */
function wordsOf(error: unknown): string {
  const message = stringAt(error, "message");
  if (message) {
    const type = stringAt(error, "type");
    return type && type !== "error" && !message.includes(type) ? `${type}: ${message}` : message;
  }
  const inner = at(error, "error");
  if (inner !== undefined) return wordsOf(inner);
  const response = at(at(error, "response"), "error");
  if (response !== undefined) return wordsOf(response);
  return typeof error === "string" ? error : bodyOf(error);
}

const bodyOf = (error: unknown): string => stringAt(error, "responseBody") ?? "";

/** One line of limited length, without the key or anything that looks like one. */
export function redacted(text: string, secret: string): string {
  const known = secret.length >= 6 ? text.replaceAll(secret, "[key]") : text;
  const safe = known
    .replace(/\b(sk|AIza|key|Bearer)[-_ ]?[A-Za-z0-9_-]{16,}/g, "[key]")
    .replace(/\s+/g, " ")
    .trim();
  return safe.length > 400 ? `${cutEnd(safe, 399)}…` : safe;
}

const headersOf = (error: unknown): Headers => (at(error, "responseHeaders") ?? {}) as Headers;

/**
 * The time that the provider asks us to wait: `retry-after-ms`, `retry-after` in seconds or as a date, Google's `retryDelay`, or the end of
 * its limit.
 */
function waitOf(error: unknown, said: string, now: number): number | undefined {
  const headers = headersOf(error);
  const ms = Number.parseFloat(stringAt(headers, "retry-after-ms") ?? "");
  if (ms >= 0) return ms;
  const after = stringAt(headers, "retry-after");
  if (after !== undefined) {
    const seconds = Number(after);
    if (seconds >= 0) return seconds * 1000;
    const date = Date.parse(after);
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  const delay = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(bodyOf(error))?.[1];
  return delay === undefined ? waitIn(headers, said, instant(now)) : Number(delay) * 1000;
}

const at = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
const stringAt = (value: unknown, key: string): string | undefined => {
  const found = at(value, key);
  return typeof found === "string" && found !== "" ? found : undefined;
};
const numberAt = (value: unknown, key: string): number | undefined => {
  const found = at(value, key);
  return typeof found === "number" ? found : undefined;
};
