/**
 * The pure part of MCP: the servers in a file, our names for a server's tools, and the text of their results.
 * Names are `mcp__server__tool`; providers allow 64 characters of `[A-Za-z0-9_-]`, so longer ones end in a short hash.
 */
import { z } from "zod";
import { lazy } from "../lazy.ts";
import { hashOf } from "../text/hash.ts";

const NAME_MAX = 64;

const shared = lazy(() => ({
  /** Only members of these roles get its tools ("lead" counts as a role). Unset: everybody. */
  roles: z.array(z.string()).optional(),
  /** Milliseconds a call may take without a sign of progress. */
  timeoutMs: z.int().positive().optional(),
  disabled: z.boolean().optional(),
}));
const stdio = lazy(() =>
  z.object({
    type: z.literal("stdio").optional(),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    cwd: z.string().optional(),
    ...shared(),
  }),
);
const http = lazy(() =>
  z.object({
    /** Older servers speak "sse"; the others are names of one thing. */
    type: z.enum(["http", "streamable-http", "streamableHttp", "sse"]).optional(),
    url: z.url(),
    headers: z.record(z.string(), z.string()).default({}),
    ...shared(),
  }),
);

export type StdioServer = z.output<ReturnType<typeof stdio>>;
export type HttpServer = z.output<ReturnType<typeof http>>;
export type ServerConfig = StdioServer | HttpServer;
export type NamedServer = { readonly name: string; readonly config: ServerConfig };

/**
 * Reads `{ "mcpServers": { name: … } }`. `${VAR}` and `${VAR:-default}` are filled from `env`. A bad entry becomes a problem
 * that names it; the others are still read. `hint`: advice on a missing variable.
 */
export function readServers(
  data: unknown,
  env: Readonly<Record<string, string | undefined>>,
  hint = "set it, or write ${NAME:-default}",
): { readonly servers: NamedServer[]; readonly problems: string[] } {
  const file = z.object({ mcpServers: z.record(z.string(), z.unknown()) }).safeParse(data);
  if (!file.success) return { servers: [], problems: [`expected an object "mcpServers" of servers by name`] };
  const servers: NamedServer[] = [];
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(file.data.mcpServers)) {
    if (isDisabled(entry)) continue;
    const missing = new Set<string>();
    const filled = fill(entry, env, missing);
    const kind = typeof entry === "object" && entry !== null && "url" in entry ? http() : stdio();
    const parsed = kind.safeParse(filled);
    if (!/^[\w.-]{1,40}$/.test(name))
      problems.push(
        `server "${name}": use up to 40 letters, digits, dots, dashes and underscores as its name`,
      );
    else if (missing.size > 0)
      problems.push(`server "${name}": the environment has no ${[...missing].join(", ")}; ${hint}`);
    else if (!parsed.success)
      problems.push(
        `server "${name}": ${parsed.error.issues.map((issue) => `${issue.path.join(".") || "entry"}: ${issue.message}`).join("; ")}`,
      );
    else servers.push({ name, config: parsed.data });
  }
  return { servers, problems };
}

const isDisabled = (entry: unknown): boolean =>
  typeof entry === "object" && entry !== null && "disabled" in entry && entry.disabled === true;

function fill(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  missing: Set<string>,
): unknown {
  if (typeof value === "string")
    return value.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
      const found = env[name] ?? fallback;
      if (found === undefined) missing.add(name);
      return found ?? "";
    });
  if (Array.isArray(value)) return value.map((item) => fill(item, env, missing));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, env, missing)]));
  return value;
}

/** Our name of each tool of a server. Stable: the same list gives the same names, and no two are equal. */
export function toolNames(
  server: string,
  tools: readonly string[],
  taken: ReadonlySet<string> = new Set(),
): Map<string, string> {
  const names = new Map<string, string>();
  const used = new Set(taken);
  for (const tool of tools) {
    const plain = `mcp__${clean(server)}__${clean(tool)}`;
    const marked = (salt: string): string =>
      `${plain.slice(0, NAME_MAX - 9)}_${mark(`${server}\0${tool}${salt}`)}`;
    let name = plain.length <= NAME_MAX && !used.has(plain) ? plain : marked("");
    for (let salt = 1; used.has(name); salt += 1) name = marked(`\0${salt}`);
    used.add(name);
    names.set(tool, name);
  }
  return names;
}

const clean = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, "_");

const mark = (text: string): string => hashOf(text).toString(16).padStart(8, "0");

const part = lazy(() =>
  z.union([
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.enum(["image", "audio"]), mimeType: z.string(), data: z.string() }),
    z.object({
      type: z.literal("resource"),
      resource: z.object({ uri: z.string(), text: z.string().optional() }),
    }),
    z.object({ type: z.literal("resource_link"), uri: z.string() }),
  ]),
);

/** A result as text for a model. Pictures and sounds are named, not shown. */
export function showResult(content: readonly unknown[], structured: unknown): string {
  const parts = content.map((given) => {
    const known = part().safeParse(given);
    if (!known.success) return JSON.stringify(given);
    switch (known.data.type) {
      case "text":
        return known.data.text;
      case "image":
      case "audio":
        return `[${known.data.type}, ${known.data.mimeType}, ${Math.floor((known.data.data.length * 3) / 4)} bytes: cannot be shown]`;
      case "resource":
        return known.data.resource.text ?? `[resource ${known.data.resource.uri}]`;
      default:
        return `[resource ${known.data.uri}]`;
    }
  });
  if (parts.length === 0)
    return structured === undefined ? "(no output)" : JSON.stringify(structured, null, 2);
  return parts.join("\n");
}
