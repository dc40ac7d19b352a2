/** The ways to reach an MCP server: a child process, streamable HTTP, or the event stream of older servers. */

import { resolve } from "node:path";
import type { Transport } from "@modelcontextprotocol/client";
import { toolFailed } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import type { HttpServer, ServerConfig, StdioServer } from "../../core/project/mcp.ts";
import { cutStart } from "../../core/text/valid.ts";
import type { Program } from "../../ports/shell.ts";
import { UnmarkedLines } from "../byte-order-mark.ts";
import { outsideProgram } from "../outside-programs.ts";
import { packagesOf } from "../packages-of.ts";
import type { McpOptions } from "./options.ts";

/** The folder in which servers run. */
export type Place = Required<Pick<McpOptions, "cwd" | "env" | "readyMs" | "sandbox">> & {
  /** The mark of all processes of a server: see src/adapters/process-table.ts. */
  readonly tag: string;
};

export type Reached = {
  readonly transport: Transport;
  /** The last lines of the server's stderr. */
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

/** A command without a folder is never taken from the project. */
function outside(plain: Program, { cwd }: Place): Program {
  if (plain.file.includes("/")) return plain;
  const file = outsideProgram(plain.file, plain.env.PATH, cwd);
  if (file !== null) return { ...plain, file };
  throw toolFailed(`There is no ${quote(plain.file)} in PATH outside of the project. Name it by its path.`);
}

async function local({ command, args, env, cwd = "." }: StdioServer, place: Place): Promise<Reached> {
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const outer = place.env.EKIDEN_JOB ? `${place.env.EKIDEN_JOB}:` : "";
  const plain: Program = {
    file: command,
    args,
    env: { ...place.env, ...env, EKIDEN_JOB: outer + place.tag },
    cwd: resolve(place.cwd, cwd),
  };
  const confined = await place.sandbox?.confineWhole(plain, {
    readable: packagesOf([command, ...args], place.cwd),
  });
  const program = confined ?? outside(plain, place);
  const transport = new StdioClientTransport({
    command: program.file,
    args: [...program.args],
    env: { ...program.env },
    cwd: program.cwd,
    stderr: "pipe",
  });
  const lines = new UnmarkedLines();
  const reader = (transport as unknown as { readonly _readBuffer: { append(chunk: Buffer): void } })
    ._readBuffer;
  // The library takes no other stream than that of the process.
  const append = reader.append.bind(reader);
  reader.append = (chunk) => append(lines.take(chunk));
  // The client keeps what is called already.
  transport.onclose = () => void confined?.ended().catch(() => {});
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr = cutStart(stderr + chunk.toString(), STDERR_KEPT);
  });
  return { transport, stderr: () => stderr };
}
