/**
 * An agent program of another vendor over the Agent Client Protocol: the only file that knows the protocol. Everything above speaks
 * of texts, steps and questions. The program and all that it started end with `close`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { pipeline, Readable, Writable } from "node:stream";
import type {
  ClientConnection,
  McpServerStdio,
  NewSessionResponse,
  RequestPermissionRequest,
  SessionUpdate,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { EkidenError, toolFailed } from "../../core/errors.ts";
import { claudeRateLimit } from "../../core/limits/notices.ts";
import { cutStart } from "../../core/text/valid.ts";
import type { WholeProgram } from "../../ports/shell.ts";
import { askOf, outputOf, pathsOf, printedIn, shortened, toolOf, wordsOf } from "./acp-words.ts";
import type { AgentHost, BoardServer, PromptEnd, RunningAgent } from "./agent.ts";
import { endProgram } from "./end-program.ts";
import { isRpc, Lines } from "./lines.ts";
import { isNothing, NO_USAGE, sumOf, usageBeside, usageOf } from "./usage.ts";

/** `printed`: the output of a command, which some programs send in pieces. */
type Step = ToolCallUpdate & { readonly printed: string };

const STDERR_KEPT = 2_000;
const PRINTED_KEPT = 200_000;
const STEPS_KEPT = 100;
const OVER_KEPT = 1_000;
const START_MS = 30_000;
const GRACE_MS = 1_000;

export class AcpProgram implements RunningAgent {
  private readonly child: ChildProcess;
  private readonly tag: string;
  private readonly host: AgentHost;
  private readonly title: string;
  private readonly version: string;
  private connection: ClientConnection | null = null;
  session = "";
  private stderr = "";
  private abilities: { load: boolean; resume: boolean } = { load: false, resume: false };
  private readonly steps = new Map<string, Step>();
  /** The last calls of this prompt that have ended: a further message about one of them is no new step. */
  private readonly over = new Set<string>();
  /** Used since the last prompt ended, as it was said beside words. */
  private beside = NO_USAGE;
  /** A session repeats its history while it is loaded; that is known already. */
  private isLoading = false;
  private isClosed = false;
  /** What follows its end: new files are looked at. */
  private readonly after: Promise<unknown>;
  /** Rejects when the program has ended. */
  private readonly gone: Promise<never>;

  /** `tag`: the mark of its processes, in their environment. `version`: of this program. */
  constructor(
    program: WholeProgram,
    { tag, title, version }: { readonly tag: string; readonly title: string; readonly version: string },
    host: AgentHost,
  ) {
    this.tag = tag;
    this.host = host;
    this.title = title;
    this.version = version;
    const { file, args, cwd, env } = program;
    // Its own group, by which it is ended, also where it does not hand on its environment.
    const child = spawn(file, [...args], {
      cwd,
      env: { ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.child = child;
    child.stderr?.on("data", (chunk: Buffer) => {
      this.stderr = cutStart(this.stderr + chunk.toString(), STDERR_KEPT);
    });
    child.stdin?.on("error", () => {});
    this.gone = new Promise((_, reject) => {
      child.once("error", (error) => reject(this.fault(`cannot be started: ${error.message}`)));
      child.once("close", (code, signal) => {
        reject(this.fault(`ended (${signal ?? `exit code ${code}`})`));
      });
    });
    this.gone.catch(() => {});
    this.after = new Promise((over) => child.once("error", over).once("exit", over))
      .then(() => program.ended())
      .catch(() => {});
  }

  async open(): Promise<void> {
    const { client, methods, ndJsonStream } = await import("@agentclientprotocol/sdk");
    const { fs, session } = methods.client;
    const app = client({ name: "ekiden" })
      .onNotification(session.update, ({ params }) => this.updated(params.update))
      .onRequest(session.requestPermission, async ({ params }) => ({
        outcome: await this.decided(params),
      }))
      .onRequest(fs.readTextFile, async ({ params: { path, line, limit } }) => ({
        content: await this.host.readFile(path, line ?? null, limit ?? null),
      }))
      .onRequest(fs.writeTextFile, async ({ params: { path, content } }) => {
        await this.host.writeFile(path, content);
        return {};
      });
    const input = Writable.toWeb(this.child.stdin as Writable);
    const lines = new Lines(isRpc);
    // A program that writes what cannot be read has nothing more to say.
    pipeline(this.child.stdout as Readable, lines, (error) => {
      if (!error || this.isClosed) return;
      this.stderr = `${this.stderr.trimEnd()}\n${error.message}`;
      this.child.kill("SIGKILL");
    });
    const output = Readable.toWeb(lines);
    const connection = app.connect(ndJsonStream(input, output as ReadableStream<Uint8Array>));
    connection.closed.catch(() => {});
    this.connection = connection;
    const { agentCapabilities: can } = await this.inTime(
      connection.agent.request(methods.agent.initialize, {
        protocolVersion: 1,
        clientInfo: { name: "ekiden", title: "Ekiden", version: this.version },
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
      }),
    );
    const more = can?.sessionCapabilities as { resume?: unknown } | undefined;
    this.abilities = { load: can?.loadSession === true, resume: more?.resume != null };
  }

  async begin(cwd: string, server: BoardServer, earlier: string | null): Promise<boolean> {
    const at = { cwd, mcpServers: [{ ...server }] };
    const again = earlier === null ? [] : this.waysBack(earlier, at);
    for (const way of again) {
      this.isLoading = true;
      const isBack = await way().then(
        () => true,
        () => false,
      );
      this.isLoading = false;
      this.session = earlier ?? "";
      if (isBack) return true;
    }
    const made = this.agent.request("session/new", at) as Promise<NewSessionResponse>;
    this.session = (await this.inTime(made)).sessionId;
    return false;
  }

  async prompt(text: string): Promise<PromptEnd> {
    this.over.clear();
    const { methods } = await import("@agentclientprotocol/sdk");
    const asked = this.agent.request(methods.agent.session.prompt, {
      sessionId: this.session,
      prompt: [{ type: "text", text }],
    });
    const end = await this.orGone(asked).catch((error: unknown) => {
      throw error instanceof EkidenError ? error : this.fault(`refused the prompt: ${wordsOf(error)}`);
    });
    const whole = usageOf(end);
    const usage = isNothing(whole) ? this.beside : whole;
    this.beside = NO_USAGE;
    return { reason: end.stopReason, usage };
  }

  async cancel(): Promise<void> {
    const { methods } = await import("@agentclientprotocol/sdk");
    await this.agent.notify(methods.agent.session.cancel, { sessionId: this.session }).catch(() => {});
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.connection?.close();
    this.child.stdin?.end();
    await endProgram(this.child, this.tag);
    await this.after;
  }

  private get agent(): ClientConnection["agent"] {
    if (this.connection) return this.connection.agent;
    throw this.fault("is not connected");
  }

  private waysBack(sessionId: string, at: { cwd: string; mcpServers: McpServerStdio[] }) {
    const { load, resume } = this.abilities;
    const ask = (method: "session/resume" | "session/load") => () =>
      this.inTime(this.agent.request(method, { sessionId, ...at }));
    return [...(resume ? [ask("session/resume")] : []), ...(load ? [ask("session/load")] : [])];
  }

  private updated(update: SessionUpdate): void {
    if (this.isLoading) return;
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
        this.beside = sumOf(this.beside, usageBeside(update._meta));
        if (update.content.type === "text")
          this.host.said(
            update.sessionUpdate === "agent_message_chunk" ? "text" : "thinking",
            update.content.text,
          );
        return;
      case "tool_call":
      case "tool_call_update":
        this.stepped(update);
        return;
      case "usage_update":
        this.host.limits(claudeRateLimit(update._meta));
        if (update.cost?.currency === "USD") this.host.cost(update.cost.amount);
        return;
      default:
    }
  }

  private stepped(update: ToolCallUpdate): void {
    if (this.over.has(update.toolCallId)) return;
    const known = this.known(update);
    const { status } = known;
    if (status !== "completed" && status !== "failed") return;
    this.steps.delete(update.toolCallId);
    this.over.add(update.toolCallId);
    const [first] = this.over;
    if (this.over.size > OVER_KEPT && first !== undefined) this.over.delete(first);
    this.host.did({
      title: known.title ?? "",
      tool: toolOf(known),
      kind: known.kind ?? "other",
      paths: pathsOf(known),
      output: outputOf(known) || known.printed,
      failed: status === "failed",
    });
  }

  /** An update says only what changed. A program that never ends what it begins fills no memory. */
  private known(update: ToolCallUpdate): Step {
    const { toolCallId: id } = update;
    const given = Object.entries(shortened(update)).filter(
      ([, value]) => value !== undefined && value !== null,
    );
    const before = this.steps.get(id);
    const printed = cutStart((before?.printed ?? "") + printedIn(update), PRINTED_KEPT);
    const known = { ...before, ...Object.fromEntries(given), printed } as Step;
    this.steps.delete(id);
    this.steps.set(id, known);
    const [oldest] = this.steps.keys();
    if (this.steps.size > STEPS_KEPT && oldest !== undefined) this.steps.delete(oldest);
    return known;
  }

  /** Never "always": rules are made by the person, and hold for all members. */
  private async decided({ toolCall, options }: RequestPermissionRequest) {
    const call = this.known(toolCall);
    const may = await this.host.mayDo(askOf(call, options));
    const kind = may ? "allow_once" : "reject_once";
    const option = options.find((one) => one.kind === kind);
    if (!option) return { outcome: "cancelled" as const };
    return { outcome: "selected" as const, optionId: option.optionId };
  }

  private async inTime<T>(answer: PromiseLike<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const silent = (): EkidenError => this.fault(`did not answer within ${START_MS / 1_000} s`, true);
      timer = setTimeout(() => reject(silent()), START_MS);
    });
    const asked = this.orGone(Promise.race([answer, late])).finally(() => clearTimeout(timer));
    return await asked.catch((error: unknown) => {
      throw error instanceof EkidenError ? error : this.fault(`cannot be used: ${wordsOf(error)}`);
    });
  }

  /** The end of the process says more than the end of the connection, and comes a moment later. */
  private async orGone<T>(answer: Promise<T>): Promise<T> {
    const slower = answer.catch(async (error: unknown) => {
      if (this.connection?.signal.aborted) await Promise.race([this.gone, wait(GRACE_MS)]);
      throw error;
    });
    return await Promise.race([slower, this.gone]);
  }

  /** `late`: it would be as late the next time. */
  private fault(what: string, late = false): EkidenError {
    const last = this.stderr.trim().split("\n").slice(-5).join("\n");
    const words = last === "" ? "" : ` It wrote last:\n${last}`;
    return toolFailed(`The agent program ${this.title} ${what}.${words}`, { details: { late } });
  }
}

const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms).unref());
