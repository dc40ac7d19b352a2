/** The place of the store of a round: here a file, which may be on a small disk of its own. `postgres.ts` has that on a server. */
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ClassName } from "./faults.ts";

export type StoreName = "sqlite" | "postgres";
/** The way of a program to its server: by TLS, by a pooler, or by a network that can be cut at any byte. */
export type WayName = "tls" | "pooler" | "network";

/** The faults of a store. Each resolves when it is over: false when this store has no such fault. */
export type Place = {
  readonly url: string;
  /** For the checker: the database itself, past what lies between it and the program. */
  readonly direct: string;
  cutConnections(): Promise<boolean>;
  down(how: "stopped" | "killed", ms: number): Promise<boolean>;
  readOnly(ms: number): Promise<boolean>;
  /** Another program locks its tables. */
  lock(ms: number): Promise<boolean>;
  fill(ms: number): Promise<boolean>;
  /** Harms the way between the program and the server. */
  harmWay(way: WayName): Promise<boolean>;
  end(): Promise<void>;
};

export const never = (): Promise<boolean> => Promise.resolve(false);
const DISK_MB = 24;
const isRoot = process.getuid?.() === 0;

/** The reason why this class cannot run here, or null. */
export function skipped(name: ClassName, store: StoreName): string | null {
  const isOfServer = name.startsWith("database-");
  if (isOfServer && store === "sqlite") return "SQLite has no server";
  if (name === "disk-full" && store === "postgres") return "the disk of PostgreSQL is not a small one";
  if (name.endsWith("-full") && name !== "output-full" && !isRoot) return "only root can mount a small disk";
  const program = NEEDS[name];
  return program === undefined || isInstalled(program) ? null : `${program} is not installed`;
}

const NEEDS: Partial<Record<ClassName, string>> = {
  "database-pooler": "pgbouncer",
  "database-tls": "openssl",
};
const isInstalled = (program: string): boolean => spawnSync(program, ["-V"]).error === undefined;

export function sqlitePlace(dir: string, smallDisk: boolean): Place {
  const disk = join(dir, "disk");
  mkdirSync(disk);
  const small = smallDisk ? mountSmall(disk) : null;
  const url = `sqlite:${join(disk, "team.db")}`;
  return {
    url,
    direct: url,
    cutConnections: never,
    down: never,
    readOnly: never,
    lock: never,
    fill: small?.fill ?? never,
    harmWay: never,
    end: async () => small?.end(),
  };
}

export type SmallDisk = { fill(ms: number): Promise<boolean>; end(): void };

/** A disk of `DISK_MB` at this folder. Only root can mount one. */
export function mountSmall(folder: string): SmallDisk {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", folder]);
  return {
    fill: async (ms) => {
      const filler = join(folder, "filler");
      writeUntilFull(filler);
      await delay(ms);
      rmSync(filler);
      return true;
    },
    end: () => void execFileSync("umount", ["--lazy", folder]),
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
