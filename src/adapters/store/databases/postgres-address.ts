/** The address of a PostgreSQL server, and error messages about it. Messages never contain the password. */
import { EkidenError, messageOf } from "../../../core/errors.ts";

export type Address = {
  /** For the client, with the schema as its search path. */
  readonly url: string;
  readonly schema: string;
  /** For messages. */
  readonly shown: string;
  readonly password: string;
};

/**
 * They come first: the last word counts, so an address may choose otherwise. By itself the server plans again for each value of an
 * array, which took a third of its time for claims and completions. A wait for a lock that another program holds is told.
 */
const OPTIONS = "-c plan_cache_mode=force_generic_plan -c lock_timeout=5s";

/** `?schema=` names the schema, default "ekiden". @throws `store_unavailable` */
export function addressOf(text: string): Address {
  try {
    const url = new URL(text);
    const schema = url.searchParams.get("schema") ?? "ekiden";
    if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) throw new Error(`"${schema}" is not a usable schema name`);
    url.searchParams.delete("schema");
    const given = url.searchParams.get("options") ?? "";
    url.searchParams.set("options", `${OPTIONS} ${given} -c search_path=${schema}`);
    if (!url.searchParams.has("application_name")) url.searchParams.set("application_name", "ekiden");
    const shown = `postgres://${url.host}${url.pathname} (schema ${schema})`;
    return { url: url.href, schema, shown, password: decodeURIComponent(url.password) };
  } catch (error) {
    const why = messageOf(error).replaceAll(text, "…");
    throw new EkidenError(
      "store_unavailable",
      `The address of the PostgreSQL store cannot be read: ${why}. Write it as postgres://user:password@host:5432/database.`,
    );
  }
}

export const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? "");

/**
 * The connection was lost, so what was under way may have taken effect (class 08, 57P, 25P03 after a pause of this process). So it was
 * after every error that the server calls FATAL or PANIC, whatever its class: then it ended the connection itself.
 */
const LOST = /^(08|57P|25P03)|^E(CONN|HOST|NET|NOTFOUND|AI_AGAIN|PIPE|TIMEDOUT)/;
const LOST_WORDS =
  /^Connection terminated|timeout exceeded when trying to connect|not queryable|socket (hang up|has been ended)/i;
/**
 * The server is there and refuses until somebody changes it: limits, a full disk (53, 58030), read-only (25006), time limits of
 * statements and locks (57014, 55P03), conflicts that repeat (40), login, rights and database (28, 3D, 42501), tables that are being
 * restored or cannot be seen (3F000, 42P01).
 */
const FOR_NOW = /^(53|58030|25006|57014|55P03|40|28|3D|42501|3F000|42P01)/;
const CLOSED = /after calling end/;

const isFatal = (error: unknown): boolean =>
  /^(FATAL|PANIC)$/.test(String((error as { severity?: unknown }).severity ?? ""));
/** Node's and OpenSSL's codes of a certificate or protocol that is not accepted, and what `pg` says of a server without TLS. */
const TLS = /CERT|^ERR_(SSL|TLS)|^UNABLE_TO_|^EPROTO|^HOSTNAME_MISMATCH/;
const TLS_WORDS = /does not support SSL connections|SSL connection/;
const isTls = (error: unknown): boolean => TLS.test(codeOf(error)) || TLS_WORDS.test(messageOf(error));

export const isLost = (error: unknown): boolean =>
  LOST.test(codeOf(error)) || isFatal(error) || LOST_WORDS.test(messageOf(error));

const CHECK_TLS =
  "Check the server's certificate and the address: sslmode=verify-full with sslrootcert=FILE names the certificate of its authority, sslmode=disable uses no TLS.";

/** The connections would work in another schema, since what lies between drops the options of a connection. */
export const pooled = ({ shown, schema }: Address, path: string): EkidenError =>
  new EkidenError(
    "store_unavailable",
    `The store ${shown} cannot be used: its connections have the search path ${path || "of nothing"} and not ${schema}. A pooler in between (for example pgbouncer with ignore_startup_parameters) drops the connection options. Give the address of the server itself.`,
  );

/** Turns an error that means "the server cannot be used" into `store_unavailable`; returns any other one as it is. */
export function unavailable(error: unknown, { shown, password }: Address): unknown {
  if (error instanceof EkidenError) return error;
  const passing = isLost(error) || isTls(error) || FOR_NOW.test(codeOf(error));
  if (!passing && !CLOSED.test(messageOf(error))) return error;
  const text = messageOf(error) || codeOf(error);
  const said = password === "" ? text : text.replaceAll(password, "…");
  return new EkidenError(
    "store_unavailable",
    `The store ${shown} cannot be used: ${said}. ${isTls(error) ? CHECK_TLS : "Check that the server is running and that the user, password and database are correct."}`,
    { cause: codeOf(error), details: { passing } },
  );
}
