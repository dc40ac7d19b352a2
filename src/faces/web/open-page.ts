/** Opens the page for `ekiden web` and for a run with `--web`. */
import { randomBytes } from "node:crypto";
import manifest from "../../../package.json" with { type: "json" };
import { EkidenError } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { secretsOf } from "../../project/secrets.ts";
import type { Invocation } from "../invocation.ts";
import { checkAddress } from "./access.ts";
import { type ServeOptions, serve, type WebServer } from "./server.ts";
import { Teams } from "./teams.ts";

export type WebOptions = {
  readonly port?: string;
  readonly host?: string;
  readonly token?: string;
  readonly readOnly?: boolean;
};

/** Taken where it is free, so that an address stays valid from one start to the next. */
const PORT = 7411;

export async function openTeams(call: Invocation, store: Store): Promise<Teams> {
  const settings = await call.settings();
  const { redact } = secretsOf(call.env, settings);
  return new Teams(store, { settings, cwd: call.cwd, version: manifest.version, redact });
}

/** Serves the page for the teams of an open store; also beside a run. */
export async function openPage(call: Invocation, store: Store, options: ServeOptions): Promise<WebServer> {
  return await serve(await openTeams(call, store), options);
}

/** Beside a run; its address goes where the progress goes. */
export async function pageOfRun(call: Invocation, store: Store): Promise<WebServer> {
  const page = await openPage(call, store, readOptions({}));
  call.err.write(`page: ${page.address}\n`);
  return page;
}

/** @throws EkidenError `bad_input` */
export function readOptions({
  host = "127.0.0.1",
  port,
  readOnly = false,
  ...given
}: WebOptions): ServeOptions {
  const token = given.token ?? (process.env.EKIDEN_WEB_TOKEN || undefined);
  checkAddress(host, token);
  const number = Number(port ?? PORT);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new EkidenError(
      "bad_input",
      `--port ${quote(port)} is not a port. Give a number from 0 (any free one) to 65535.`,
    );
  const ports = port === undefined ? [PORT, 0] : [number];
  return { host, ports, token: token ?? randomBytes(24).toString("base64url"), readOnly };
}
