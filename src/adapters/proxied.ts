/**
 * Requests that go by the proxy of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY). The library is loaded only where one is
 * named. This machine is never asked for by a proxy.
 */
import { isIP } from "node:net";
import type { Readable } from "node:stream";
import type { ProxyAgent } from "undici";
import { badInput } from "../core/errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = /^(localhost|.*\.localhost|127\..*|\[::1\])$/;

/** The proxy for an address, or null. A lower-case variable counts before an upper-case one, as for curl. */
export function proxyFor(url: URL, env: Environment = process.env): string | null {
  const named = (name: string): string | undefined => env[name.toLowerCase()] ?? env[name];
  const proxy = (url.protocol === "https:" ? named("HTTPS_PROXY") : named("HTTP_PROXY"))?.trim();
  if (!proxy || LOOPBACK.test(url.hostname) || isSpared(url, named("NO_PROXY") ?? "")) return null;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** An entry is "*", or a host with everything below it; a port may follow. */
function isSpared({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === "https:" ? "443" : "80");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === "*") return true;
      const [, host = "", onlyPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (host === "" || (onlyPort !== undefined && onlyPort !== ownPort)) return false;
      return hostname === host || (isIP(hostname) === 0 && hostname.endsWith(`.${host}`));
    });
}

const agents = new Map<string, ProxyAgent>();

async function agentFor(proxy: string): Promise<ProxyAgent> {
  const { ProxyAgent: Agent } = await import("undici");
  const known = agents.get(proxy);
  if (known) return known;
  if (!/^https?:\/\//.test(proxy) || !URL.canParse(proxy))
    throw badInput("HTTPS_PROXY and HTTP_PROXY name a proxy as http://HOST:PORT.");
  const { username, password, href } = new URL(proxy);
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  // The callers have limits of their own.
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  const token = username ? { token: `Basic ${Buffer.from(secret).toString("base64")}` } : {};
  const agent = new Agent({ uri: href, ...limits, ...token });
  agents.set(proxy, agent);
  return agent;
}

export type Proxied = {
  readonly statusCode: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Readable;
};

type Asked = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
};

/** One request by this proxy. Redirects are not followed, and nothing is unpacked. */
export async function askByProxy(proxy: string, url: URL, asked: Asked): Promise<Proxied> {
  const dispatcher = await agentFor(proxy);
  const { request } = await import("undici");
  const { method, headers, body = null, signal } = asked;
  const answer = await request(url, {
    dispatcher,
    method: method as "GET",
    headers: { ...headers }, // the library adds the name of the host to what it is given
    body,
    ...(signal && { signal }),
  });
  // A reader hears of an error by reading. A body that nobody reads to its end is destroyed, which is an error to the library.
  answer.body.on("error", () => {});
  return answer;
}
