/** Makes the place of the store of a round: a file, which may be on a small disk of its own, or a schema of a PostgreSQL that is ours. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type Server, startPostgres } from "../../postgres.ts";

export type StoreName = "sqlite" | "postgres";

/** What faults can do to a store. Each resolves when it is over: false when this store has no such fault. */
export type Place = {
  readonly url: string;
  cutConnections(): Promise<boolean>;
  down(how: "stopped" | "killed", ms: number): Promise<boolean>;
  readOnly(ms: number): Promise<boolean>;
  /** Another program locks its tables. */
  lock(ms: number): Promise<boolean>;
  fill(ms: number): Promise<boolean>;
  end(): Promise<void>;
};

const never = () => Promise.resolve(false);
const DISK_MB = 24;
const isRoot = process.getuid?.() === 0;

/** Why a full disk cannot be made here, or null. */
export const noDisk = (store: StoreName): string | null =>
  store === "postgres"
    ? "disk-full is skipped on PostgreSQL: its disk is not a small one."
    : isRoot
      ? null
      : "disk-full is skipped: a small disk can be mounted by root only.";

export function sqlitePlace(dir: string, smallDisk: boolean): Place {
  const disk = join(dir, "disk");
  mkdirSync(disk);
  if (smallDisk) execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", disk]);
  return {
    url: `sqlite:${join(disk, "team.db")}`,
    cutConnections: never,
    down: never,
    readOnly: never,
    lock: never,
    fill: async (ms) => {
      if (!smallDisk) return false;
      const filler = join(disk, "filler");
      writeUntilFull(filler);
      await delay(ms);
      rmSync(filler);
      return true;
    },
    end: async () => {
      if (smallDisk) execFileSync("umount", ["--lazy", disk]);
    },
  };
}

function writeUntilFull(path: string): void {
  const file = openSync(path, "w");
  const block = Buffer.alloc(64 * 1024);
  try {
    for (let size = block.length; size >= 512; ) {
      try {
        writeSync(file, block, 0, size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}

/** One server for all rounds. */
export class Postgres {
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
  }

  static async start(): Promise<Postgres> {
    return new Postgres(await startPostgres());
  }

  place(schema: string): Place {
    return {
      url: `${this.server.url}?schema=${schema}`,
      cutConnections: () =>
        this.ask(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname is not null and pid <> pg_backend_pid()",
        ),
      down: async (how, ms) => {
        await this.server.down(how);
        await delay(ms);
        await this.server.up();
        return true;
      },
      readOnly: async (ms) => {
        await this.ask("alter system set default_transaction_read_only = on", "select pg_reload_conf()");
        await delay(ms);
        return this.ask("alter system reset default_transaction_read_only", "select pg_reload_conf()");
      },
      lock: (ms) =>
        this.ask(
          "begin",
          `lock table "${schema}".tasks, "${schema}".members, "${schema}".hosts in access exclusive mode`,
          `select pg_sleep(${ms / 1_000})`,
          "rollback",
        ),
      fill: never,
      end: async () => {
        await this.ask(`drop schema if exists "${schema}" cascade`);
      },
    };
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private async ask(...queries: string[]): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.server.url });
    client.on("error", () => {});
    await client.connect();
    try {
      for (const query of queries) await client.query(query);
      return true;
    } finally {
      await client.end().catch(() => {});
    }
  }
}
