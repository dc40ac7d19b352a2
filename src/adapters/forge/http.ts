/**
 * Requests to the API of a forge: one base address, a token that goes nowhere else, ETags, and limits. Writes go one after the other,
 * a second apart. An answer that says nothing about what was done is `forge_away`; the caller looks before it asks again.
 */
import { EkidenError, messageOf } from "../../core/errors.ts";
import { type Json, of } from "../../core/forge/json.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Page } from "../../ports/forge.ts";
import * as said from "./http-answers.ts";

const { away, refused, wordsOf } = said;

export type Access = {
  /** Without a slash at the end. */
  readonly api: string;
  readonly graphql: string;
  readonly token: string;
  /** Before the token; "Bearer" if absent. */
  readonly scheme?: string;
  /** Rows of a page, in the words of the forge. */
  readonly paging?: string;
  readonly accept?: string;
  readonly clock: Clock;
};

/** `next`: the path of the next page of a list; "" for none. */
export type Answered = { readonly status: number; readonly data: unknown; readonly next: string };
type Kept = { readonly etag: string; readonly answer: Answered; readonly freshUntil: number };
/** What is kept of the body of an answer. */
type Picks = (data: unknown) => unknown;
type Fields = Record<string, string>;

const GITHUB = "application/vnd.github+json";
const WRITES_APART_MS = 1_000;
const LIMITED_MS = 60_000;
/** Limits are for an hour at most. */
const LIMITED_MAX_MS = 65 * 60_000;
const KEPT_MAX = 1_000;
const PAGES_MAX = 50;
const REDIRECTS_MAX = 3;

type Got = said.Raw & { readonly url: URL; readonly data: unknown };

export class ForgeHttp {
  private readonly access: Access;
  private readonly kept = new Map<string, Kept>();
  private readonly news = new Map<string, Page>();
  private writing: Promise<unknown> = Promise.resolve();
  private lastWrite = Number.NEGATIVE_INFINITY;
  private limits = 0;
  /** Until when nothing is asked, by resource: the forge said so. */
  private readonly closedUntil = new Map<string, number>();
  /** No write begins later: it is another process's by then. */
  writesUntil: number = Number.POSITIVE_INFINITY;
  /** The number of requests that counted: not those that were answered by "not modified". */
  calls = 0;

  constructor(access: Access) {
    this.access = access;
  }

  restore(pages: readonly Page[]): void {
    for (const { path, etag, data } of pages)
      this.kept.set(path, { etag, answer: { status: 200, ...JSON.parse(data) }, freshUntil: 0 });
  }

  /** What was read again since the last call. */
  fresh(): Page[] {
    const pages = [...this.news.values()];
    this.news.clear();
    return pages;
  }

  /** @throws EkidenError `forge_away` | `forge_refused` (401, 403). Other answers are returned. */
  async get(path: string, pick: Picks = (data) => data): Promise<Answered> {
    const known = this.kept.get(path);
    if (known && this.access.clock.uptime() < known.freshUntil) return known.answer;
    const got = await this.ask("GET", path, undefined, known && { "if-none-match": known.etag });
    const isSame = got.status === 304 && known !== undefined;
    const next = said.nextOf(got.header("link"), got.url);
    const answer = isSame
      ? known.answer
      : { status: got.status, data: got.status === 200 ? pick(got.data) : got.data, next };
    const etag = isSame ? known.etag : got.header("etag");
    this.kept.delete(path);
    if (etag === "" || answer.status !== 200) return answer;
    const restMs = 1_000 * Number(got.header("x-poll-interval") || 0);
    this.kept.set(path, { etag, answer, freshUntil: this.access.clock.uptime() + restMs });
    if (!isSame) this.news.set(path, { path, etag, data: JSON.stringify({ data: answer.data, next }) });
    const [oldest = ""] = this.kept.keys();
    if (this.kept.size > KEPT_MAX) this.kept.delete(oldest);
    return answer;
  }

  /** All pages of a list, as the forge names them. `pick`: the rows of a page; null where it is none. */
  async list<T>(path: string, pick: (data: unknown) => readonly T[] | null): Promise<T[]> {
    const all: T[] = [];
    let next = `${path}${path.includes("?") ? "&" : "?"}${this.access.paging ?? "per_page=100"}`;
    for (let page = 1; next !== "" && page <= PAGES_MAX; page += 1) {
      const { status, data, next: more } = await this.get(next, pick);
      if (status !== 200 || !Array.isArray(data)) throw said.unexpected(path, status, data);
      all.push(...(data as T[]));
      next = more === next ? "" : more;
    }
    return all;
  }

  write = (method: said.Method, path: string, body: object): Promise<Omit<Answered, "next">> =>
    this.inTurn(() => this.ask(method, path, body));

  /** @throws also `tool_failed` with what the forge says of the query */
  async graphql(query: string, variables: object, isWrite = false): Promise<Json> {
    const ask = () => this.ask("POST", this.access.graphql, { query, variables });
    const { status, data } = await (isWrite ? this.inTurn(ask) : ask());
    const found = of(data).data;
    const [fault] = said.errorsOf(data);
    if (status !== 200 || !found || fault)
      throw new EkidenError("tool_failed", `GraphQL: ${fault?.message ?? `status ${status}`}`);
    return of(found);
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

  private async ask(method: said.Method, path: string, body?: object, more: Fields = {}): Promise<Got> {
    const kind = body && { "content-type": "application/json" };
    const got = await this.call(method, path, { ...kind, ...more }, body && JSON.stringify(body));
    const { status, data, url } = got;
    if (status < 300 && typeof data === "string") throw away(`${url.host} answered what is no JSON`);
    if (status === 401) throw refused(`${url.host} does not accept the token (401).`);
    if (status === 403 && method === "GET") throw refused(`${path}: ${wordsOf(data) || "403"}`);
    return got;
  }

  /** Follows a repository to its new place, and keeps to the limits. @throws EkidenError `forge_away` */
  private async call(method: said.Method, path: string, more: Fields, body?: string): Promise<Got> {
    const { api, graphql, token, clock, scheme = "Bearer", accept = GITHUB } = this.access;
    const resource = path === graphql ? "graphql" : "core";
    const closedMs = (this.closedUntil.get(resource) ?? 0) - clock.now();
    if (closedMs > 0) throw away(`${new URL(api).host} asks to wait`, closedMs);
    const headers = {
      ...{ accept, "x-github-api-version": "2022-11-28" },
      ...{ "user-agent": "ekiden", authorization: `${scheme} ${token}`, ...more },
    };
    let url = new URL(path.startsWith("/") ? `${api}${path}` : path);
    let raw = await this.raw(url, method, headers, body);
    for (let nth = 0; nth < REDIRECTS_MAX && [301, 307, 308].includes(raw.status); nth += 1) {
      const to = said.urlIn(raw.header("location"), url);
      if (to?.origin !== url.origin) break;
      url = to;
      raw = await this.raw(url, method, headers, body);
    }
    if (raw.status !== 304) this.calls += 1;
    const got = { ...raw, url, data: said.dataOf(raw.text) };
    const limitMs = this.limitOf(got, resource);
    if (limitMs !== null) throw away(`${url.host} asks to wait`, limitMs);
    if (got.status >= 500) throw away(`${url.host} answered ${got.status}`);
    this.limits = 0;
    return got;
  }

  /** Logs are elsewhere: the address of another host never gets the token. */
  async text(path: string): Promise<string> {
    const got = await this.call("GET", path, {});
    if (got.status < 300 || got.status > 308) return got.status === 200 ? got.text : "";
    const to = said.urlIn(got.header("location"), got.url);
    const there = to && (await this.raw(to, "GET", { "user-agent": "ekiden" }));
    return there?.status === 200 ? there.text : "";
  }

  private raw(url: URL, method: said.Method, headers: Fields, body?: string): Promise<said.Raw> {
    return said.answerOf(url, method, headers, body).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const words = messageOf(cause).replaceAll(this.access.token, "…");
      // Nobody was there: nothing was done.
      const isUndone = said.UNSENT.has((cause as NodeJS.ErrnoException).code ?? "");
      throw away(`${url.host} cannot be reached: ${words}`, undefined, isUndone);
    });
  }

  /** Milliseconds to wait; null where no limit was reached. Without a time it waits a minute, then twice as long each time. */
  private limitOf({ status, header, data }: Got, resource: string): number | null {
    const { clock } = this.access;
    const after = said.secondsOf(header("retry-after"), clock.now());
    const isUsedUp = header("x-ratelimit-remaining") === "0";
    const resetMs = Number(header("x-ratelimit-reset")) * 1_000 - clock.now();
    const close = (ms: number, all: readonly string[]): number => {
      const bounded = Math.min(Math.max(ms, 1_000), LIMITED_MAX_MS);
      for (const one of all) this.closedUntil.set(one, clock.now() + bounded);
      return bounded;
    };
    const isLimit =
      status === 429 ||
      (status === 403 && (after !== null || isUsedUp || said.LIMIT.test(wordsOf(data)))) ||
      (status === 422 && /submitted too quickly/i.test(wordsOf(data))) ||
      (resource === "graphql" &&
        said
          .errorsOf(data)
          .some(({ type, message = "" }) => type === "RATE_LIMITED" || said.LIMIT.test(message)));
    // This was the last one for now.
    if (!isLimit && isUsedUp && resetMs > 0) close(resetMs, [resource]);
    if (!isLimit) return null;
    const backoff = LIMITED_MS * 2 ** this.limits;
    this.limits = Math.min(this.limits + 1, 4);
    if (after !== null) return close(after * 1_000, ["core", "graphql"]);
    return isUsedUp && resetMs > 0 ? close(resetMs, [resource]) : close(backoff, ["core", "graphql"]);
  }
}
