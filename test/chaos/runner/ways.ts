/** The way from the program to PostgreSQL in a round, and its faults: TLS, a pooler, or a network that is cut anywhere. */
import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../fixtures/ports.ts";
import { proxyTo } from "../../fixtures/proxy.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import type { Server } from "../../postgres.ts";
import type { Dice } from "./work.ts";

export type Way = {
  readonly url: string;
  /** Resolves when it is over. */
  harm(dice: Dice): Promise<boolean>;
  end(): Promise<void>;
};
/** Runs statements on the server itself, past every way. */
export type Ask = (...queries: string[]) => Promise<boolean>;
export type WayOptions = { readonly server: Server; readonly ask: Ask; readonly schema: string };

const HARM_MS = 1_500;

/** The server shows another certificate for a moment, while all connections have to be made again. */
export async function tlsWay({ server, ask, schema }: WayOptions): Promise<Way> {
  const dir = mkdtempSync(join(tmpdir(), "ekiden-chaos-tls-"));
  const [own, other] = [
    certificateIn(dir, "own", server.dataDir),
    certificateIn(dir, "other", server.dataDir),
  ];
  const use = (made: Certificate): Promise<boolean> =>
    ask(
      `alter system set ssl_cert_file = '${made.cert}'`,
      `alter system set ssl_key_file = '${made.key}'`,
      "alter system set ssl = on",
      "select pg_reload_conf()",
    );
  await use(own);
  const url = new URL(server.url);
  url.searchParams.set("sslmode", "verify-full");
  url.searchParams.set("sslrootcert", own.copy);
  await answers(url.href);
  url.searchParams.set("schema", schema);
  return {
    url: url.href,
    harm: async () => {
      await use(other);
      await ask(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname is not null and pid <> pg_backend_pid()",
      );
      await delay(HARM_MS);
      return use(own);
    },
    end: async () => {
      await ask("alter system reset ssl", "select pg_reload_conf()");
      takeAway(dir);
    },
  };
}

type Certificate = { readonly cert: string; readonly key: string; readonly copy: string };

/** Self-signed. The server reads its key only if it owns it, so both are among its files; the client has a copy. */
function certificateIn(dir: string, name: string, dataDir: string): Certificate {
  const made = { cert: join(dataDir, `${name}.crt`), key: join(dataDir, `${name}.key`) };
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"],
      ...["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", made.key, "-out", made.cert],
    ],
    { stdio: "ignore" },
  );
  const { uid, gid } = statSync(dataDir);
  for (const file of [made.cert, made.key]) chownSync(file, uid, gid);
  const copy = join(dir, `${name}.crt`);
  execFileSync("cp", [made.cert, copy]);
  return { ...made, copy };
}

/** A pgbouncer in session mode, which drops the options of a connection: its role has the search path. It is killed and started. */
export async function poolerWay({ server, ask, schema }: WayOptions): Promise<Way> {
  const dir = mkdtempSync(join(tmpdir(), "ekiden-chaos-pooler-"));
  const role = `role_${schema}`;
  const { hostname, port, password } = new URL(server.url);
  await ask(
    `create role ${role} superuser login password '${password}'`,
    `alter role ${role} set search_path = ${schema}`,
  );
  const own = await freePort();
  const settings = join(dir, "pgbouncer.ini");
  writeFileSync(
    settings,
    `[databases]
postgres = host=${hostname} port=${port} dbname=postgres user=${role} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = 100
max_client_conn = 200
ignore_startup_parameters = extra_float_digits,options,idle_in_transaction_session_timeout
server_login_retry = 1
`,
  );
  // It does not run as root.
  const { uid, gid } = statSync(server.dataDir);
  for (const path of [dir, settings]) chownSync(path, uid, gid);
  const start = () => spawn("pgbouncer", ["-q", settings], { stdio: "ignore", uid, gid });
  let child = start();
  const ended = async (): Promise<void> => {
    const over = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await over;
  };
  const url = `postgres://any:none@127.0.0.1:${own}/postgres`;
  await answers(url);
  return {
    url: `${url}?schema=${schema}`,
    harm: async () => {
      await ended();
      await delay(HARM_MS);
      child = start();
      return true;
    },
    end: async () => {
      await ended();
      takeAway(dir);
    },
  };
}

const TRIES = 100;
const PAUSE_MS = 100;

/** A server reads its settings, or a pooler starts, a moment after it was told to. */
async function answers(connectionString: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const client = new pg.Client({ connectionString });
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (tries === TRIES) throw error;
      await delay(PAUSE_MS);
    }
  }
}

const WAIT_MS = 500;

/** A commit, or anything else that a client sends next, is cut before the server has it or before the client has the answer. */
export async function networkWay({ server, schema }: WayOptions): Promise<Way> {
  const proxy = await proxyTo(server.url);
  const isCommit = (sent: string): boolean =>
    sent.includes("connection ") && !/(insert into|delete from) meta/.test(sent);
  return {
    url: `${proxy.url}?schema=${schema}`,
    harm: async (dice) => {
      const before = proxy.cuts;
      proxy.cutAt(dice() < 0.7 ? isCommit : () => true, dice() < 0.5 ? "before" : "after");
      await delay(WAIT_MS);
      return proxy.cuts > before;
    },
    end: () => proxy.close(),
  };
}
