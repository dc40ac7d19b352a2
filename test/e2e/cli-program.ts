/** Runs the command line as people do: a process of its own in a folder of its own, with a real store. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isFresh, ROOT } from "../../scripts/fresh.ts";
import { systemClock } from "../../src/adapters/clock.ts";
import { processesOf } from "../../src/adapters/process-table.ts";
import { openStore, type StoreOptions } from "../../src/adapters/store/index.ts";
import type { NewTask } from "../../src/core/board/task.ts";
import { DEFAULT_TEAM, PERSON } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { newHome, takeHomeAway } from "../fixtures/home.ts";
import type { InTerminal, Size } from "../fixtures/pty.ts";
import { takeAway } from "../fixtures/take-away.ts";

/** The bundle, when it is newer than every source, because it starts three times as fast; else the sources. */
const PROGRAM = isFresh("dist/main.js")
  ? [join(ROOT, "dist/main.js")]
  : ["--import", import.meta.resolve("tsx"), join(ROOT, "src/faces/entry/main.ts")];

/** The program, as a line of a shell begins with it; it works where it stands. */
export const EKIDEN = [process.execPath, ...PROGRAM].map((word) => `'${word}'`).join(" ");

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** An address with a password goes where people are told to put it: everybody on a machine may read command lines. */
function withoutPassword(args: readonly string[]): {
  readonly rest: readonly string[];
  readonly store: Readonly<Record<string, string>>;
} {
  const at = args.indexOf("--store");
  const address = at === -1 ? undefined : args[at + 1];
  if (address === undefined || !/^postgres/.test(address)) return { rest: args, store: {} };
  return { rest: args.toSpliced(at, 2), store: { EKIDEN_STORE: address } };
}

/** An empty project folder, without links in its path; `end` takes it away, with whatever still runs in it. */
export class Project {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-cli-")));
  /** Outside of the project: the sandbox keeps a home folder read-only. */
  readonly home = newHome();
  private readonly children = new Set<ChildProcess>();
  private readonly terminals = new Set<InTerminal>();
  private opened: Store | null = null;
  private over = false;

  /** Writes files, by path; their folders come into being. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.dir, path)), { recursive: true });
      writeFileSync(join(this.dir, path), text);
    }
  }

  /**
   * The team in this process, for what a test prepares or looks at: a start of the program costs as much as many looks. Closed at the end.
   * By default the team in the folder, which comes into being.
   */
  async store(options: Partial<StoreOptions> = {}): Promise<Store> {
    const url = join(this.dir, ".ekiden/team.db");
    this.opened ??= await openStore({ url, team: DEFAULT_TEAM, clock: systemClock, ...options });
    return this.opened;
  }

  /** Adds tasks as the person, in this process. Nothing records that these are the person's words: a runbook needs `--allow` for their blocks. */
  async add(...tasks: readonly NewTask[]): Promise<void> {
    await (await this.store()).board.addAll(tasks, PERSON);
  }

  /** Starts the program; the environment has no keys, no settings of this machine, the word that the project is trusted, and what is given. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    if (this.over) throw new Error("the project is gone"); // its test was cut short and continues by itself
    const { rest, store } = withoutPassword(args);
    const child = spawn(process.execPath, [...PROGRAM, "--cwd", this.dir, ...rest], {
      cwd: ROOT,
      env: this.environment({ ...store, ...env }),
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.children.add(child);
    child.once("close", () => this.children.delete(child));
    return child;
  }

  /** The command with which MCP clients start the program. */
  command(args: readonly string[]): {
    command: string;
    args: string[];
    cwd: string;
    env: Record<string, string>;
  } {
    const { rest, store } = withoutPassword(args);
    const env = this.environment(store);
    return { command: process.execPath, args: [...PROGRAM, "--cwd", this.dir, ...rest], cwd: ROOT, env };
  }

  /** Starts the program in a terminal of its own. */
  async open(
    args: readonly string[],
    { env = {}, ...size }: Size & { readonly env?: Readonly<Record<string, string>> },
  ): Promise<InTerminal> {
    const { InTerminal } = await import("../fixtures/pty.ts");
    const terminal = new InTerminal(process.execPath, [...PROGRAM, "--cwd", this.dir, ...args], {
      ...size,
      cwd: this.dir,
      env: this.environment(env),
    });
    this.terminals.add(terminal);
    return terminal;
  }

  /** A shell in a terminal, as a person has it: with `ekiden` on its path and "$ " as its prompt. */
  async shell({
    env = {},
    ...size
  }: Size & { readonly env?: Readonly<Record<string, string>> }): Promise<InTerminal> {
    const { InTerminal } = await import("../fixtures/pty.ts");
    const bin = join(this.home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "ekiden"), `#!/bin/sh\nexec ${EKIDEN} "$@"\n`, { mode: 0o755 });
    const { PATH = "", ...rest } = this.environment(env);
    const terminal = new InTerminal("/bin/bash", ["--norc", "--noprofile", "-i"], {
      ...size,
      cwd: this.dir,
      env: { ...rest, PATH: `${bin}:${PATH}`, PS1: "$ " },
    });
    this.terminals.add(terminal);
    return terminal;
  }

  private environment(more: Readonly<Record<string, string>>): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.home, ".config"),
      EKIDEN_TRUST: "1",
      ...more,
    };
  }

  async run(
    args: readonly string[],
    options: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<Ended> {
    const child = this.start(args, options.env);
    child.stdin?.end(options.input ?? "");
    return ended(child);
  }

  /** The one JSON object that a command prints. */
  async json<T = Record<string, unknown>>(args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, "--json"]);
    if (code !== 0 || stderr !== "")
      throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout) as T;
  }

  async end(): Promise<void> {
    this.over = true;
    await this.opened?.close();
    for (const terminal of this.terminals) terminal.kill();
    await Promise.all([...this.terminals].map(({ ended }) => ended));
    await Promise.all(
      [...this.children].map((child) => {
        child.kill("SIGKILL");
        return new Promise((done) => child.once("close", done));
      }),
    );
    // Processes outlive a killed program that started them; its home is in their environment.
    for (const pid of processesOf(`HOME=${this.home}\0`)) kill(pid);
    takeAway(this.dir);
    takeHomeAway(this.home);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

export async function ended(child: ChildProcess): Promise<Ended> {
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, stdout: stdout(), stderr: stderr() };
}

/** The output of a program so far. */
export const collected = (child: ChildProcess): { stdout: () => string; stderr: () => string } => ({
  stdout: collect(child.stdout),
  stderr: collect(child.stderr),
});

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
