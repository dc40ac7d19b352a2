/** The place of the measured programs: fresh folders and processes of their own, with nothing of the person's settings in sight. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

export const ROOT = resolve(import.meta.dirname, "..");
export const BUILT = join(ROOT, "dist/main.js");
export const floorScript = (name: string): string => join(ROOT, "bench/floor", name);

const folders: string[] = [];
const closers: (() => Promise<void>)[] = [];

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-bench-"));
  folders.push(folder);
  return folder;
}

/** Called when the bench ends, in reverse order. */
export const atEnd = (close: () => Promise<void>): void => void closers.push(close);

export async function cleanUp(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

const environment = (home: string, env: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? "",
  HOME: home,
  XDG_CONFIG_HOME: home,
  ...env,
});

export type Ran = {
  readonly code: number;
  /** `performance.now()` just before the process was started. */
  readonly startedAt: number;
  readonly ms: number;
  /** The process itself, without its children. */
  readonly peakMb: number;
  readonly cpuMs: number;
  readonly stderr: string;
};

/** Runs `node ARGS` to its end, in a fresh folder that is also its home. Rejects when it ends with another code than `expect`. */
export async function runNode(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  expect = 0,
  folder = freshFolder(),
): Promise<Ran> {
  const usage = join(folder, ".usage.json");
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["--import", floorScript("usage.mjs"), ...args], {
    cwd: folder,
    env: environment(folder, { ...env, USAGE_FILE: usage }),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  const ms = performance.now() - startedAt;
  if (code !== expect)
    throw new Error(`node ${args.join(" ")} ended with ${code}, expected ${expect}:\n${stderr}`);
  const used = JSON.parse(readFileSync(usage, "utf8")) as { peakKb: number; cpuMs: number };
  rmSync(folder, { recursive: true, force: true });
  return {
    code,
    startedAt,
    ms,
    peakMb: used.peakKb / 1024,
    cpuMs: used.cpuMs,
    stderr,
  };
}

/** A script of the bench in a process of its own that reads lines and answers each with one line of JSON. */
export type Crew = {
  /** Sends one line and waits for the next line of the answer. */
  ask<T>(line: string): Promise<T>;
  /** Ends its input and waits until it is gone. */
  end(): Promise<void>;
};

export function crew(script: string, args: readonly string[], nodeArgs: readonly string[] = []): Crew {
  const home = freshFolder();
  const child = spawn(process.execPath, [...nodeArgs, script, ...args], {
    cwd: home,
    env: environment(home, {}),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    ask: async <T>(line: string) => {
      child.stdin.write(`${line}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${script} ended before it answered "${line}"`);
      return JSON.parse(value as string) as T;
    },
    end: async () => {
      child.stdin.end();
      const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await closed;
      clearTimeout(late);
    },
  };
}

/**
 * For bench scripts in TypeScript. Outside this folder the loader finds no tsconfig.json, so their "ekiden" is the built one:
 * what the loader makes of our own source would be slower.
 */
export const TSX: readonly string[] = ["--import", import.meta.resolve("tsx")];

/** Nanoseconds of a clock that all processes of the machine share. */
export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;
