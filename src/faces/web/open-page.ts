/** Opens the page for `ekiden web` and for a run with `--web`. */
import manifest from "../../../package.json" with { type: "json" };
import { badInput } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { secretsOf } from "../../project/secrets.ts";
import { publicAddress } from "../kit/address.ts";
import type { Invocation } from "../kit/invocation.ts";
import { checkAddress } from "./access.ts";
import { Links } from "./links.ts";
import { keepOwnPage, ownPage } from "./own-page.ts";
import { type ServeOptions, serve, type WebServer } from "./server.ts";
import { Teams } from "./teams.ts";

export type WebOptions = {
  readonly port?: string;
  readonly host?: string;
  readonly token?: string;
  readonly readOnly?: boolean;
  readonly origin?: string;
};

/** Taken where it is free. */
const PORT = 7411;

export async function openTeams(call: Invocation, store: Store): Promise<Teams> {
  const settings = await call.settings();
  const { redact } = secretsOf(call.env, settings);
  return new Teams(store, {
    settings,
    cwd: call.cwd,
    version: manifest.version,
    redact,
    env: call.env,
    launch: {
      cwd: call.cwd,
      flags: typeof call.flags.store === "string" ? ["--store", call.flags.store] : [],
      // Nobody is at a terminal; the page is where questions are answered.
      env: settings.permissionsTo ? call.env : { ...call.env, EKIDEN_PERMISSIONS_TO: "person" },
      redact,
    },
  });
}

/** Serves the page for the teams of an open store; also beside a run. @throws EkidenError `bad_input` */
export async function openPage(call: Invocation, store: Store, options: WebOptions): Promise<WebServer> {
  const { port, token, ...wanted } = readOptions(options);
  const which = { cwd: call.cwd, readOnly: wanted.readOnly };
  const own = ownPage(which);
  const server = await serve(await openTeams(call, store), {
    ...wanted,
    token: token ?? own.token,
    links: new Links(call.cwd),
    ports: port === undefined ? [own.port ?? PORT, 0] : [port],
  });
  if (own.port === null)
    keepOwnPage(which, { token: own.token, port: port === undefined ? server.port : null });
  return server;
}

/** Beside a run; its address goes where the progress goes. */
export async function pageOfRun(call: Invocation, store: Store): Promise<WebServer> {
  const page = await openPage(call, store, {});
  call.err.write(`page: ${page.address}\n`);
  return page;
}

type Read = Omit<ServeOptions, "ports" | "token" | "links"> & {
  readonly port?: number;
  readonly token?: string;
};

/** @throws EkidenError `bad_input` */
export function readOptions({
  host = "127.0.0.1",
  port,
  readOnly = false,
  origin,
  ...given
}: WebOptions): Read {
  const token = given.token ?? (process.env.EKIDEN_WEB_TOKEN || undefined);
  checkAddress(host, token);
  const number = Number(port ?? 0);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw badInput(`--port ${quote(port)} is not a port. Give a number from 0 (any free port) to 65535.`);
  return {
    host,
    readOnly,
    ...(port !== undefined && { port: number }),
    ...(token !== undefined && { token }),
    ...(origin !== undefined && { behind: publicAddress(origin) }),
  };
}
