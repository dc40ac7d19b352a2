/**
 * Takes deliveries of webhooks, which make the team look at once at what they are about. Who has not signed the bytes with the secret is
 * not heard, and a delivery without the form of a signature is not even read.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { EkidenError } from "../../core/errors.ts";
import { aboutOf } from "../../core/forge/delivery.ts";

/** GitHub sends no more. */
const BYTES_MAX = 25 * 1024 * 1024;
const CONNECTIONS_MAX = 32;
const TIMEOUT_MS = 10_000;

type Heard = (delivery: string, about: string) => Promise<unknown>;

/** @throws EkidenError `settings_invalid` where there is no secret */
export function secretOf(env: Readonly<Record<string, string | undefined>>): string {
  const secret = env.EKIDEN_WEBHOOK_SECRET?.trim();
  if (secret) return secret;
  throw new EkidenError(
    "settings_invalid",
    "Deliveries of webhooks need a secret: set EKIDEN_WEBHOOK_SECRET to the one that the webhook has at the forge.",
  );
}

/** `address`: a port of this machine, or HOST:PORT. */
export async function takeDeliveries(address: string, secret: string, repo: string, heard: Heard) {
  const server = createServer((request, response) => {
    const end = (status: number): void => {
      const close = status >= 400 && { connection: "close" };
      response.writeHead(status, { "content-length": 0, ...close }).end();
      if (close) request.resume();
    };
    take(request, secret).then(
      (taken) => {
        if (typeof taken === "number") return end(taken);
        // At once: what is lost after this is found by the next look.
        end(204);
        const about = aboutOf(taken.event, taken.payload, repo);
        if (about.length > 0) void heard(taken.id, about.join(" ")).catch(() => {});
      },
      () => request.destroy(),
    );
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.requestTimeout = server.headersTimeout = TIMEOUT_MS;
  const [, host = "127.0.0.1", port] = /^(?:\[?(.*?)\]?:)?(\d+)$/.exec(address) ?? [];
  server.listen(Number(port), host);
  await once(server, "listening");
  const at = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${at.port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const hashed = (bytes: Buffer | string, secret: string): Buffer =>
  createHmac("sha256", secret).update(bytes).digest();
/** In the same time for all, whatever their lengths. */
const isSame = (given: string, secret: string): boolean =>
  timingSafeEqual(hashed(given, secret), hashed(secret, secret));

/** The status of a refusal, or what was delivered. */
async function take(request: IncomingMessage, secret: string) {
  const header = (name: string): string => String(request.headers[name] ?? "");
  if (request.method !== "POST") return 405;
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(header("x-hub-signature-256")) ?? [];
  const id = header("x-github-delivery") || header("idempotency-key") || header("x-gitlab-event-uuid");
  // A forge that does not sign sends the secret itself.
  const isKnown = isSame(header("x-gitlab-token"), secret);
  if (hex === undefined && !isKnown) return 401;
  if (!/^[\w.:-]{1,100}$/.test(id)) return 400;
  if (Number(header("content-length") || 0) > BYTES_MAX) return 413;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BYTES_MAX) return 413;
    parts.push(part);
  }
  const body = Buffer.concat(parts);
  if (!isKnown && !timingSafeEqual(hashed(body, secret), Buffer.from(hex ?? "", "hex"))) return 401;
  const text = body.toString("utf8");
  const isForm = header("content-type").startsWith("application/x-www-form-urlencoded");
  try {
    const payload: unknown = JSON.parse(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
    return { id, event: header("x-github-event") || header("x-gitlab-event"), payload };
  } catch {
    return 400;
  }
}
