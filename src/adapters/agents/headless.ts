/**
 * An agent program without the Agent Client Protocol: each prompt is a run of it that prints events as JSON and ends. Its session goes
 * on with the next run. A prompt that is cancelled is a run that is ended.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { pipeline } from "node:stream";
import { toolFailed } from "../../core/errors.ts";
import { cutStart } from "../../core/text/valid.ts";
import { tried } from "../../core/tried.ts";
import type { Usage } from "../../ports/model.ts";
import type { WholeProgram } from "../../ports/shell.ts";
import type { AgentHost, BoardServer, PromptEnd, RunningAgent } from "./agent.ts";
import { endProgram } from "./end-program.ts";
import { Lines } from "./lines.ts";
import { NO_USAGE } from "./usage.ts";

/** The data of a run besides its prompt, which comes on stdin. `isConfined`: it runs in our sandbox. */
export type HeadlessRun = {
  readonly server: BoardServer;
  readonly session: string;
  readonly isConfined: boolean;
};

/** The news of an event. */
export type HeadlessNews = {
  session?: string;
  usage?: Usage;
  /** The run has ended well (""), or with this fault. */
  end?: string;
};

/** The events and the arguments of one program. */
export type Dialect = {
  readonly args: (run: HeadlessRun) => readonly string[];
  /** One for each program, because an event may go back to an earlier one. */
  readonly reader: () => (event: Readonly<Record<string, unknown>>, host: AgentHost) => HeadlessNews;
};

type Options = {
  readonly tag: string;
  readonly title: string;
  readonly dialect: Dialect;
  readonly isConfined: boolean;
  readonly program: (args: readonly string[], env: Record<string, string>) => Promise<WholeProgram>;
};

const STDERR_KEPT = 2_000;

export class HeadlessProgram implements RunningAgent {
  session = "";
  private readonly options: Options;
  private readonly host: AgentHost;
  private readonly read: ReturnType<Dialect["reader"]>;
  private server: BoardServer | null = null;
  private child: ChildProcess | null = null;

  constructor(options: Options, host: AgentHost) {
    this.options = options;
    this.host = host;
    this.read = options.dialect.reader();
  }

  async open(): Promise<void> {}

  async begin(_cwd: string, server: BoardServer, earlier: string | null): Promise<boolean> {
    this.server = server;
    this.session = earlier ?? "";
    return earlier !== null;
  }

  async prompt(text: string): Promise<PromptEnd> {
    const { dialect, isConfined, program: confined, title } = this.options;
    const { server, session } = this;
    if (server === null) throw toolFailed(`The agent program ${title} has not begun.`);
    const secret = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
    const program = await confined(dialect.args({ server, session, isConfined }), secret);
    const { file, args, cwd, env } = program;
    const child = spawn(file, [...args], {
      cwd,
      env: { ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.child = child;
    let [stderr, usage, end] = ["", NO_USAGE, "it said nothing of its end"];
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr = cutStart(stderr + chunk.toString(), STDERR_KEPT);
    });
    const lines = new Lines((line) => line.startsWith("{"));
    lines.on("data", (line: Buffer) => {
      const news = this.read(eventIn(line.toString()), this.host);
      this.session = news.session ?? this.session;
      usage = news.usage ?? usage;
      end = news.end ?? end;
    });
    pipeline(child.stdout as NodeJS.ReadableStream, lines, (error) => {
      if (!error) return;
      end = error.message;
      child.kill("SIGKILL");
    });
    child.stdin?.on("error", () => {}); // it has ended before it read all
    child.stdin?.end(text);
    const code = await new Promise<number | string | null>((done, fail) => {
      child.once("error", fail).once("close", (exit, signal) => done(exit ?? signal));
    }).finally(() => program.ended().catch(() => {}));
    if (this.child !== child) return { reason: "cancelled", usage };
    await this.end();
    if (end === "") return { reason: "end_turn", usage };
    const last = stderr.trim().split("\n").slice(-5).join("\n");
    throw toolFailed(
      `The agent program ${title} ended (${code}): ${end}.${last === "" ? "" : ` It wrote last:\n${last}`}`,
    );
  }

  async cancel(): Promise<void> {
    await this.end();
  }

  async close(): Promise<void> {
    await this.end();
  }

  private async end(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (!child) return;
    await endProgram(child, this.options.tag);
  }
}

const eventIn = (line: string): Readonly<Record<string, unknown>> =>
  tried(() => JSON.parse(line) as Record<string, unknown>, {});
