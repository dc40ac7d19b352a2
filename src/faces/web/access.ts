/**
 * The access to the page. Pure. Three gates, in this order:
 *
 *   Host     an address of this server, so that a name which an attacker points here is refused (DNS rebinding). On loopback
 *            any port will do: a tunnel has another one than the server
 *   Origin   the page itself, so that a foreign page can neither read nor act
 *   token    in a header of each request to `/api`. The page has it from the printed address, behind `#`, and keeps it in the
 *            storage of its tab. There is no cookie: browsers send cookies to every port of a host, so to other local servers
 *
 * The page's own files are the same for everybody and need no token.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { badInput } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { isLoopback, type PublicAddress } from "../kit/address.ts";

export type Access = {
  readonly token: string;
  /** The address to listen on. */
  readonly host: string;
  readonly port: number;
  /** The name of this machine: a public page may be asked for by it. */
  readonly machine: string;
  /** Where browsers find the page behind a proxy. */
  readonly behind?: PublicAddress | undefined;
};

/** The fields of a request that are checked. */
export type Visit = {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
};
export type Refusal = { readonly status: 403 | 405; readonly text: string };

const TOKEN_MIN = 16;

/** @throws EkidenError `bad_input` for a public address without a token, or a token that can be guessed */
export function checkAddress(host: string, token: string | undefined): void {
  if (token !== undefined && !/^[\w.~-]+$/.test(token))
    throw badInput("--token may hold letters, digits, and . _ ~ - only: it is part of an address.");
  if (token !== undefined && token.length < TOKEN_MIN)
    throw badInput(
      `--token has ${token.length} characters and is easy to guess. Use at least ${TOKEN_MIN}, such as: --token "$(openssl rand -hex 16)"`,
    );
  if (token === undefined && !isLoopback(host))
    throw badInput(
      `--host ${quote(host)} can be reached from other machines, so it needs your own --token. Anyone who has it can steer the team; add --read-only to share the page for viewing only.`,
    );
}

/** Null: come in; to `/api` only with the token. */
export function refusal(access: Access, visit: Visit): Refusal | null {
  if (!["GET", "HEAD", "POST"].includes(visit.method))
    return { status: 405, text: `${visit.method} is not a method of this page.` };
  if (visit.host === undefined || !isOurHost(access, visit.host))
    return {
      status: 403,
      text: "This is not an address of this server. Open the address that ekiden web printed.",
    };
  if (visit.origin !== undefined && !isOurPage(access, visit.origin, visit.host))
    return { status: 403, text: "Another page sent this request. Only this page may." };
  return null;
}

/** For all of `/api`: whether a request shows the token. A page of another site or port cannot, and so need not be told apart. */
export function showsToken({ token }: Access, authorization = ""): boolean {
  const given = bearer(authorization);
  return given !== null && equal(given, token);
}

export const bearer = (authorization = ""): string | null =>
  authorization.startsWith("Bearer ") ? authorization.slice("Bearer ".length) : null;

/** A proxy may pass on its own name or ask by ours; the page of the public address is ours either way. */
const isOurPage = ({ behind }: Access, origin: string, host: string): boolean =>
  origin === behind?.origin || (origin === `http://${host}` && host.toLowerCase() !== behind?.host);

function isOurHost({ host, port, machine, behind }: Access, given: string): boolean {
  if (given.toLowerCase() === behind?.host) return true;
  const match = /^(\[[0-9a-f:]+\]|[^:[\]]+)(?::(\d+))?$/i.exec(given);
  if (!match) return false;
  const name = (match[1] ?? "").replace(/^\[|\]$/g, "").toLowerCase();
  if (isLoopback(host)) return isLoopback(name);
  if (Number(match[2] ?? 80) !== port) return false;
  if (name === host.toLowerCase()) return true;
  // An address cannot be pointed elsewhere by a name server; of names only this machine's own counts.
  return isIP(name) !== 0 || name === "localhost" || name === machine || name.startsWith(`${machine}.`);
}

/** In the same time whatever the first difference. */
function equal(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

/** On every answer: nothing is run, loaded or sent but by our own files, and nobody frames or keeps the page. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};
