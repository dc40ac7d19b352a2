/** Answers the probes of an orchestrator over HTTP, with one word each: /livez and /readyz. */
import { createServer, type Server } from "node:http";
import { badInput, messageOf } from "../../core/errors.ts";

export type Health = {
  /** The process does its work; else it should be restarted. */
  readonly live: boolean;
  readonly state: "waiting" | "ready" | "draining";
};

/** @throws EkidenError `bad_input` when the port cannot be used */
export async function serveHealth(port: number, look: () => Health): Promise<Server> {
  const server = createServer((request, response) => {
    const { live, state } = look();
    const path = request.url?.split("?")[0];
    const [code, word] =
      path === "/livez"
        ? live
          ? [200, "live"]
          : [503, "stuck"]
        : path === "/readyz"
          ? [state === "ready" ? 200 : 503, state]
          : [404, "unknown: ask /livez or /readyz"];
    response.writeHead(code as number, { "content-type": "text/plain", connection: "close" });
    response.end(`${word}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(badInput(`--health ${port} cannot be used: ${messageOf(error)}. Name a free port.`)),
    );
    server.listen(port, resolve);
  });
  return server;
}
