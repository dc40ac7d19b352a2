/**
 * The way out for confined commands: an HTTP proxy on a Unix socket that connects to listed hosts only, or to all where "*" is listed. It
 * resolves names by itself and refuses addresses of this machine and of private networks, unless such an address is listed as it is.
 */
import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect, isIP } from "node:net";
import type { Duplex } from "node:stream";
import { EVERY_HOST, hostAllowed } from "../../core/sandbox/sandbox.ts";
import { isPrivateAddress } from "../private-addresses.ts";

const CONNECT_MS = 30_000;
const REFUSED_KEPT = 100;

export class HostProxy {
  private readonly server: Server;
  private patterns: string[];
  /** Allowed as long as a command runs: how many such commands there are, by pattern. */
  private readonly lent = new Map<string, number>();
  /** Hosts that were refused, with the time. */
  private readonly refused: { at: number; host: string }[] = [];

  constructor(patterns: readonly string[]) {
    this.patterns = [...patterns];
    this.server = createServer((incoming, response) => void this.forward(incoming, response));
    this.server.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.tunnel(incoming, socket, head);
    });
    this.server.on("clientError", (_, socket) => socket.destroy());
    this.server.on("error", () => {}); // commands are told that the connection fails
    this.server.unref();
  }

  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(path, resolve);
    });
  }

  /** After the socket was removed. Connections that are open stay so. */
  listenAgain(path: string): void {
    this.server.close();
    this.server.listen(path);
  }

  allow(patterns: readonly string[]): void {
    this.patterns = [...new Set([...this.patterns, ...patterns])];
  }

  /** Until the function that it returns is called. */
  lend(patterns: readonly string[]): () => void {
    for (const one of patterns) this.lent.set(one, (this.lent.get(one) ?? 0) + 1);
    return () => {
      for (const one of patterns) {
        const others = (this.lent.get(one) ?? 1) - 1;
        if (others > 0) this.lent.set(one, others);
        else this.lent.delete(one);
      }
    };
  }

  refusedSince(at: number): string[] {
    return [...new Set(this.refused.filter((one) => one.at >= at).map(({ host }) => host))];
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => {});
    const [, host = "", port = ""] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(incoming.url ?? "") ?? [];
    const address = await this.address(host, Number(port));
    if (address === null) {
      socket.end(
        `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${refusal(host)}`,
      );
      return;
    }
    const upstream = connect({ host: address, port: Number(port), timeout: CONNECT_MS });
    upstream.once("connect", () => {
      upstream.setTimeout(0);
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.once("timeout", () => upstream.destroy());
    upstream.on("error", () => {
      if (upstream.connecting || upstream.bytesRead === 0) socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      else socket.destroy();
    });
    socket.once("close", () => upstream.destroy());
  }

  private async forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.canParse(incoming.url ?? "") ? new URL(incoming.url ?? "") : null;
    if (url?.protocol !== "http:") {
      response.writeHead(400).end("This is a proxy: send requests with an absolute http:// address.\n");
      return;
    }
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const port = Number(url.port || 80);
    const address = await this.address(host, port);
    if (address === null) {
      response.writeHead(403, { "content-type": "text/plain" }).end(refusal(host));
      return;
    }
    const { "proxy-connection": _, "proxy-authorization": __, ...headers } = incoming.headers;
    const upstream = request({
      host: address,
      port,
      method: incoming.method,
      path: `${url.pathname}${url.search}`,
      // The host that was judged, not the one that the request names besides.
      headers: { ...headers, host: url.host },
      setHost: false,
      timeout: CONNECT_MS,
    });
    upstream.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on("timeout", () => upstream.destroy(new Error("timeout")));
    upstream.on("error", () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    incoming.pipe(upstream);
  }

  /** The address to connect to, so that no second look-up can give another one; null when it is refused. */
  private async address(host: string, port: number): Promise<string | null> {
    const patterns = [...this.patterns, ...this.lent.keys()];
    const isListed = hostAllowed(host, port, patterns);
    const isOpen = patterns.includes(EVERY_HOST) && !isOwn(host);
    if (host === "" || !(isListed || isOpen)) {
      this.refused.push({
        at: performance.now(),
        host: port === 443 || port === 80 ? host : `${host}:${port}`,
      });
      if (this.refused.length > REFUSED_KEPT) this.refused.shift();
      return null;
    }
    if (isIP(host) !== 0) return host; // listed as it is
    const found = await lookup(host).catch(() => null);
    if (found === null) return null;
    const listed = host === "localhost" && patterns.some((one) => /^localhost(:\d+)?$/.test(one));
    return isPrivateAddress(found.address) && !listed ? null : found.address;
  }
}

/** An address as it is, or a name that always stands for one. */
const isOwn = (host: string): boolean =>
  isIP(host) === 0 ? /(^|\.)localhost\.?$/i.test(host) : isPrivateAddress(host);

const refusal = (host: string): string =>
  `The sandbox refuses connections to ${host}. The rule that would allow it: allow network(${host})\n`;
