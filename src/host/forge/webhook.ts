/**
 * Takes deliveries of webhooks, which make the team look at once at what they are about. Who has not signed the bytes with the secret is
 * not heard, and a delivery without the form of a signature is not even read.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { EkidenError } from "../../core/errors.ts";
import { isMarked } from "../../core/forge/clean.ts";
import { of } from "../../core/forge/json.ts";
import { tried } from "../../core/tried.ts";

/** GitHub sends no more. */
const BYTES_MAX = 25 * 1024 * 1024;
const CONNECTIONS_MAX = 32;
const TIMEOUT_MS = 10_000;
const ABOUT_MAX = 50;
/** Events by which an issue may have become work. */
const ISSUES = /^issues?(?:_label|_assign)?$|^(?:Issue|Work Item) Hook$/;

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
    take(request, secret, repo).then(
      (taken) => {
        if (typeof taken === "number") return end(taken);
        // At once: what is lost after this is found by the next look.
        end(204);
        if (taken.about !== "") void heard(taken.id, taken.about).catch(() => {});
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

/** The status of a refusal, or what was delivered. Nothing of it is believed: numbers and commits in it are looked at, whatever they are of. */
async function take(request: IncomingMessage, secret: string, repo: string) {
  const header = (name: string): string => String(request.headers[name] ?? "");
  if (request.method !== "POST") return 405;
  const [, hex = ""] = /^sha256=([0-9a-f]{64})$/i.exec(header("x-hub-signature-256")) ?? [];
  const id = header("x-github-delivery") || header("idempotency-key") || header("x-gitlab-event-uuid");
  // A forge that does not sign sends the secret itself.
  const isKnown = isSame(header("x-gitlab-token"), secret);
  if (hex === "" && !isKnown) return 401;
  if (!/^[\w.:-]{1,100}$/.test(id)) return 400;
  // Also one that does not say how long it is.
  if (!(Number(header("content-length") || Number.NaN) <= BYTES_MAX)) return 413;
  if (!/^application\/json\b/.test(header("content-type"))) return 415;
  const body = Buffer.concat(await request.toArray());
  if (!isKnown && !timingSafeEqual(hashed(body, secret), Buffer.from(hex, "hex"))) return 401;
  const text = body.toString("utf8");
  const all = of(tried<unknown, null>(() => JSON.parse(text), null));
  const { body: said, note } = { ...of(all.comment), ...of(all.object_attributes) };
  // The team's own words are no news.
  const isNews = !isMarked(String(said ?? note ?? ""));
  const isOfUs = isNews && text.toLowerCase().includes(`"${repo.toLowerCase()}"`);
  const found = isOfUs ? [...text.matchAll(/"(?:number|iid)":\s*(\d{1,15})\b|"([0-9a-f]{40,64})"/g)] : [];
  const isIssue = ISSUES.test(header("x-github-event") || header("x-gitlab-event"));
  const about = [...(isOfUs && isIssue ? ["issues"] : []), ...found.map(([, nr, commit]) => nr ?? commit)];
  return { id, about: [...new Set(about)].slice(0, ABOUT_MAX).join(" ") };
}
