/**
 * The tools of a server, read leniently: one that cannot be offered to models costs only itself. The library's own list rejects
 * all tools for one bad schema, and has no limit.
 */

import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import { shownResult } from "../../core/conversation/foreign.ts";
import { accepted, type Schema } from "../../core/project/mcp-schema.ts";
import { cutEnd } from "../../core/text/valid.ts";

export type ListedTool = {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /** The server's names of its parameters, where models may not use them. */
  readonly renamed: ReadonlyMap<string, string>;
};

/** Each tool is paid for in every request of every member. */
export const TOOLS_MAX = 200;
/** Characters of one schema. */
export const SCHEMA_MAX = 30_000;
const PAGES_MAX = 50;
const NAMED_MAX = 5;

const page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const entry = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()),
});

/** `problems`: one sentence for each kind of tool that is left out. */
export async function listTools(
  client: Client,
  timeoutMs: number,
): Promise<{ readonly tools: ListedTool[]; readonly problems: string[] }> {
  const tools: ListedTool[] = [];
  const bad: string[] = [];
  const names = new Set<string>();
  let more = false;
  let cursor: string | undefined;
  for (let nth = 0; nth < PAGES_MAX; nth += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const found = await client.request({ method: "tools/list", params }, page, { timeout: timeoutMs });
    for (const given of found.tools) {
      if (tools.length >= TOOLS_MAX) {
        more = true;
        break;
      }
      const read = readTool(given);
      if (typeof read === "string") bad.push(read);
      else if (names.has(read.name)) bad.push(`${read.name} (listed twice)`);
      else {
        names.add(read.name);
        tools.push(read);
      }
    }
    cursor = found.nextCursor;
    if (cursor === undefined || more) break;
    if (nth === PAGES_MAX - 1) more = true;
  }
  const problems: string[] = [];
  if (bad.length > 0) {
    const others = bad.length > NAMED_MAX ? ` and ${bad.length - NAMED_MAX} more` : "";
    problems.push(
      `It lists tools that cannot be used: ${bad.slice(0, NAMED_MAX).join(", ")}${others}. The others are there.`,
    );
  }
  if (more)
    problems.push(
      `It lists more than ${TOOLS_MAX} tools: the first ${tools.length} are used. Split the server, or let it list fewer.`,
    );
  return { tools, problems };
}

/** The tool, or its name with the reason why it cannot be used. */
function readTool(given: unknown): ListedTool | string {
  const read = entry.safeParse(given);
  if (!read.success) {
    const { name } = z.object({ name: z.string() }).catch({ name: "a tool without a name" }).parse(given);
    return `${cutEnd(name, 80)} (its entry needs a name and an inputSchema)`;
  }
  const { name, title, description, inputSchema } = read.data;
  if (inputSchema.type !== undefined && inputSchema.type !== "object")
    return `${cutEnd(name, 80)} (its inputSchema is not of type "object")`;
  try {
    if (JSON.stringify(inputSchema).length > SCHEMA_MAX)
      return `${cutEnd(name, 80)} (its inputSchema has more than ${SCHEMA_MAX} characters)`;
    return { name, description: shownResult(description ?? title ?? ""), ...accepted(inputSchema) };
  } catch {
    return `${cutEnd(name, 80)} (its inputSchema is nested too deeply)`;
  }
}
