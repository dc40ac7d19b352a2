/** The MCP client against two published servers and one that misbehaves, as real child processes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Mcp } from "../../../src/adapters/mcp/index.ts";
import type { NamedServer } from "../../../src/core/project/mcp.ts";
import type { Tool, ToolContext } from "../../../src/ports/index.ts";
import { freePort } from "../../fixtures/ports.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const everything = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
const filesystem = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-filesystem/dist/index.js",
);
const stdio = (name: string, ...args: string[]): NamedServer => ({
  name,
  config: { command: process.execPath, args, env: {} },
});

let mcp: Mcp;
let folder: string;
let problems: string[];
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "ekiden-mcp-")));
  problems = [];
});
afterEach(async () => {
  await mcp.close();
  takeAway(folder);
});
const open = (...servers: NamedServer[]): Mcp => {
  mcp = new Mcp(servers, {
    cwd: folder,
    readyMs: 60_000,
    onProblem: (server, problem) => problems.push(`${server}: ${problem}`),
  });
  return mcp;
};
const call = (
  tools: readonly Tool[],
  name: string,
  input: unknown,
  signal = new AbortController().signal,
): Promise<string> => {
  const tool = tools.find((t) => t.name === name);
  if (!tool) throw new Error(`no ${name} among ${tools.map((t) => t.name).join(", ")}`);
  return tool.run(input, { signal } as ToolContext);
};

it("offers the tools of two servers and calls them", async () => {
  const tools = await open(stdio("every", everything, "stdio"), stdio("files", filesystem, folder)).tools("");
  expect(problems).toEqual([]);
  expect(await call(tools, "mcp__every__echo", { message: "hello" })).toContain("hello");
  await call(tools, "mcp__files__write_file", { path: join(folder, "a.txt"), content: "written by MCP" });
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("written by MCP");
  await expect(call(tools, "mcp__files__read_text_file", { path: "/etc/passwd" })).rejects.toThrow(
    /denied|outside/i,
  );
  expect(tools.every((tool) => tool.access === "exec")).toBe(true);
  expect(tools.find((t) => t.name === "mcp__every__echo")?.schema).toMatchObject({ type: "object" });
});

it("reads a server that begins its lines with a byte order mark", async () => {
  const marking = `
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (text, ...more) => write("\\ufeff" + text, ...more);
    await import(${JSON.stringify(pathToFileURL(filesystem).href)});`;
  const tools = await open(stdio("files", "--input-type=module", "-e", marking, "-", folder)).tools("");
  expect(problems).toEqual([]);
  await call(tools, "mcp__files__write_file", { path: join(folder, "a.txt"), content: "\ufeffby MCP" });
  expect(await call(tools, "mcp__files__read_text_file", { path: join(folder, "a.txt") })).toContain(
    "by MCP",
  );
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("\ufeffby MCP");
});

it("keeps the other servers when one cannot start, and says what it wrote", async () => {
  const broken = stdio("broken", "-e", "console.error('no licence'); process.exit(3)");
  const tools = await open(broken, stdio("files", filesystem, folder)).tools("");
  expect(tools.length).toBeGreaterThan(3);
  expect(problems.join("\n")).toMatch(/broken: .*cannot be used[\s\S]*no licence/);
});

it("gives a server's tools only to the roles that it is for", async () => {
  const server = stdio("files", filesystem, folder);
  const restricted = { ...server, config: { ...server.config, roles: ["writer"] } };
  expect(await open(restricted).tools("reader")).toEqual([]);
  expect((await mcp.tools("writer")).length).toBeGreaterThan(3);
});

it("refuses the forms and samples that a server asks for, and tells it before that there are none", async () => {
  const asking = `
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params, error } = JSON.parse(line);
      const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
      if (method === "initialize") {
        global.can = params.capabilities;
        send({ id, result: { protocolVersion: params.protocolVersion, serverInfo: { name: "asks", version: "1" }, capabilities: { tools: {} } } });
      } else if (method === "tools/list") send({ id, result: { tools: [{ name: "ask", inputSchema: { type: "object" } }] } });
      else if (method === "tools/call") {
        global.call = id;
        send({ id: "form", method: "elicitation/create", params: { message: "Password?", requestedSchema: { type: "object", properties: {} } } });
      } else if (id === "form") send({ id: call, result: { content: [{ type: "text", text: JSON.stringify({ code: error.code, can }) }] } });
    });`;
  const tools = await open(stdio("asks", "-e", asking)).tools("");
  const said = JSON.parse(await call(tools, "mcp__asks__ask", {}));
  expect(said.code).toBe(-32_601);
  expect(said.can).not.toHaveProperty("elicitation");
  expect(said.can).not.toHaveProperty("tasks");
});

/** Speaks just enough of the protocol; `slow` never answers, `die` ends the process in the middle of the call. */
const FLAKY = `
import { createInterface } from "node:readline";
import { appendFileSync } from "node:fs";
const log = (line) => appendFileSync(process.argv[2], line + "\\n");
log("start");
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
let tools = ["slow", "die", "grow"];
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "flaky", version: "1" } } });
  else if (method === "tools/list") send({ id, result: { tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) } });
  else if (method === "notifications/cancelled") log("cancelled");
  else if (method === "tools/call" && params.name === "slow") log("slow");
  else if (method === "tools/call" && params.name === "die") process.exit(1);
  else if (method === "tools/call" && params.name === "grow") { tools = [...tools, "new"]; send({ method: "notifications/tools/list_changed" }); send({ id, result: { content: [{ type: "text", text: "grown" }] } }); }
  else if (id !== undefined && method !== "tools/call") send({ id, error: { code: -32601, message: "no such method" } });
});`;

async function flaky(): Promise<{ server: NamedServer; log: () => Promise<string[]> }> {
  const program = join(folder, "flaky.mjs");
  const file = join(folder, "log.txt");
  await writeFile(program, FLAKY);
  await writeFile(file, "");
  return {
    server: stdio("flaky", program, file),
    log: async () => (await readFile(file, "utf8")).trim().split("\n"),
  };
}

it("reports a crash in the middle of a call and starts the server again for the next", async () => {
  const { server, log } = await flaky();
  const tools = await open(server).tools("");
  await expect(call(tools, "mcp__flaky__die", {})).rejects.toThrow(/ended during the call.*may or may not/);
  expect(await call(tools, "mcp__flaky__grow", {})).toBe("grown");
  expect((await log()).filter((line) => line === "start").length).toBeGreaterThanOrEqual(2);
});

it("cancels a slow call when its member is interrupted", async () => {
  const { server, log } = await flaky();
  const tools = await open(server).tools("");
  const control = new AbortController();
  const running = call(tools, "mcp__flaky__slow", {}, control.signal);
  await soon(async () => expect(await log()).toContain("slow"));
  control.abort(new Error("interrupted"));
  await expect(running).rejects.toThrow("interrupted");
  expect(await call(tools, "mcp__flaky__grow", {})).toBe("grown");
  expect(await log()).toContain("cancelled");
});

it("sees the list of a server change", async () => {
  const { server } = await flaky();
  let changed = (): void => {};
  const told = new Promise<void>((resolve) => {
    changed = resolve;
  });
  mcp = new Mcp([server], {
    cwd: folder,
    onProblem: (_, problem) => problems.push(problem),
    onChanged: () => changed(),
  });
  const before = await mcp.tools("");
  await call(before, "mcp__flaky__grow", {});
  await told;
  expect((await mcp.tools("")).map((t) => t.name)).toContain("mcp__flaky__new");
});

it("speaks streamable HTTP to a server that somebody else runs", async () => {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, "streamableHttp"], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    await once(child.stderr, "data"); // it says that it listens
    const url = `http://127.0.0.1:${port}/mcp`;
    const tools = await open({ name: "web", config: { url, headers: {} } }).tools("");
    expect(await call(tools, "mcp__web__echo", { message: "over HTTP" })).toContain("over HTTP");
    expect(problems).toEqual([]);
  } finally {
    await mcp.close();
    child.kill("SIGKILL");
    await once(child, "close");
  }
});

it.each(["http", "sse"] as const)("says how to log in to a server over %s that wants it", async (type) => {
  for (const status of [401, 403]) {
    const server = createServer((_, response) => void response.writeHead(status).end("no"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    try {
      const entry = (name: string, headers: Record<string, string>): NamedServer => ({
        name,
        config: { type, url, headers },
      });
      await open(entry("my-docs", {}), entry("known", { Authorization: "Bearer x" })).tools("");
      expect(problems.sort()).toEqual([
        expect.stringMatching(
          new RegExp(`^known: .*refuses the header Authorization of its entry \\(${status}\\)`),
        ),
        expect.stringMatching(
          new RegExp(
            `^my-docs: .*wants a login \\(${status}\\).*"Authorization": "Bearer \\$\\{MY_DOCS_TOKEN\\}"`,
          ),
        ),
      ]);
      problems = [];
    } finally {
      await mcp.close();
      server.close();
    }
  }
});

it("speaks to older servers too, over an event stream", async () => {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, "sse"], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    await new Promise<void>((listens) => {
      child.stderr.on("data", (said: Buffer) => said.includes("running on port") && listens());
    });
    const url = `http://127.0.0.1:${port}/sse`;
    const tools = await open({ name: "old", config: { type: "sse", url, headers: {} } }).tools("");
    expect(await call(tools, "mcp__old__echo", { message: "over SSE" })).toContain("over SSE");
    expect(problems).toEqual([]);
  } finally {
    await mcp.close();
    child.kill("SIGKILL");
    await once(child, "close");
  }
});

it("is held up once by a server that does not answer, tells of it once, and does not wait for it at its end", async () => {
  const silent = stdio("silent", "-e", "process.stdin.resume(); process.on('SIGTERM', () => {})");
  const readyMs = 2_000;
  mcp = new Mcp([silent], { cwd: folder, readyMs, onProblem: (_, problem) => problems.push(problem) });
  expect(await mcp.tools("")).toEqual([]);
  const again = performance.now();
  for (const role of ["writer", "reader", ""]) expect(await mcp.tools(role)).toEqual([]);
  expect(performance.now() - again).toBeLessThan(readyMs);
  expect(problems).toEqual(["It is still starting; its tools are added when it is ready."]);
});

it("tries a server that failed not again for every member", async () => {
  const file = join(folder, "starts.txt");
  const broken = stdio(
    "broken",
    "-e",
    `require("fs").appendFileSync(${JSON.stringify(file)}, "start\\n"); process.exit(3)`,
  );
  open(broken);
  for (const role of ["writer", "reader", ""]) expect(await mcp.tools(role)).toEqual([]);
  expect(await readFile(file, "utf8")).toBe("start\n");
  expect(problems).toHaveLength(1);
});

it.runIf(process.platform === "linux")("ends with a server all that it has started", async () => {
  const pidFile = join(folder, "pid.txt");
  const program = join(folder, "parent.mjs");
  const child = `const { spawn } = await import("node:child_process"); const c = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }); (await import("node:fs")).writeFileSync(${JSON.stringify(pidFile)}, String(c.pid));`;
  await writeFile(program, `${child}\n${FLAKY}`);
  await writeFile(join(folder, "log.txt"), "");
  await open(stdio("parent", program, join(folder, "log.txt"))).tools("");
  const pid = Number(await readFile(pidFile, "utf8"));
  expect(process.kill(pid, 0)).toBe(true);
  await mcp.close();
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "Z");
  expect(stat).toContain("Z"); // gone, or not fetched yet by whoever is to
});
