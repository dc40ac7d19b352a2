/** Reads the answers of a forge: bounded bytes, JSON or text, its faults, its limits, and where the next page is. */
import { EkidenError } from "../../core/errors.ts";
import { of } from "../../core/forge/json.ts";
import { tried } from "../../core/tried.ts";
import { askByProxy, proxyFor } from "../proxied.ts";

const TIMEOUT_MS = 20_000;
const BYTES_MAX = 20 * 1024 * 1024;

export type Raw = {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string;
};
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** By the proxy of the environment, where it names one. Redirects are answers. */
export async function answerOf(
  url: URL,
  method: Method,
  headers: Record<string, string>,
  body?: string,
): Promise<Raw> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const asked = { method, headers, signal, ...(body !== undefined && { body }) };
  const proxy = proxyFor(url);
  if (proxy === null) {
    const { status, headers: said, body: parts } = await fetch(url, { ...asked, redirect: "manual" });
    const text = await limited((parts ?? []) as AsyncIterable<Uint8Array>);
    return { status, text, header: (name) => said.get(name) ?? "" };
  }
  const { statusCode: status, headers: said, body: parts } = await askByProxy(proxy, url, asked);
  return { status, text: await limited(parts), header: (name) => String(said[name] ?? "") };
}

/** At most so many bytes. */
async function limited(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > BYTES_MAX) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Of a connection that was never made. */
export const UNSENT: ReadonlySet<string> = new Set(
  "ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH".split(" "),
);

export const urlIn = (text: string, base: URL): URL | null =>
  URL.canParse(text, base.href) ? new URL(text, base) : null;

/** Seconds, or a date. Null for none. */
export function secondsOf(text: string, now: number): number | null {
  const seconds = text === "" ? Number.NaN : Number(text);
  if (seconds >= 0) return seconds;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, (at - now) / 1_000);
}

/** The next page by the header `Link`. It is asked for where this one was: the token goes nowhere else. */
export function nextOf(link: string, here: URL): string {
  const [, to] = /<([^<>]*)>\s*;[^<]*\brel="?next"?/.exec(link) ?? [];
  const url = to === undefined ? null : urlIn(to, here);
  if (!url) return "";
  return url.origin === here.origin ? url.href : `${here.origin}${here.pathname}${url.search}`;
}

/** JSON as its value, anything else as text. */
export const dataOf = (text: string): unknown =>
  text === "" ? null : tried<unknown, string>(() => JSON.parse(text), text);

/** What the forge says of a fault, also in lists. */
export const wordsOf = (data: unknown): string =>
  [of(data).message, of(data).error, of(data).errors]
    .flat()
    .flatMap((one) => [of(one).type, of(one).message ?? one])
    .filter(Boolean)
    .map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
    .join(": ")
    .slice(0, 500);

/** `isUndone`: nothing was done, whatever it was. */
export function away(text: string, retryAfterMs?: number, isUndone = retryAfterMs !== undefined) {
  const details = { ...(retryAfterMs !== undefined && { retryAfterMs }), ...(isUndone && { isUndone }) };
  return new EkidenError("forge_away", `${text}.`, { details });
}
export const refused = (text: string): EkidenError =>
  new EkidenError("forge_refused", `${text} \`ekiden doctor --forge\` shows what the token may do.`);
export const unexpected = (path: string, status: number, data: unknown): EkidenError =>
  [403, 404, 410].includes(status)
    ? refused(`${path}: the forge answers ${status}${wordsOf(data) && ` (${wordsOf(data)})`}.`)
    : away(`${path} was answered with ${status}`);
