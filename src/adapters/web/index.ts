/**
 * Reads pages of the web: GET over http and https, in limits of size and time. The address that a name leads to is judged, and the
 * connection goes to that very address, so that no second look-up can give another one. No cookies, no credentials.
 */
import { lookup } from "node:dns";
import type { IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { badInput, EkidenError, messageOf, notPermitted } from "../../core/errors.ts";
import type { FetchPage, JudgeHost, WebPage } from "../../ports/web.ts";
import { isPrivateAddress } from "../private-addresses.ts";
import { askByProxy, proxyFor } from "../proxied.ts";
import { contentOf } from "./content.ts";
import { markdownOf } from "./markdown.ts";

const BYTES_MAX = 5 * 1024 * 1024;
const TIME_MS = 30_000;
const REDIRECTS_MAX = 5;
const FRESH_MS = 15 * 60_000;
/** Characters of all pages that are kept. */
const KEPT_CHARS = 20_000_000;
const URL_MAX = 2_000;

type Kept = { readonly page: WebPage; readonly at: number };

const HEADERS = {
  accept: "text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.1",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "ekiden (fetch_url)",
};

export function readAddress(text: string): URL {
  if (text.length > URL_MAX)
    throw badInput(`The address has ${text.length} characters; the limit is ${URL_MAX}.`);
  if (!URL.canParse(text))
    throw badInput(`"${text}" is not an address. Write it in full: https://example.org/page.`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw badInput(
      `Only http and https addresses are fetched, not ${url.protocol}. Read files with read_file.`,
    );
  if (url.username !== "" || url.password !== "")
    throw badInput("The address has a name or a password in it. Pages are fetched without credentials.");
  url.hash = "";
  return url;
}

/** One for a process: its members share what was fetched. `now`: milliseconds. */
export function webReader(now: () => number): FetchPage {
  const kept = new Map<string, Kept>();
  return async (text, judge, signal) => {
    const wanted = readAddress(text);
    const known = kept.get(wanted.href);
    if (known && now() - known.at < FRESH_MS) return { ...known.page, ageMs: Math.max(1, now() - known.at) };
    const page = await fetched(wanted, judge, signal);
    kept.delete(wanted.href);
    kept.set(wanted.href, { page, at: now() });
    let chars = [...kept.values()].reduce((sum, one) => sum + one.page.text.length, 0);
    for (const [url, one] of kept) {
      if (chars <= KEPT_CHARS) break;
      chars -= one.page.text.length;
      kept.delete(url);
    }
    return page;
  };
}

async function fetched(wanted: URL, judge: JudgeHost, outer: AbortSignal): Promise<WebPage> {
  let url = wanted;
  let verdict = await judge(url);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), TIME_MS);
  const signal = AbortSignal.any([outer, late.signal]);
  try {
    for (let step = 0; step <= REDIRECTS_MAX; step += 1) {
      const answer = await get(url, verdict.mayBePrivate, signal);
      const status = answer.statusCode ?? 0;
      const { location } = answer.headers;
      if (status >= 300 && status < 400 && location !== undefined) {
        answer.destroy();
        const next = readAddress(URL.canParse(location, url.href) ? new URL(location, url).href : location);
        if (next.host !== url.host || next.protocol !== url.protocol) {
          timer.refresh(); // a person may be asked
          verdict = await judge(next);
        }
        url = next;
        continue;
      }
      return await pageOf(url, answer, signal);
    }
    throw badInput(`${wanted.href} redirects more than ${REDIRECTS_MAX} times.`);
  } catch (error) {
    if (outer.aborted) throw outer.reason;
    if (late.signal.aborted) throw badInput(`${url.href} did not answer within ${TIME_MS / 1_000} seconds.`);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function pageOf(url: URL, answer: IncomingMessage, signal: AbortSignal): Promise<WebPage> {
  const status = answer.statusCode ?? 0;
  const { mediaType, text, isCut } = await contentOf(answer, BYTES_MAX, signal);
  if (text === null)
    throw badInput(`${url.href} is ${mediaType}, which is not text. This tool reads only text.`);
  const shown = /^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType)
    ? await markdownOf(text, url)
    : { text, isCut: false };
  if (status >= 400)
    throw badInput(
      `${url.href} answered ${status} ${answer.statusMessage ?? ""}. It says: ${shown.text.slice(0, 500) || "nothing"}`,
    );
  return { url: url.href, status, mediaType, text: shown.text, isCut: isCut || shown.isCut, ageMs: 0 };
}

async function get(url: URL, mayBePrivate: boolean, signal: AbortSignal): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const refusal = (address: string): Error =>
    notPermitted(
      `${host} is ${address === host ? "" : `at ${address}, `}an address of this machine or of a private network. The rule that would allow it: allow network(${host === address || host === "localhost" ? url.host : `${address}`}), by the person.`,
    );
  if (isIP(host) !== 0 && !mayBePrivate && isPrivateAddress(host)) throw refusal(host);
  const judged: LookupFunction = (name, options, done) => {
    lookup(name, { family: options.family as 0, all: true }, (error, found) => {
      if (error) return done(error, "", 0);
      const first = found[0];
      const closed = found.find(({ address }) => isPrivateAddress(address));
      if (closed && !mayBePrivate) return done(refusal(closed.address), "", 0);
      if (!first) return done(new Error(`${name} has no address`), "", 0);
      if (options.all) done(null, found);
      else done(null, first.address, first.family);
    });
  };
  const proxy = proxyFor(url);
  if (proxy !== null) return await getByProxy(proxy, url, judged, signal);
  const { request } = await (url.protocol === "https:" ? import("node:https") : import("node:http"));
  return await new Promise((resolve, reject) => {
    const asked = request(url, {
      signal,
      lookup: judged,
      agent: false,
      headers: HEADERS,
    });
    asked.once("response", resolve);
    asked.on("error", (error) => reject(cannotFetch(url, error)));
    asked.end();
  });
}

const cannotFetch = (url: URL, error: unknown): EkidenError =>
  error instanceof EkidenError ? error : badInput(`${url.href} cannot be fetched: ${messageOf(error)}`);

/** The proxy looks the name up again. The addresses that this machine finds are judged; it may find none, where only the proxy can look up. */
async function getByProxy(
  proxy: string,
  url: URL,
  judged: LookupFunction,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    if (isIP(url.hostname) === 0 && !url.hostname.startsWith("["))
      await new Promise<void>((resolve, reject) => {
        judged(url.hostname, { all: true }, (error) =>
          error instanceof EkidenError ? reject(error) : resolve(),
        );
      });
    const { statusCode, headers, body } = await askByProxy(proxy, url, {
      method: "GET",
      headers: HEADERS,
      signal,
    });
    return Object.assign(body, { statusCode, headers }) as unknown as IncomingMessage;
  } catch (error) {
    throw cannotFetch(url, error);
  }
}
