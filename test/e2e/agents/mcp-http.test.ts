/** `ekiden mcp --http` as MCP clients use it, in both revisions of the protocol; and what an untrusted folder serves on stdio. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, it } from "vitest";
import { tokenOf } from "../../../src/host/guests/serve-http.ts";
import { soon } from "../../fixtures/soon.ts";
import { collected, ended, Project } from "../cli-program.ts";

const SECRET = "0123456789abcdef";
const TOKEN = tokenOf(SECRET, "guest");
let project: Project;
const clients: Client[] = [];
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await project.end();
});

async function server(
  ...args: string[]
): Promise<{ readonly address: string; stop(): Promise<number | null> }> {
  const child = project.start(["mcp", "--http", "--port", "0", "--wait", "2", ...args], {
    EKIDEN_MCP_TOKEN: SECRET,
  });
  const { stdout } = collected(child);
  const over = new Promise<number | null>((done) => child.once("close", done));
  const address = await soon(() => {
    const [found] = /^http:\S+/.exec(stdout()) ?? [];
    if (found === undefined) throw new Error(`it printed ${stdout()}`);
    return found;
  });
  return {
    address,
    stop: () => {
      child.kill("SIGTERM");
      return over;
    },
  };
}

type Era = "legacy" | { readonly pin: string };
async function agent(
  address: string,
  era: Era,
  as?: string,
): Promise<(tool: string, input?: object) => Promise<string>> {
  const name = /\/mcp\/(.+)/.exec(address)?.[1] ?? "guest";
  const headers = { authorization: `Bearer ${tokenOf(SECRET, as ?? name)}` };
  const client = new Client({ name: "http-agent", version: "1.0.0" }, { versionNegotiation: { mode: era } });
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  clients.push(client);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("wait_for_work");
  return async (tool, input = {}) => {
    const { content } = await client.callTool({ name: tool, arguments: { ...input } });
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  };
}

it("serves several agents, in the revision of 2026-07-28 and in the one before", async () => {
  await project.add({ subject: "Saw" });
  await project.add({ subject: "Nail" });
  const { address, stop } = await server();
  const [ann, bob] = [
    await agent(`${address}/ann`, { pin: "2026-07-28" }),
    await agent(`${address}/bob`, "legacy"),
  ];
  const [one, two] = [await ann("wait_for_work"), await bob("wait_for_work")];
  expect(one).toMatch(/^You are "ann", a teammate[\s\S]*Saw/);
  expect(two).toMatch(/^You are "bob", a teammate[\s\S]*Nail/);
  expect(await bob("complete_task", { result: "nailed" })).toContain("Completed #2");
  expect(await ann("complete_task", { result: "sawn" })).toContain("Completed #1");
  expect(await stop()).toBe(130);
  const tasks = await (await project.store()).board.tasks();
  expect(tasks).toMatchObject([
    { owner: "ann", status: "completed" },
    { owner: "bob", status: "completed" },
  ]);
});

it("gives the task of an agent back when the server ends", async () => {
  await project.add({ subject: "Saw" });
  const { address, stop } = await server("--as", "carol");
  const carol = await agent(address, "legacy", "carol");
  expect(await carol("wait_for_work")).toMatch(/^You are "carol"/);
  await stop();
  const tasks = await (await project.store()).board.tasks();
  expect(tasks).toMatchObject([{ status: "pending" }]);
});

it("refuses another host, another page, and who does not show the token", async () => {
  const { address, stop } = await server();
  const status = (headers: Record<string, string>, url = address): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
      });
      sent.once("response", (response) => resolve(response.resume().statusCode)).once("error", reject);
      sent.end("{}");
    });
  const authorization = `Bearer ${TOKEN}`;
  expect(await status({})).toBe(401);
  // The secret of the server and the token of another name.
  expect(await status({ authorization: `Bearer ${SECRET}` })).toBe(401);
  expect(await status({ authorization }, `${address}/ann`)).toBe(401);
  expect(await status({ authorization: `Bearer ${tokenOf(SECRET, "ann")}` }, `${address}/ann`)).not.toBe(401);
  expect(await status({ authorization: `${authorization}x` })).toBe(401);
  expect(await status({ authorization, host: "evil.example" })).toBe(403);
  expect(await status({ authorization, origin: "http://evil.example" })).toBe(403);
  expect(await status({ authorization }, address.replace("/mcp", "/"))).toBe(404);
  expect(await status({ authorization })).not.toBe(401);
  await stop();
  const behind = await server("--origin", "https://agents.example/x");
  const [, port] = /:(\d+)/.exec(behind.address) ?? [];
  expect(await status({ host: "agents.example" }, `http://127.0.0.1:${port}/mcp`)).toBe(401);
  await behind.stop();
});

it("serves agents behind a proxy with TLS, and believes no header that such a proxy adds", async () => {
  await project.add({ subject: "Saw" });
  const { address, stop } = await server("--origin", "https://agents.example");
  const { port } = new URL(address);
  // A proxy that ends TLS passes these on: the requested name, and headers about the client.
  const added = { host: "agents.example", origin: "https://agents.example", "x-forwarded-proto": "https" };
  const proxy = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const sent = request(
      { host: "127.0.0.1", port, method, path, headers: { ...headers, ...added } },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    sent.once("error", () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  const ann = await agent(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp/ann`, "legacy");
  expect(await ann("list_tasks")).toContain("Saw");
  const status = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request(address, { method: "POST", headers });
      sent.once("response", (response) => resolve(response.resume().statusCode)).once("error", reject);
      sent.end("{}");
    });
  const authorization = `Bearer ${TOKEN}`;
  for (const name of ["x-forwarded-host", "x-host", "x-original-host"])
    expect(await status({ authorization, host: "evil.example", [name]: "agents.example" })).toBe(403);
  expect(await status({ authorization, host: "evil.example", forwarded: "host=agents.example" })).toBe(403);
  expect(await status({ authorization, origin: "https://evil.example", host: "agents.example" })).toBe(403);
  const guesses = Array.from({ length: 100 }, (_, nth) =>
    status({ authorization: `Bearer ${TOKEN.slice(0, nth % TOKEN.length)}` }),
  );
  expect(new Set(await Promise.all(guesses))).toEqual(new Set([401]));
  expect(await ann("list_tasks")).toContain("Saw");
  proxy.closeAllConnections();
  proxy.close();
  await stop();
});

it("says what is wrong with its options", async () => {
  const said = async (args: string[], token = ""): Promise<string> => {
    const { code, stderr } = await ended(project.start(["mcp", ...args], { EKIDEN_MCP_TOKEN: token }));
    return `${code} ${stderr}`;
  };
  expect(await said(["--http", "--host", "0.0.0.0"])).toMatch(
    /^2 .*needs your own token in EKIDEN_MCP_TOKEN/,
  );
  expect(await said(["--token-of", "ann"], "short")).toMatch(/^2 .*is easy to guess/);
  expect(await said(["--http"], "short")).toMatch(/^2 .*is easy to guess/);
  expect(await said(["--port", "80"])).toMatch(/^2 .*--port needs --http/);
});

it("serves one tool in a folder that is not trusted, which says what to run", async () => {
  project.write({ ".ekiden/settings.json": JSON.stringify({ permissionMode: "bypass" }) });
  const { command, env, ...rest } = project.command(["mcp"]);
  const client = new Client({ name: "stdio-agent", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command, ...rest, env: { ...env, EKIDEN_TRUST: "" }, stderr: "ignore" }),
  );
  clients.push(client);
  expect(client.getInstructions()).toContain("ekiden trust");
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["what_to_run"]);
  const { content } = await client.callTool({ name: "what_to_run", arguments: {} });
  expect(JSON.stringify(content)).toContain("ekiden trust");
});
