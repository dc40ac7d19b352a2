/**
 * The configurations of docs/workers.md and docs/agents.md as clients take them: each is parsed, and the command or address in it is used. Paths
 * and the port are those of the test.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tokenOf } from "../../../src/host/guests/serve-http.ts";
import { AcpEditor } from "../../fixtures/acp-editor.ts";
import { soon } from "../../fixtures/soon.ts";
import { collected, EKIDEN, Project } from "../cli-program.ts";

const WORKERS = readFileSync("docs/workers.md", "utf8");
const AGENTS = readFileSync("docs/agents.md", "utf8");
const TOKEN = "0123456789abcdef";

type Row = { readonly agent: string; readonly codes: readonly string[] };
/** The rows of the table under a heading, with what stands between backticks. */
function rowsOf(heading: string): Row[] {
  const [, after = ""] = WORKERS.split(`| agent | ${heading} |\n|---|---|\n`);
  const [table = ""] = after.split("\n\n");
  return table.split("\n").map((line) => {
    const [, agent = "", cell = ""] = line.split("|").map((one) => one.trim());
    return { agent, codes: [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code) };
  });
}

/** The object with a field of this name, wherever it is. */
function holder(value: unknown, field: string): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (field in value) return value as Readonly<Record<string, unknown>>;
  for (const one of Object.values(value)) {
    const found = holder(one, field);
    if (found) return found;
  }
  return undefined;
}

const jsonIn = (codes: readonly string[]): unknown => {
  const json = codes.find((code) => code.startsWith("{"));
  return json === undefined ? undefined : JSON.parse(json);
};

/** The words of a command in JSON, in a line of a shell or in the code of an editor. */
function commandIn(codes: readonly string[]): string[] {
  const line = codes.find((code) => code.includes(" -- "));
  if (line !== undefined) return (line.split(" -- ")[1] ?? "").split(" ");
  const { command, args = [] } = (holder(jsonIn(codes), "command") ?? {}) as {
    command?: string | string[];
    args?: string[];
  };
  return [command ?? [], args].flat();
}

let project: Project;
let bin: string;
beforeEach(() => {
  project = new Project();
  bin = join(project.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "ekiden"), `#!/bin/sh\nexec ${EKIDEN} "$@"\n`, { mode: 0o755 });
});
afterEach(async () => {
  await project.end();
});

/** The program that a client would start, where `ekiden` is in PATH and the folder is that of the project. */
function started([command = "", ...args]: readonly string[]) {
  expect(command).toMatch(/^(\/usr\/local\/bin\/)?ekiden$/);
  const { env } = project.command([]);
  return {
    command: join(bin, "ekiden"),
    args: args.map((word) => word.replace("/path/of/the/project", project.dir)),
    cwd: args.includes("--cwd") ? "/" : project.dir,
    env: { ...env, PATH: `${bin}:${env.PATH}` },
  };
}

const tools = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

describe("on stdio", () => {
  const rows = rowsOf("on stdio");

  it("has the agents that the page names", () => {
    expect(rows.length).toBeGreaterThan(8);
  });

  it.each(rows)("$agent starts a server with the tools of the board", async ({ codes }) => {
    const client = new Client({ name: "configured", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ ...started(commandIn(codes)), stderr: "ignore" }));
    try {
      expect(await tools(client)).toContain("wait_for_work");
    } finally {
      await client.close();
    }
  });
});

describe("over HTTP", () => {
  const rows = rowsOf("over HTTP");
  let served: Project;
  let address: string;
  beforeAll(async () => {
    served = new Project();
    const child = served.start(["mcp", "--http", "--port", "0"], { EKIDEN_MCP_TOKEN: TOKEN });
    const { stdout } = collected(child);
    address = await soon(() => {
      const [found] = /^http:\S+/.exec(stdout()) ?? [];
      if (found === undefined) throw new Error(`it printed ${stdout()}`);
      return found;
    });
  });
  afterAll(async () => {
    await served.end();
  });

  /** As `ekiden mcp --token-of NAME` prints it. */
  const tokenFor = (url: unknown): string => tokenOf(TOKEN, String(url).replace(/^.*\//, ""));

  /** Where it asks, and what it shows there. */
  function asked(codes: readonly string[]): { readonly url: string; readonly authorization: string } {
    const all = codes.join("\n");
    if (all.includes("[mcp_servers.ekiden]")) {
      const field = (name: string): string => new RegExp(`^${name} = "([^"]*)"$`, "m").exec(all)?.[1] ?? "";
      expect(field("bearer_token_env_var")).toBe("EKIDEN_MCP_TOKEN");
      const url = field("url");
      return { url, authorization: `Bearer ${tokenFor(url)}` };
    }
    const server = holder(jsonIn(codes), "headers") as {
      readonly headers: { readonly Authorization: string };
      readonly [field: string]: unknown;
    };
    const url = Object.values(server).find((one) => typeof one === "string" && one.startsWith("http://"));
    // Each client has its own way to name a variable.
    const authorization = server.headers.Authorization.replace(
      /\$EKIDEN_MCP_TOKEN|\$?\{(env:EKIDEN_MCP_TOKEN|input:token)\}/,
      tokenFor(url),
    );
    return { url: String(url), authorization };
  }

  it.each(rows)("$agent reaches the server of one agent", async ({ codes }) => {
    const { url, authorization } = asked(codes);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:7412\/mcp\/\w+$/);
    const client = new Client({ name: "configured", version: "1.0.0" });
    const place = new URL(url.replace("http://127.0.0.1:7412/mcp", address));
    await client.connect(
      new StreamableHTTPClientTransport(place, { requestInit: { headers: { authorization } } }),
    );
    try {
      expect(await tools(client)).toContain("wait_for_work");
    } finally {
      await client.close();
    }
  });
});

describe("in an editor", () => {
  const blocks = [...AGENTS.matchAll(/```(json|lua|lisp)\n([\s\S]*?)```/g)].map(
    ([, kind = "", text = ""]) => ({
      kind,
      text,
    }),
  );
  const wordsOf = ({ kind, text }: (typeof blocks)[number]): string[] =>
    kind === "json" ? commandIn([text]) : [...text.matchAll(/"(ekiden|acp)"/g)].map(([, word = ""]) => word);

  it("has the editors that the page names", () => {
    expect(blocks).toHaveLength(6);
  });

  it.each(blocks.map((block, nth) => ({ nth: `${nth + 1}`, block })))(
    "block $nth starts an agent",
    async ({ block }) => {
      const words = wordsOf(block);
      // The code of an editor has other texts with the name of the program, too.
      const command = block.kind === "json" ? words : words.slice(-2);
      expect(command.slice(1)).toEqual(["acp"]);
      const editor = await AcpEditor.open(started(command));
      expect(await editor.close()).toBe(0);
    },
  );
});
