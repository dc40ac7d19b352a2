/** The ways to an MCP server: a process of ours, streamable HTTP, or the event stream that older servers speak. */
import { resolve } from "node:path";
import type { Transport } from "@modelcontextprotocol/client";
import type { HttpServer, ServerConfig, StdioServer } from "../../core/project/mcp.ts";

/** Where servers run. */
export type Place = {
  /** Absolute. */
  readonly cwd: string;
  /** What a server's process gets besides what its entry names: no key of ours. */
  readonly env: Readonly<Record<string, string>>;
  /** By this all processes of a server are known: see src/adapters/process-table.ts. */
  readonly tag: string;
  /** Milliseconds until which a member waits for a server that is being started. */
  readonly readyMs: number;
};

export type Reached = {
  readonly transport: Transport;
  /** The end of what the server wrote beside the protocol. */
  stderr(): string;
};

const STDERR_KEPT = 2_000;

export const reach = (config: ServerConfig, place: Place): Promise<Reached> =>
  "url" in config ? remote(config) : local(config, place);

async function remote({ type, url, headers }: HttpServer): Promise<Reached> {
  const sdk = await import("@modelcontextprotocol/client");
  const options = { requestInit: { headers } };
  const transport =
    type === "sse"
      ? new sdk.SSEClientTransport(new URL(url), options)
      : new sdk.StreamableHTTPClientTransport(new URL(url), options);
  return { transport, stderr: () => "" };
}

async function local({ command, args, env, cwd = "." }: StdioServer, place: Place): Promise<Reached> {
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const outer = place.env.EKIDEN_JOB ? `${place.env.EKIDEN_JOB}:` : "";
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...place.env, ...env, EKIDEN_JOB: outer + place.tag },
    cwd: resolve(place.cwd, cwd),
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-STDERR_KEPT);
  });
  return { transport, stderr: () => stderr };
}
