/**
 * The tools of MCP servers as tools of ours. A server's own claims about its tools (read-only, harmless) grant nothing: each is
 * `exec` for the permission rules, under its name `mcp__server__tool`.
 */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import { messageOf } from "../../core/errors.ts";
import { foldRole } from "../../core/ids.ts";
import { type NamedServer, toolNames } from "../../core/project/mcp.ts";
import { asServerNames } from "../../core/project/mcp-schema.ts";
import { cutEnd } from "../../core/text/valid.ts";
import { tried } from "../../core/tried.ts";
import type { Tool } from "../../ports/index.ts";
import { markOf } from "../process-identity.ts";
import type { ListedTool } from "./listing.ts";
import type { McpOptions } from "./options.ts";
import { McpServer } from "./server.ts";

const DESCRIPTION_MAX = 1_000;
/** The longest time that a server delays the start of a member. */
const READY_MS = 10_000;
const anyObject = z.record(z.string(), z.unknown());

export class Mcp {
  private readonly servers = new Map<string, McpServer>();
  /** The last problem reported of each server. */
  private readonly told = new Map<string, string>();
  private readonly options: McpOptions;

  constructor(servers: readonly NamedServer[], options: McpOptions) {
    this.options = options;
    for (const server of servers) this.add(server);
  }

  /** Connects a further server at run time, or one of the same name again. Resolves to its tools. @throws EkidenError `tool_failed` */
  async connect(server: NamedServer): Promise<Tool[]> {
    const before = this.servers.get(server.name);
    this.servers.delete(server.name);
    await before?.close();
    const added = this.add(server);
    try {
      return this.wrap(added, await added.tools(), new Set());
    } catch (error) {
      this.servers.delete(server.name);
      await added.close();
      throw error;
    }
  }

  /** The tools that a member of this role may use, in a stable order. Servers start in parallel. */
  async tools(role: string): Promise<Tool[]> {
    const mine = [...this.servers.values()].filter(
      ({ config }) => !config.roles || config.roles.some((one) => foldRole(one) === foldRole(role)),
    );
    const lists = await Promise.all(
      mine.map((server) =>
        server.toolsInTime().then(
          (tools) => {
            if (tools === null)
              this.tell(server, "It is still starting; its tools are added when it is ready.");
            else this.told.delete(server.name);
            return tools ?? [];
          },
          (error: unknown) => {
            this.tell(server, messageOf(error));
            return [];
          },
        ),
      ),
    );
    const taken = new Set<string>();
    return mine.flatMap((server, i) => {
      const tools = this.wrap(server, lists[i] ?? [], taken);
      for (const tool of tools) taken.add(tool.name);
      return tools;
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.servers.values()].map((server) => server.close()));
  }

  private tell({ name }: McpServer, problem: string): void {
    if (this.told.get(name) === problem) return;
    this.told.set(name, problem);
    this.options.onProblem(name, problem);
  }

  private add(server: NamedServer): McpServer {
    const { cwd, env = {}, readyMs = READY_MS, sandbox, newTag = ownTag } = this.options;
    const place = { cwd, env, tag: "url" in server.config ? "" : newTag(), readyMs, sandbox };
    const added: McpServer = new McpServer(
      server,
      place,
      () => this.options.onChanged?.(),
      (problem) => this.options.onProblem(server.name, problem),
    );
    this.servers.set(server.name, added);
    return added;
  }

  private wrap(server: McpServer, tools: readonly ListedTool[], taken: ReadonlySet<string>): Tool[] {
    const names = toolNames(
      server.name,
      tools.map((tool) => tool.name),
      taken,
    );
    return tools.map(
      (tool): Tool => ({
        name: names.get(tool.name) ?? tool.name,
        description: cutEnd(tool.description, DESCRIPTION_MAX),
        input: () => anyObject,
        schema: tool.schema,
        access: "exec",
        subject: briefly,
        run: (input, { signal }) =>
          server.call(tool.name, asServerNames(anyObject.parse(input), tool.renamed), signal),
      }),
    );
  }
}

const ownTag = (): string => `${markOf("")}-${randomBytes(6).toString("hex")}.1;`;

/** The text that rules and questions show of a call. */
const briefly = (input: unknown): string =>
  tried(() => cutEnd(JSON.stringify(input), 200), "input that is nested too deeply to be shown");
