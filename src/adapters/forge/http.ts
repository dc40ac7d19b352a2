/**
 * Requests to the API of a forge: one base address, a token that goes nowhere else, ETags, and limits. Writes go one after the other,
 * a second apart. An answer that says nothing about what was done is `forge_away`; the caller looks before it asks again.
 */
import { messageOf } from "../../core/errors.ts";
import { type Json, of } from "../../core/forge/json.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Page } from "../../ports/forge.ts";
import {
  answerOf,
  away,
  dataOf,
  type Method,
  nextOf,
  type Raw,
  refused,
  secondsOf,
  UNSENT,
  unexpected,
  urlIn,
  wordsOf,
} from "./http-answers.ts";

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
type Answered = { readonly status: number; readonly data: unknown; readonly next: string };
export type Written = Omit<Answered, "next">;
type Kept = { readonly etag: string; readonly answer: Answered; readonly freshUntil: number };
type Fields = Record<string, string>;
type Got = Raw & { readonly url: URL; readonly data: unknown };

const WRITES_APART_MS = 1_000;
const LIMITED_MS = 60_000;
/** Limits are for an hour at most. */
const LIMITED_MAX_MS = 65 * 60_000;
const LIMIT = /rate limit|rate_limited|abuse detection|submitted too quickly/i;
const KEPT_MAX = 1_000;
const PAGES_MAX = 50;
const REDIRECTS_MAX = 3;
/** Before the path of a page that is stored: a page that was picked in another way is not read again. */
const SHAPE = "2:";

export class ForgeHttp {
  readonly access: Access;
  private readonly kept = new Map<string, Kept>();
  private readonly news = new Map<string, Page>();
  private writing: Promise<unknown> = Promise.resolve();
  private lastWrite = Number.NEGATIVE_INFINITY;
  private limits = 0;
  /** Until when nothing is asked: the forge said so. */
  private closedUntil = 0;
  /** No write begins later: it is another process's by then. */
  writesUntil: number = Number.POSITIVE_INFINITY;
  /** The number of requests that counted: not those that were answered by "not modified". */
  calls = 0;

  constructor(access: Access) {
    this.access = access;
  }

  restore(pages: readonly Page[]): void {
    for (const { path, etag, data } of pages.filter((one) => one.path.startsWith(SHAPE)))
      this.kept.set(path.slice(SHAPE.length), {
        etag,
        answer: { status: 200, ...JSON.parse(data) },
        freshUntil: 0,
      });
  }

  /** What was read again since the last call. */
  fresh(): Page[] {
    const pages = [...this.news.values()];
    this.news.clear();
    return pages;
  }

  /** `pick`: what is kept of the body. @throws EkidenError `forge_away` | `forge_refused` (401, 403). Other answers are returned. */
  async get(path: string, pick = (data: unknown): unknown => data): Promise<Answered> {
    const { clock } = this.access;
    const known = this.kept.get(path);
    if (known && clock.uptime() < known.freshUntil) return known.answer;
    const got = await this.ask("GET", path, undefined, known && { "if-none-match": known.etag });
    const isSame = got.status === 304 && known !== undefined;
    const { status, data, next } = isSame
      ? known.answer
      : { ...got, next: nextOf(got.header("link"), got.url) };
    const answer = { status, data: isSame || status !== 200 ? data : pick(data), next };
    const etag = isSame ? known.etag : got.header("etag");
    this.kept.delete(path);
    if (etag === "" || status !== 200) return answer;
    const restMs = 1_000 * Number(got.header("x-poll-interval") || 0);
    this.kept.set(path, { etag, answer, freshUntil: clock.uptime() + restMs });
    if (!isSame)
      this.news.set(path, { path: SHAPE + path, etag, data: JSON.stringify({ data: answer.data, next }) });
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
      if (status !== 200 || !Array.isArray(data)) throw unexpected(path, status, data);
      all.push(...(data as T[]));
      next = more === next ? "" : more;
    }
    return all;
  }

  write = (method: Method, path: string, body: object): Promise<Written> =>
    this.inTurn(() => this.ask(method, path, body));

  /** What a query finds; null where the forge does not answer it. */
  async graphql(query: string, variables: object): Promise<Json | null> {
    const { status, data } = await this.ask("POST", this.access.graphql, { query, variables });
    const { data: found, errors } = of(data);
    return status === 200 && found && !errors ? of(found) : null;
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

  private async ask(method: Method, path: string, body?: object, more: Fields = {}): Promise<Got> {
    const kind = body && { "content-type": "application/json" };
    const got = await this.call(method, path, { ...kind, ...more }, body && JSON.stringify(body));
    const { status, data, url } = got;
    if (status < 300 && typeof data === "string") throw away(`${url.host} answered what is no JSON`);
    if (status === 401) throw refused(`${url.host} does not accept the token (401).`);
    if (status === 403 && method === "GET") throw refused(`${path}: ${wordsOf(data) || "403"}`);
    return got;
  }

  /** Follows a repository to its new place, and keeps to the limits. @throws EkidenError `forge_away` */
  private async call(method: Method, path: string, more: Fields, body?: string): Promise<Got> {
    const { api, token, clock, scheme = "Bearer", accept = "application/vnd.github+json" } = this.access;
    const closedMs = this.closedUntil - clock.now();
    if (closedMs > 0) throw away(`${new URL(api).host} asks to wait`, closedMs);
    const headers = {
      ...{ accept, "x-github-api-version": "2022-11-28" },
      ...{ "user-agent": "ekiden", authorization: `${scheme} ${token}`, ...more },
    };
    let url = new URL(path.startsWith("/") ? `${api}${path}` : path);
    let raw = await this.raw(url, method, headers, body);
    for (let nth = 0; nth < REDIRECTS_MAX && [301, 307, 308].includes(raw.status); nth += 1) {
      const to = urlIn(raw.header("location"), url);
      if (to?.origin !== url.origin) break;
      url = to;
      raw = await this.raw(url, method, headers, body);
    }
    if (raw.status !== 304) this.calls += 1;
    const got = { ...raw, url, data: dataOf(raw.text) };
    const limitMs = this.limitOf(got, path === this.access.graphql);
    if (limitMs !== null) throw away(`${url.host} asks to wait`, limitMs);
    if (got.status >= 500) throw away(`${url.host} answered ${got.status}`);
    this.limits = 0;
    return got;
  }

  /** Logs are elsewhere: the address of another host never gets the token. */
  async text(path: string): Promise<string> {
    const got = await this.call("GET", path, {});
    const to = got.status >= 300 && got.status <= 308 && urlIn(got.header("location"), got.url);
    const { status, text } = to ? await this.raw(to, "GET", { "user-agent": "ekiden" }) : got;
    return status === 200 ? text : "";
  }

  private raw(url: URL, method: Method, headers: Fields, body?: string): Promise<Raw> {
    return answerOf(url, method, headers, body).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const words = messageOf(cause).replaceAll(this.access.token, "…");
      // Nobody was there: nothing was done.
      const isUndone = UNSENT.has((cause as NodeJS.ErrnoException).code ?? "");
      throw away(`${url.host} cannot be reached: ${words}`, undefined, isUndone);
    });
  }

  /** Milliseconds to wait; null where no limit was reached. Without a time it waits a minute, then twice as long each time. */
  private limitOf({ status, header, data }: Got, isGraphql: boolean): number | null {
    const { clock } = this.access;
    const after = secondsOf(header("retry-after"), clock.now());
    const isUsedUp = header("x-ratelimit-remaining") === "0";
    const resetMs = isUsedUp ? Number(header("x-ratelimit-reset")) * 1_000 - clock.now() : 0;
    const isTold = [403, 422].includes(status) || (status === 200 && isGraphql);
    const isLimit =
      status === 429 ||
      (status === 403 && (after !== null || isUsedUp)) ||
      (isTold && LIMIT.test(wordsOf(data)));
    // Without a limit this may have been the last call for now.
    if (!isLimit && resetMs <= 0) return null;
    const backoff = LIMITED_MS * 2 ** this.limits;
    const ms = isLimit && after !== null ? after * 1_000 : resetMs > 0 ? resetMs : backoff;
    const bounded = Math.min(Math.max(ms, 1_000), LIMITED_MAX_MS);
    this.closedUntil = clock.now() + bounded;
    if (!isLimit) return null;
    this.limits = Math.min(this.limits + 1, 4);
    return bounded;
  }
}
