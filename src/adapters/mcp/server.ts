/**
 * One MCP server: connected at the first use, restarted after a crash, its slow calls cancelled. A call that a crash interrupts
 * fails for its caller: it may have taken effect, so it is never repeated automatically.
 */

import type { Client as McpClient } from "@modelcontextprotocol/client";
import { toolFailed } from "../../core/errors.ts";
import { type NamedServer, type ServerConfig, showResult } from "../../core/project/mcp.ts";
import { endAll } from "../process-table.ts";
import { within } from "../within.ts";
import { type ListedTool, listTools } from "./listing.ts";
import { type Place, type Reached, reach } from "./transport.ts";

const CALL_TIMEOUT_MS = 60_000;
/** The first start of a server from a registry downloads it. */
const CONNECT_TIMEOUT_MS = 60_000;
const LIST_TIMEOUT_MS = 15_000;
/** A failed server is tried again after this time, and nobody waits for it. */
const RETRY_MS = 60_000;
const GRACE_MS = 1_000;
/** Starts of a server whose sandbox cannot be set up. */
const STARTS = 5;
const SANDBOX_COMPLAINT = /^\s*(?:bwrap|nsenter): /;

/** One attempt to get the list of tools. */
type Try = {
  readonly until: number;
  readonly done: Promise<readonly ListedTool[]>;
  /** The time of its failure; 0 without one. */
  failedAt: number;
};

export class McpServer {
  readonly name: string;
  readonly config: ServerConfig;
  private readonly place: Place;
  private readonly onListChanged: () => void;
  private readonly onProblem: (problem: string) => void;
  private connection: Promise<McpClient> | null = null;
  private reached: Reached | null = null;
  private trying: Try | null = null;
  private closed = false;

  constructor(
    { name, config }: NamedServer,
    place: Place,
    onListChanged: () => void,
    onProblem: (problem: string) => void,
  ) {
    this.name = name;
    this.config = config;
    this.place = place;
    this.onListChanged = onListChanged;
    this.onProblem = onProblem;
  }

  /** @throws EkidenError `tool_failed` when the server cannot be started or reached, with its last output. */
  tools(): Promise<readonly ListedTool[]> {
    return this.try().done;
  }

  /** The same for a caller that cannot wait: null while the list is not known. */
  async toolsInTime(): Promise<readonly ListedTool[] | null> {
    const { done, until } = this.try();
    return await within(Math.max(0, until - performance.now()), done, null);
  }

  /** @throws EkidenError `tool_failed` with the server's message; the signal's reason on abort. */
  async call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<string> {
    const client = await unless(signal, this.client());
    const { timeoutMs = CALL_TIMEOUT_MS } = this.config;
    let result: Awaited<ReturnType<McpClient["callTool"]>>;
    try {
      result = await client.callTool(
        { name: tool, arguments: input },
        { signal, timeout: timeoutMs, resetTimeoutOnProgress: true },
      );
    } catch (error) {
      signal.throwIfAborted();
      const gone = this.connection === null;
      throw toolFailed(
        gone
          ? `The MCP server "${this.name}" ended during the call, so ${tool} may or may not have taken effect. Check, then call again: the server is started again.${this.lastWords()}`
          : `${tool} of the MCP server "${this.name}" failed: ${wordsOf(error)}${this.login(error) ?? ""}`,
        { cause: error },
      );
    }
    const text = this.shown(tool, result);
    if (result.isError) throw toolFailed(text);
    return text;
  }

  /** @throws EkidenError `tool_failed` for an answer that cannot be written as text */
  private shown(
    tool: string,
    { content, structuredContent }: Awaited<ReturnType<McpClient["callTool"]>>,
  ): string {
    try {
      return showResult(content ?? [], structuredContent);
    } catch (cause) {
      throw toolFailed(
        `${tool} of the MCP server "${this.name}" was done, but its answer is nested too deeply to be shown.`,
        { cause },
      );
    }
  }

  /** Works also while it connects, and ends everything that the server has started. */
  async close(): Promise<void> {
    this.closed = true;
    const closing = this.reached?.transport.close().catch(() => {});
    this.reached = null;
    this.connection = null;
    if (!("url" in this.config) && closing !== undefined) await endAll(this.place.tag, GRACE_MS);
    await closing;
  }

  private try(): Try {
    const now = performance.now();
    const before = this.trying;
    if (before && (before.failedAt === 0 || now - before.failedAt < RETRY_MS)) return before;
    const made: Try = { until: before ? now : now + this.place.readyMs, done: this.list(), failedAt: 0 };
    made.done.catch(() => {
      made.failedAt = performance.now();
    });
    this.trying = made;
    return made;
  }

  private async list(): Promise<readonly ListedTool[]> {
    const client = await this.client();
    if (!client.getServerCapabilities()?.tools) return [];
    const { tools, problems } = await listTools(client, LIST_TIMEOUT_MS);
    for (const problem of problems) this.onProblem(problem);
    return tools;
  }

  private async client(): Promise<McpClient> {
    if (this.closed) throw toolFailed(`The MCP server "${this.name}" was closed.`);
    this.connection ??= this.connect().catch((error: unknown) => {
      this.connection = null;
      throw toolFailed(
        `The MCP server "${this.name}" cannot be used: ${wordsOf(error)}.${this.lastWords()}${this.login(error) ?? " Check its entry."}`,
        { cause: error },
      );
    });
    return await this.connection;
  }

  private async connect(): Promise<McpClient> {
    const { Client } = await import("@modelcontextprotocol/client");
    const client = new Client(
      { name: "ekiden", version: "0.1.0" },
      {
        listChanged: {
          tools: {
            autoRefresh: false,
            onChanged: () => {
              this.trying = null;
              this.onListChanged();
            },
          },
        },
      },
    );
    let connected = false;
    for (let attempt = 1; ; attempt += 1) {
      const reached = await reach(this.config, this.place);
      this.reached = reached;
      if (this.closed) throw new Error("the team is stopping");
      client.onclose = () => {
        if (connected || attempt === STARTS) this.connection = null;
        if (connected) this.trying = null;
      };
      try {
        await client.connect(reached.transport, { timeout: CONNECT_TIMEOUT_MS });
        connected = true;
        return client;
      } catch (error) {
        // The server was not started: mounts of the machine came or went at that moment.
        if (attempt === STARTS || !SANDBOX_COMPLAINT.test(reached.stderr())) throw error;
      }
    }
  }

  /** How to log in, where the server wants that; null otherwise. */
  private login(error: unknown): string | null {
    const { config } = this;
    const status = statusOf(error);
    if (!("url" in config) || (status !== 401 && status !== 403)) return null;
    const login = Object.keys(config.headers).find((name) => /authorization|token|key/i.test(name));
    return login === undefined
      ? ` It wants a login (${status}), which ekiden cannot do for you. Make a token where the server is run, and give its entry a header with it: "headers": { "Authorization": "Bearer \${${tokenName(this.name)}}" }, with ${tokenName(this.name)} in the environment.`
      : ` It refuses the header ${login} of its entry (${status}): the token is wrong, has ended, or may not do this. Make a new one and set it there.`;
  }

  private lastWords(): string {
    const words = this.reached?.stderr().trim().split("\n").slice(-5).join("\n");
    return words ? ` It wrote last:\n${words}\n` : "";
  }
}

const tokenName = (server: string): string => `${server.toUpperCase().replace(/\W/g, "_")}_TOKEN`;

/** The status of HTTP in an error of the library, which has several kinds. */
function statusOf(error: unknown): number | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one.name === "UnauthorizedError") return 401;
    const { code, status, data } = one as Error & {
      code?: unknown;
      status?: unknown;
      data?: { status?: unknown };
    };
    const found = [status, code, data?.status].find(
      (value) => typeof value === "number" && value >= 400 && value < 600,
    );
    if (found !== undefined) return Number(found);
    const said = /\b(?:HTTP|status|code)\D{0,10}(40[13])\b|\((40[13])\)/i.exec(one.message);
    if (said) return Number(said[1] ?? said[2]);
  }
  return undefined;
}

/** "fetch failed" alone is useless; its cause is not. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const why = error.cause instanceof Error ? error.cause.message : "";
  return why && !error.message.includes(why) ? `${error.message} (${why})` : error.message;
}

/** @throws the signal's reason at once, without waiting for slower steps */
async function unless<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  return await Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", stop));
}
