/** MCP servers that list nonsense, and a server inside the sandbox. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Mcp } from "../../../src/adapters/mcp/index.ts";
import { createSandbox } from "../../../src/adapters/sandbox/index.ts";
import type { Sandbox, Tool, ToolContext } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";

/** Speaks just enough of the protocol; `TOOLS` and `ANSWER` are expressions. */
const SERVER = (tools: string, answer: string, before = ""): string => `
import { createInterface } from "node:readline";
${before}
const TOOLS = ${tools};
const send = (text) => process.stdout.write(text + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const reply = (result) => send(JSON.stringify({ jsonrpc: "2.0", id, result }));
  if (method === "initialize")
    reply({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  else if (method === "tools/list") reply({ tools: TOOLS });
  else if (method === "tools/call") send(${answer});
  else if (id !== undefined) send(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
});`;
const TEXT =
  'JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "answered" }] } })';
const GOOD = '{ name: "good", inputSchema: { type: "object" } }';

let folder: string;
let problems: string[];
let mcp: Mcp;
let sandbox: Sandbox | undefined;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-hostile-mcp-")));
  problems = [];
});
afterEach(async () => {
  await mcp.close();
  await sandbox?.close();
  sandbox = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function tools(source: string): Promise<Tool[]> {
  const file = join(folder, "ws", "server.mjs");
  mkdirSync(join(folder, "ws"), { recursive: true });
  writeFileSync(file, source);
  mcp = new Mcp([{ name: "s", config: { command: process.execPath, args: [file], env: {} } }], {
    cwd: join(folder, "ws"),
    readyMs: 60_000,
    env: { PATH: process.env.PATH ?? "" },
    onProblem: (server, problem) => problems.push(`${server}: ${problem}`),
    sandbox,
  });
  return await mcp.tools("");
}
const callGood = (list: readonly Tool[], input: unknown = {}): Promise<string> => {
  const good = list.find(({ name }) => name === "mcp__s__good");
  if (!good) throw new Error(`no tool "good" among ${list.map(({ name }) => name).join(", ")}`);
  return good.run(input, { signal: new AbortController().signal } as ToolContext);
};

it("ten thousand tools cost no more than the limit, with a message", async () => {
  const list = await tools(
    SERVER(
      `[${GOOD}, ...Array.from({ length: 10000 }, (_, i) => ({ name: "t" + i, inputSchema: { type: "object" } }))]`,
      TEXT,
    ),
  );
  expect(list).toHaveLength(200);
  expect(problems).toEqual([
    expect.stringContaining("It lists more than 200 tools: the first 200 are used."),
  ]);
  expect(await callGood(list)).toBe("answered");
});

it("a tool that cannot be offered costs only itself", async () => {
  const bad = [
    '{ name: "none" }',
    '{ name: "text", inputSchema: { type: "string" } }',
    '{ name: "number", inputSchema: 7 }',
    '{ name: "", inputSchema: { type: "object" } }',
    "null",
    '{ name: "large", inputSchema: { type: "object", description: "x".repeat(100000) } }',
    '{ name: "odd", description: 7, inputSchema: { type: "object" } }',
  ];
  const list = await tools(SERVER(`[${bad.join(", ")}, ${GOOD}, ${GOOD}]`, TEXT));
  expect(list.map(({ name }) => name)).toEqual(["mcp__s__odd", "mcp__s__good"]);
  expect(problems).toHaveLength(1);
  for (const name of ["none", "text", "number", "a tool without a name", "and 2 more"])
    expect(problems[0]).toContain(name);
});

it("pages without end come to an end", async () => {
  const endless = SERVER("[]", TEXT).replace(
    "reply({ tools: TOOLS })",
    'reply({ tools: [], nextCursor: "again" })',
  );
  expect(await tools(endless)).toEqual([]);
  expect(problems[0]).toContain("lists more than");
});

describe("deep JSON", () => {
  const DEEP = '"[".repeat(100000) + "]".repeat(100000)';

  it("in an answer is a message for the model", async () => {
    const answer = `'{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[{"type":"odd","deep":' + ${DEEP} + '}]}}'`;
    await expect(callGood(await tools(SERVER(`[${GOOD}]`, answer)))).rejects.toMatchObject({
      code: "tool_failed",
    });
  });

  it("in a schema costs the tool", async () => {
    const list = SERVER(`[${GOOD}]`, TEXT).replace(
      "reply({ tools: TOOLS })",
      `send('{"jsonrpc":"2.0","id":' + id + ',"result":{"tools":[{"name":"deep","inputSchema":{"type":"object","x":' + ${DEEP} + '}},{"name":"good","inputSchema":{"type":"object"}}]}}')`,
    );
    expect((await tools(list)).map(({ name }) => name)).toEqual(["mcp__s__good"]);
    expect(problems).toEqual([expect.stringContaining("nested too deeply")]);
  });

  it("in the input of a model is shown as what it is", async () => {
    const [good] = await tools(SERVER(`[${GOOD}]`, TEXT));
    const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000)) as unknown;
    expect(good?.subject?.({ deep })).toContain("nested too deeply");
    await expect(callGood(await mcp.tools(""), { deep })).rejects.toMatchObject({ code: "tool_failed" });
  });
});

bubblewrapOrSkip(describe)("a server in the sandbox", () => {
  it("answers, and writes nothing outside the workspace", async () => {
    const outside = join(folder, "outside");
    mkdirSync(join(folder, "ws"));
    sandbox = createSandbox({
      ...{
        mode: "required",
        network: "off",
        workspace: join(folder, "ws"),
        stateFolder: join(folder, "state"),
      },
      ...{ cacheFolder: join(folder, "cache"), ownFolders: [] },
    });
    const write = `import fs from "node:fs"; fs.writeFileSync("inside", "x"); try { fs.writeFileSync(${JSON.stringify(outside)}, "x") } catch {}`;
    expect(await callGood(await tools(SERVER(`[${GOOD}]`, TEXT, write)))).toBe("answered");
    expect(readFileSync(join(folder, "ws/inside"), "utf8")).toBe("x");
    expect(existsSync(outside)).toBe(false);
  });
});
