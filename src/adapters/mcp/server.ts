/**
 * One MCP server as its user sees it: connected at the first use, started again after a crash, its slow calls cancelled. A call
 * that a crash cuts short is an error for whoever made it: it may have taken effect, so it is never repeated by itself.
 */
import type { Client as McpClient } from "@modelcontextprotocol/client";
import { EkidenError, messageOf } from "../../core/errors.ts";
import {
  type HttpServer,
  type NamedServer,
  type ServerConfig,
  type StdioServer,
  showResult,
} from "../../core/project/mcp.ts";

export type ListedTool = {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
};

const CALL_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 15_000;
const STDERR_KEPT = 2_000;

export class McpServer {
  readonly name: string;
  readonly config: ServerConfig;
  private readonly cwd: string;
  private readonly onListChanged: () => void;
  private connection: Promise<McpClient> | null = null;
  private listed: Promise<ListedTool[]> | null = null;
  private stderr = "";
  private closed = false;

  constructor({ name, config }: NamedServer, cwd: string, onListChanged: () => void) {
    this.name = name;
    this.config = config;
    this.cwd = cwd;
    this.onListChanged = onListChanged;
  }

  /** @throws EkidenError `tool_failed` when the server cannot be started or reached, with what it wrote last. */
  tools(): Promise<ListedTool[]> {
    this.listed ??= this.list().catch((error: unknown) => {
      this.listed = null;
      throw error;
    });
    return this.listed;
  }

  /** @throws EkidenError `tool_failed` with the server's own words; the signal's reason on abort. */
  async call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<string> {
    const client = await this.client();
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
      throw new EkidenError(
        "tool_failed",
        gone
          ? `The MCP server "${this.name}" ended during the call, so ${tool} may or may not have taken effect. Check, then call again: the server is started anew.${this.lastWords()}`
          : `${tool} of the MCP server "${this.name}" failed: ${messageOf(error)}`,
        { cause: error },
      );
    }
    const text = showResult(result.content ?? [], result.structuredContent);
    if (result.isError) throw new EkidenError("tool_failed", text);
    return text;
  }

  async close(): Promise<void> {
    this.closed = true;
    const connection = this.connection;
    this.connection = null;
    await connection?.then((client) => client.close()).catch(() => {});
  }

  private async list(): Promise<ListedTool[]> {
    const client = await this.client();
    if (!client.getServerCapabilities()?.tools) return [];
    const { tools } = await client.listTools(undefined, { timeout: CONNECT_TIMEOUT_MS });
    return tools.map((tool) => ({
      name: tool.name,
      description: tool.description ?? tool.title ?? "",
      schema: tool.inputSchema,
    }));
  }

  private client(): Promise<McpClient> {
    if (this.closed) throw new EkidenError("tool_failed", `The MCP server "${this.name}" was closed.`);
    this.connection ??= this.connect().catch((error: unknown) => {
      this.connection = null;
      throw new EkidenError(
        "tool_failed",
        `The MCP server "${this.name}" cannot be used: ${messageOf(error)}.${this.lastWords()} Check its entry in .mcp.json.`,
        { cause: error },
      );
    });
    return this.connection;
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
              this.listed = null;
              this.onListChanged();
            },
          },
        },
      },
    );
    client.onclose = () => {
      this.connection = null;
      this.listed = null;
    };
    const transport = "url" in this.config ? await remote(this.config) : await this.local(this.config);
    await client.connect(transport, { timeout: CONNECT_TIMEOUT_MS });
    return client;
  }

  /** Only what the entry names and a few harmless variables reach the child: no key of ours. */
  private async local({ command, args, env, cwd }: StdioServer) {
    const { StdioClientTransport, getDefaultEnvironment } = await import(
      "@modelcontextprotocol/client/stdio"
    );
    const transport = new StdioClientTransport({
      command,
      args,
      env: { ...getDefaultEnvironment(), ...env },
      cwd: cwd ?? this.cwd,
      stderr: "pipe",
    });
    this.stderr = "";
    transport.stderr?.on("data", (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString()).slice(-STDERR_KEPT);
    });
    return transport;
  }

  private lastWords(): string {
    const words = this.stderr.trim().split("\n").slice(-5).join("\n");
    return words ? ` It wrote last:\n${words}\n` : "";
  }
}

async function remote({ url, headers }: HttpServer) {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}
