/** Addresses of a server of this program: whether others can reach one, and what browsers call it behind a proxy. */
import { badInput } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";

/** `https://host/base` in its parts: `origin` as browsers send it, `base` is "" or begins with "/" and does not end with one. */
export type PublicAddress = { readonly origin: string; readonly host: string; readonly base: string };

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);
export const isLoopback = (host: string): boolean => LOOPBACK.has(host) || /^127(\.\d{1,3}){3}$/.test(host);

/** @throws EkidenError `bad_input` for what is no address of a page */
export function publicAddress(text: string): PublicAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === "";
  const base = url?.pathname.replace(/\/+$/, "") ?? "";
  if (url && isPlain && /^https?:$/.test(url.protocol) && /^(\/[\w.~-]+)*$/.test(base))
    return { origin: url.origin, host: url.host, base };
  throw badInput(
    `--origin ${quote(text)} is not the address of a page. Give the address that browsers open, such as https://example.org/ekiden`,
  );
}
