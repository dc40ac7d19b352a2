/** The status that an error in the body of an answer stands for: gateways send errors with status 200, and in a stream there is no other. */
import { StreamBroken } from "./stream.ts";

/** Words that vendors put in the place of a status, in lower case. */
const WORDS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_argument: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  unauthenticated: 401,
  billing_error: 402,
  insufficient_quota: 402,
  insufficient_credits: 402,
  insufficient_balance: 402,
  payment_required: 402,
  permission_error: 403,
  permission_denied: 403,
  not_found_error: 404,
  not_found: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  resource_exhausted: 429,
  api_error: 500,
  internal: 500,
  server_error: 500,
  unavailable: 503,
  deadline_exceeded: 504,
  timeout_error: 504,
  overloaded_error: 529,
};
const CODES = ["code", "status", "status_code", "statusCode", "http_code"];

/** By a number, then by a word, in the object itself, its `error` and the `error` of its `response`. */
export function statusIn(value: unknown): number | undefined {
  const found = [...CODES, "type"].map((field) => at(value, field));
  const numbered = found
    .map((one) => Number(one))
    .find((one) => Number.isInteger(one) && one >= 400 && one < 600);
  if (numbered !== undefined) return numbered;
  const inner = at(value, "error") ?? at(at(value, "response"), "error");
  const within = inner === undefined || inner === null ? undefined : statusIn(inner);
  return (
    within ??
    found.map((one) => (typeof one === "string" ? WORDS[one.toLowerCase()] : undefined)).find(Boolean)
  );
}

const at = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

export type Json = Readonly<Record<string, unknown>>;

export const isError = (answer: Json): boolean =>
  (answer?.error !== undefined && answer.error !== null) ||
  answer?.type === "error" ||
  statusIn(answer) !== undefined;

/** An error like that of an answer with that status. */
export function errorOf(answer: Json, text: string): Error {
  const status = statusIn(answer);
  const error = answer.error ?? answer;
  const of = (key: string): string => {
    const found = (error as Json)[key] ?? answer[key];
    return typeof found === "string" ? found : "";
  };
  const message = typeof error === "string" ? error : of("message") || of("detail") || of("msg") || text;
  if (status === undefined) return new StreamBroken("the provider answered with an error", { message });
  return Object.assign(new Error(message), { statusCode: status, responseBody: text });
}
