/**
 * An MCP server over streamable HTTP: one process, several agents. A request must name this machine as its host (a name that an attacker
 * points here is refused: DNS rebinding), come from no foreign page, and show the token. TLS is the matter of a proxy.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { hostname } from "node:os";
import { getRequestListener } from "@hono/node-server";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  type McpServerFactory,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { badInput } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";

export type HttpAddress = {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** That of which each agent has its token. */
  readonly secret: string;
  /** The agent of the address without a name. */
  readonly otherwise: string;
  /** Names by which a proxy asks. */
  readonly alsoNamed: readonly string[];
};

export type HttpServer = { readonly address: string; close(): Promise<void> };

const PATH = /^\/mcp(?:\/([\w-]+))?\/?$/;
const TOKEN_LENGTH = 32;

/** The token of one agent: with it no other one can be played. */
export const tokenOf = (secret: string, name: string): string =>
  createHmac("sha256", secret).update(`agent ${name.toLowerCase()}`).digest("hex").slice(0, TOKEN_LENGTH);

/** @throws EkidenError `bad_input` when it cannot listen there */
export async function serveOnHttp(server: McpServerFactory, at: HttpAddress): Promise<HttpServer> {
  const handler = createMcpHandler(server);
  const shown = at.host.includes(":") ? `[${at.host}]` : at.host;
  const named = [...localhostAllowedHostnames(), shown, hostname(), ...at.alsoNamed];
  const answer = async (request: Request): Promise<Response> => {
    const asked = new URL(request.url).hostname;
    // An address cannot be pointed elsewhere by a name server.
    const names = isIP(asked.replace(/^\[|\]$/g, "")) === 0 ? named : [...named, asked];
    const refused = hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, names);
    if (refused) return refused;
    const path = PATH.exec(new URL(request.url).pathname);
    if (path === null) return new Response("Not found: use /mcp/NAME.\n", { status: 404 });
    if (!showsToken(request.headers.get("authorization") ?? "", tokenOf(at.secret, path[1] ?? at.otherwise)))
      return new Response(
        "The header Authorization must be: Bearer TOKEN, with the token of this agent (ekiden mcp --token-of NAME).\n",
        {
          status: 401,
          headers: { "www-authenticate": "Bearer" },
        },
      );
    return await handler.fetch(request);
  };
  const http = createServer(getRequestListener(answer));
  const port = await listening(http, at);
  return {
    address: `http://${shown}:${port}/mcp`,
    close: async () => {
      await handler.close();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

function listening(server: Server, { host, port }: HttpAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = `cannot listen on ${quote(host)}, port ${port} (${error.code ?? error.message}).`;
      reject(badInput(why));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** In the same time whatever the first difference. */
function showsToken(authorization: string, token: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(authorization), hash(`Bearer ${token}`));
}
