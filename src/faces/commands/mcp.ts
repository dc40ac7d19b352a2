/** `ekiden mcp`: the board and the mailboxes as an MCP server on stdio or HTTP. An agent that uses it is a teammate. */

import { randomBytes } from "node:crypto";
import { badInput, isEkidenError } from "../../core/errors.ts";
import { type Name, quote, teammateName } from "../../core/ids.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { jsonLine } from "../../core/text/hidden.ts";
import { tried } from "../../core/tried.ts";
import { Guest } from "../../host/guests/guest.ts";
import { guestServer, waitingServer } from "../../host/guests/guest-server.ts";
import { serveOnStdio } from "../../host/guests/serve.ts";
import { type HttpAddress, tokenOf } from "../../host/guests/serve-http.ts";
import type { ProjectTrust } from "../../project/trust/weigh.ts";
import { isLoopback, publicAddress } from "../kit/address.ts";
import { type Invocation, wholeNumber } from "../kit/invocation.ts";
import { interrupted, onSignals } from "../kit/run-guards.ts";
import type { Run } from "./entry.ts";

/** Many clients give up a call after 60 s. */
const WAIT_S = 45;
const DEFAULT_NAME = "guest" as Name;
const PORT = 7412;
const TOKEN_MIN = 16;
const GUESTS_MAX = 100;
/** An agent on HTTP has no connection that ends: after this time without a call its task goes back to the board. */
const HOLD_MS = 3_600_000;

type Options = {
  readonly as?: string;
  readonly role?: string;
  readonly wait?: string;
  readonly http?: boolean;
  readonly port?: string;
  readonly host?: string;
  readonly origin?: string;
  readonly tokenOf?: string;
};
type Ready = { readonly settings: Settings; readonly trust: ProjectTrust };

export const run: Run<Options> = async (call, _args, options) => {
  for (const flag of ["model", "lead", "teammates"] as const)
    if (call.flags[flag] !== undefined)
      throw badInput(
        `${flag === "teammates" ? "--teammates and --teammate have" : flag === "model" ? "--model has" : "--lead has"} no effect on ekiden mcp: its only member is the agent that uses it.`,
      );
  const { as, role = "", wait = String(WAIT_S) } = options;
  const waitMs = wholeNumber("--wait", wait) * 1_000;
  const given = as === undefined ? null : teammateName(as);
  const guest = (
    { settings, trust }: Ready,
    name: Name,
    more: { mayNumber: boolean; holdMs?: number },
  ): Guest => {
    const { cwd, env } = call;
    const tell = (text: string): void => call.say(text);
    return new Guest({ ...{ settings, cwd, env, name, tell, trust, waitMs, role: role.trim() }, ...more });
  };
  if (options.tokenOf !== undefined) {
    const token = tokenOf(secretIn(call.env.EKIDEN_MCP_TOKEN), teammateName(options.tokenOf));
    if (call.json) call.out.write(jsonLine({ token }));
    else call.out.write(`${token}\n`);
    return;
  }
  if (options.http) return await overHttp(call, options, given ?? DEFAULT_NAME, guest);
  for (const one of ["port", "host", "origin"] as const)
    if (options[one] !== undefined) throw badInput(`--${one} needs --http.`);
  return await overStdio(call, (ready, client) =>
    guest(ready, given ?? nameOf(client), { mayNumber: given === null }),
  );
};

async function overStdio(
  call: Invocation,
  guestOf: (ready: Ready, client: string) => Guest,
): Promise<undefined> {
  const ready = await readied(call);
  if (process.stdin.isTTY)
    call.say(
      "Waiting for MCP messages on stdin (Ctrl-C ends it). Agents start this command themselves: claude mcp add ekiden -- ekiden mcp",
    );
  const release = onSignals(() => process.stdin.destroy());
  try {
    if (typeof ready === "string") {
      await serveOnStdio(waitingServer(ready), () => Promise.resolve());
      return;
    }
    let guest: Guest | null = null;
    const { team, planDeadlineMs } = ready.settings;
    const server = guestServer({ team, planDeadlineMs }, (client) => {
      guest ??= guestOf(ready, client);
      return guest;
    });
    await serveOnStdio(server, async () => await guest?.close());
  } finally {
    release();
  }
}

/** Clients show nobody the messages of a server that ends at once: a tool tells the person what to do. */
async function readied(call: Invocation): Promise<Ready | string> {
  try {
    return { settings: await call.settings(), trust: await call.trust() };
  } catch (error) {
    if (!isEkidenError(error) || process.stdin.isTTY) throw error;
    call.say(error.message);
    return error.message;
  }
}

/** Each agent has its own address: /mcp/NAME. */
async function overHttp(
  call: Invocation,
  options: Options,
  otherwise: Name,
  guestOf: (ready: Ready, name: Name, more: { mayNumber: boolean; holdMs: number }) => Guest,
): Promise<number> {
  const ready = { settings: await call.settings(), trust: await call.trust() };
  const address = httpAddress(options, call.env.EKIDEN_MCP_TOKEN, otherwise);
  const guests = new Map<Name, Guest>();
  const { team, planDeadlineMs } = ready.settings;
  const server = guestServer({ team, planDeadlineMs }, (_, request) => {
    const [, path = ""] = /\/mcp\/([\w-]+)/.exec(new URL(request?.url ?? "http://x/").pathname) ?? [];
    const name = path === "" ? otherwise : teammateName(path);
    const known = guests.get(name);
    if (known) return known;
    if (guests.size >= GUESTS_MAX)
      throw badInput(`${GUESTS_MAX} agents have joined already, which is the limit.`);
    const guest = guestOf(ready, name, { mayNumber: false, holdMs: HOLD_MS });
    guests.set(name, guest);
    return guest;
  });
  const { serveOnHttp } = await import("../../host/guests/serve-http.ts");
  const http = await serveOnHttp(server, address);
  try {
    if (call.json) call.out.write(jsonLine({ address: http.address }));
    else call.out.write(`${http.address}\n`);
    if (!call.env.EKIDEN_MCP_TOKEN)
      call.err.write(
        `token of ${otherwise}, for this process: ${tokenOf(address.secret, otherwise)} (set EKIDEN_MCP_TOKEN to keep it; ekiden mcp --token-of NAME then prints the token of each agent)\n`,
      );
    call.say(`Each agent has its own address, such as ${http.address}/claude. Ctrl-C ends the server.`);
    await interrupted();
    return 130;
  } finally {
    await http.close();
    await Promise.all([...guests.values()].map((guest) => guest.close()));
  }
}

/** @throws EkidenError `bad_input` */
function httpAddress(
  { host = "127.0.0.1", port = String(PORT), origin }: Options,
  secret: string | undefined,
  otherwise: Name,
): HttpAddress {
  if (!secret && !isLoopback(host))
    throw badInput(
      `--host ${quote(host)} can be reached from other machines, so it needs your own token in EKIDEN_MCP_TOKEN, and a proxy with TLS in front of it.`,
    );
  const number = Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw badInput(`--port ${quote(port)} is not a port. Give a number from 0 (any free port) to 65535.`);
  const alsoNamed = origin === undefined ? [] : [new URL(publicAddress(origin).origin).hostname];
  const own = secret ? secretIn(secret) : randomBytes(16).toString("hex");
  return { host, port: number, secret: own, otherwise, alsoNamed };
}

/** @throws EkidenError `bad_input` */
function secretIn(secret = ""): string {
  if (secret.length >= TOKEN_MIN) return secret;
  throw badInput(
    `EKIDEN_MCP_TOKEN has ${secret.length} characters and is easy to guess. Use at least ${TOKEN_MIN}, such as: export EKIDEN_MCP_TOKEN="$(openssl rand -hex 16)"`,
  );
}

/** Clients give themselves names of any kind. */
const nameOf = (client: string): Name => tried(() => teammateName(client), DEFAULT_NAME);
