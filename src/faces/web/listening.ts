/** Listens on the first port that is free. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { badInput } from "../../core/errors.ts";

/** Resolves with the port. @throws EkidenError `bad_input` when it cannot listen there */
export function listen(
  server: Server,
  { host, ports }: { readonly host: string; readonly ports: readonly number[] },
): Promise<number> {
  const [port = 0, ...others] = ports;
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" && others.length > 0)
        return resolve(listen(server, { host, ports: others }));
      const why =
        error.code === "EADDRINUSE"
          ? `port ${port} is in use. Give another one with --port, or 0 for any free port.`
          : `cannot listen on ${host}, port ${port} (${error.code ?? error.message}).`;
      reject(badInput(why));
    });
    server.listen(port, host, () => {
      server.removeAllListeners("error");
      resolve((server.address() as AddressInfo).port);
    });
  });
}
