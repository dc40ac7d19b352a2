/**
 * Requests to the API of GitHub: one base address, a token that goes nowhere else, ETags, and its limits. Writes go one after the other,
 * a second apart. An answer that says nothing about what was done is `forge_away`; the caller looks before it asks again.
 */
import { EkidenError, messageOf } from "../../core/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { askByProxy, proxyFor } from "../proxied.ts";

export type Access = {
  /** Without a slash at the end. */
  readonly api: string;
  readonly graphql: string;
  readonly token: string;
  readonly clock: Clock;
};

export type Answered = { readonly status: number; readonly data: unknown; readonly link: string };

const TIMEOUT_MS = 20_000;
const WRITES_APART_MS = 1_000;
const LIMITED_MS = 60_000;
const LIMITED_MAX_MS = 15 * 60_000;
const KEPT_MAX = 500;
const BYTES_MAX = 20 * 1024 * 1024;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export class GithubHttp {
  private readonly access: Access;
  private readonly kept = new Map<string, { readonly etag: string; readonly answer: Answered }>();
  private writing: Promise<unknown> = Promise.resolve();
  private lastWrite = Number.NEGATIVE_INFINITY;
  private limits = 0;
  /** No write begins later: it is another process's by then. */
  writesUntil: number = Number.POSITIVE_INFINITY;
  /** The number of requests that counted: not those that were answered by "not modified". */
  calls = 0;

  constructor(access: Access) {
    this.access = access;
  }

  /** @throws EkidenError `forge_away` | `forge_refused` (401, 403). Other answers are returned. */
  async get(path: string): Promise<Answered> {
    const known = this.kept.get(path);
    const answer = await this.ask("GET", path, undefined, known && { "if-none-match": known.etag });
    if (answer.status === 304 && known) return known.answer;
    this.kept.delete(path);
    if (answer.etag !== "" && answer.status === 200) {
      this.kept.set(path, { etag: answer.etag, answer });
      for (const old of this.kept.keys()) {
        if (this.kept.size <= KEPT_MAX) break;
        this.kept.delete(old);
      }
    }
    return answer;
  }

  /** All pages of a list, at most ten. */
  async list(path: string): Promise<unknown[]> {
    const all: unknown[] = [];
    const join = path.includes("?") ? "&" : "?";
    for (let page = 1; page <= 10; page += 1) {
      const { status, data, link } = await this.get(
        `${path}${join}per_page=100${page > 1 ? `&page=${page}` : ""}`,
      );
      if (status !== 200 || !Array.isArray(data)) throw unexpected(path, status, data);
      all.push(...data);
      if (!link.includes('rel="next"')) break;
    }
    return all;
  }

  write(method: Exclude<Method, "GET">, path: string, body: object): Promise<Answered> {
    return this.inTurn(() => this.ask(method, path, body));
  }

  /** @throws also `tool_failed` with what the forge says of the query */
  async graphql(query: string, variables: object, isWrite = false): Promise<Record<string, unknown>> {
    const ask = () => this.ask("POST", this.access.graphql, { query, variables });
    const { status, data } = await (isWrite ? this.inTurn(ask) : ask());
    const found = data as { data?: Record<string, unknown>; errors?: { message?: string }[] } | null;
    if (status !== 200 || !found?.data || found.errors?.length)
      throw new EkidenError("tool_failed", `GraphQL: ${found?.errors?.[0]?.message ?? `status ${status}`}`);
    return found.data;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.writing.then(async () => {
      const { clock } = this.access;
      const left = this.lastWrite + WRITES_APART_MS - clock.uptime();
      if (left > 0) await clock.sleep(left);
      if (clock.now() >= this.writesUntil) throw away("This process stood still, and another one may write");
      return await work().finally(() => {
        this.lastWrite = clock.uptime();
      });
    });
    this.writing = turn.catch(() => {});
    return turn;
  }

  private async ask(
    method: Method,
    path: string,
    body: object | undefined,
    more: Record<string, string> = {},
  ): Promise<Answered & { readonly etag: string }> {
    const { api, token } = this.access;
    const url = new URL(path.startsWith("/") ? `${api}${path}` : path);
    const headers = {
      ...{
        accept: "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
        "user-agent": "ekiden",
      },
      ...{ authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }), ...more },
    };
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const got = await this.raw(url, method, headers, sent);
    if (got.status !== 304) this.calls += 1;
    const limitMs = this.limitOf(got);
    if (limitMs !== null) throw away(`${url.host} asks to wait`, Math.min(limitMs, LIMITED_MAX_MS));
    if (got.status >= 500) throw away(`${url.host} answered ${got.status}`);
    this.limits = 0;
    const data = dataOf(got.text);
    if (got.status === 401) throw refused(`${url.host} does not accept the token (401).`);
    if (got.status === 403 && method === "GET") throw refused(`${path}: ${wordsOf(data) || "403"}`);
    return { status: got.status, data, link: got.header("link"), etag: got.header("etag") };
  }

  /** Logs and archives are elsewhere: the address of another host never gets the token. */
  async text(path: string): Promise<string> {
    const { api, token } = this.access;
    const got = await this.raw(new URL(`${api}${path}`), "GET", {
      authorization: `Bearer ${token}`,
      "user-agent": "ekiden",
    });
    if (got.status === 200) return got.text;
    const to = got.header("location");
    if (got.status < 301 || got.status > 308 || !URL.canParse(to, `${api}${path}`)) return "";
    const there = await this.raw(new URL(to, `${api}${path}`), "GET", { "user-agent": "ekiden" });
    return there.status === 200 ? there.text : "";
  }

  private async raw(url: URL, method: Method, headers: Record<string, string>, body?: string): Promise<Raw> {
    const { token } = this.access;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const proxy = proxyFor(url);
      if (proxy !== null) return await proxied(proxy, url, { method, headers, body, signal });
      const answer = await fetch(url, {
        method,
        headers,
        signal,
        redirect: "manual",
        ...(body !== undefined && { body }),
      });
      const header = (name: string): string => answer.headers.get(name) ?? "";
      return { status: answer.status, text: await limited(answer.body), header };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw away(`${url.host} cannot be reached: ${messageOf(cause).replaceAll(token, "…")}`);
    }
  }

  /** Milliseconds to wait; null where no limit was reached. Without a time it waits a minute, then twice as long each time. */
  private limitOf({ status, text, header }: Raw): number | null {
    if (status !== 403 && status !== 429) return null;
    const after = Number.parseFloat(header("retry-after"));
    const isUsedUp = header("x-ratelimit-remaining") === "0";
    if (status === 403 && !(after >= 0) && !isUsedUp && !/rate limit/i.test(text)) return null;
    const backoff = LIMITED_MS * 2 ** this.limits;
    this.limits = Math.min(this.limits + 1, 4);
    if (after >= 0) return Math.max(1_000, after * 1_000);
    const reset = Number(header("x-ratelimit-reset")) * 1_000;
    return isUsedUp && reset > 0 ? Math.max(1_000, reset - this.access.clock.now()) : backoff;
  }
}

type Raw = { readonly status: number; readonly text: string; readonly header: (name: string) => string };

async function proxied(
  proxy: string,
  url: URL,
  ask: { method: string; headers: Record<string, string>; body: string | undefined; signal: AbortSignal },
): Promise<Raw> {
  const { statusCode, headers, body } = await askByProxy(proxy, url, ask as Parameters<typeof askByProxy>[2]);
  return {
    status: statusCode,
    text: await limited(body),
    header: (name) => String(headers[name] ?? ""),
  };
}

/** At most so many bytes. */
async function limited(body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > BYTES_MAX) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function dataOf(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const wordsOf = (data: unknown): string => {
  const { message = "", errors = [] } = (data ?? {}) as { message?: string; errors?: { message?: string }[] };
  const more = Array.isArray(errors) ? errors.flatMap((one) => one?.message ?? []) : [];
  return [message, ...more].filter(Boolean).join(": ").slice(0, 500);
};

const away = (text: string, retryAfterMs?: number): EkidenError =>
  new EkidenError("forge_away", `${text}.`, {
    details: { ...(retryAfterMs !== undefined && { retryAfterMs }) },
  });
export const refused = (text: string): EkidenError =>
  new EkidenError("forge_refused", `${text} \`ekiden doctor --forge\` says what the token may do.`);
export const unexpected = (path: string, status: number, data: unknown): EkidenError =>
  status === 404 || status === 403 || status === 410
    ? refused(`${path}: the forge answers ${status}${wordsOf(data) && ` (${wordsOf(data)})`}.`)
    : away(`${path} was answered with ${status}`);
