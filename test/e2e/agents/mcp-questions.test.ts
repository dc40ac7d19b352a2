/** The questions of `ekiden mcp` to the person in front of its client: forms of the protocol, in both revisions; and waits as tasks. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, it } from "vitest";
import { soon } from "../../fixtures/soon.ts";
import { collected, Project } from "../cli-program.ts";

let project: Project;
const clients: Client[] = [];
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await project.end();
});

const ERAS = ["legacy", { pin: "2026-07-28" }] as const;
type Filled = { action: "accept"; content: Record<string, string> } | { action: "decline" };
type Asked = { message: string; requestedSchema: { properties: object } };

/** An agent whose person fills forms; null: its client cannot show any. */
async function agent(era: (typeof ERAS)[number], fill: ((asked: Asked) => Filled) | null) {
  const { command, ...rest } = project.command(["mcp", "--as", "ann", "--wait", "3"]);
  const client = new Client(
    { name: "stdio-agent", version: "1.0.0" },
    { versionNegotiation: { mode: era }, capabilities: fill ? { elicitation: { form: {} } } : {} },
  );
  const asked: Asked[] = [];
  if (fill)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params as unknown as Asked);
      return fill(params as unknown as Asked);
    });
  await client.connect(new StdioClientTransport({ command, ...rest, stderr: "ignore" }));
  clients.push(client);
  const call = async (tool: string, input: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name: tool, arguments: input });
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  };
  return { asked, call };
}

const open = async (): Promise<number> => (await (await project.store()).requests.open()).length;

it.each(ERAS)("asks about a plan in front of the client, and goes on with the answer: %j", async (era) => {
  await project.add({ subject: "Build", needsPlan: true });
  const answers: Filled[] = [
    { action: "accept", content: { choice: "reject", words: "Use oak" } },
    { action: "accept", content: { choice: "approve" } },
  ];
  const { asked, call } = await agent(era, () => answers.shift() ?? { action: "decline" });
  await call("wait_for_work");
  const rejected = await call("submit_plan", { plan: "Build it of pine" });
  expect(rejected).toContain("Submitted your plan");
  expect(rejected).toContain("Use oak");
  expect(asked[0]?.message).toContain("Build it of pine");
  expect(await call("submit_plan", { plan: "Build it of oak" })).toMatch(/approved/i);
  expect(await call("complete_task", { result: "built" })).toContain("Completed #1");
  expect(asked).toHaveLength(2);
  expect(asked[0]?.requestedSchema.properties).toHaveProperty("choice");
});

it.each(ERAS)(
  "asks the person's question as a form, and keeps one that is declined open: %j",
  async (era) => {
    await project.add({ subject: "Build" });
    const answers: Filled[] = [
      { action: "decline" },
      { action: "accept", content: { choice: "pine", words: "" } },
    ];
    const { asked, call } = await agent(era, () => answers.shift() as Filled);
    await call("wait_for_work");
    const question = { question: "Which wood?", options: ["oak: hard", "pine"] };
    const declined = await call("ask_person", question);
    expect(declined).toContain("The question stays open");
    const [request] = await (await project.store()).requests.open();
    await project.run(["answer", request?.id ?? "", "beech"]);
    expect(await call("wait_for_work", { waiting_for: "messages" })).toContain("beech");
    expect(await call("ask_person", { ...question, question: "And which now?" })).toContain("pine");
    expect(asked.map(({ message }) => message.split("\n")[0])).toEqual([
      "ann asks: Which wood?",
      "ann asks: And which now?",
    ]);
  },
);

it("leaves a question to the other places where the client shows no forms", async () => {
  await project.add({ subject: "Build" });
  const { call } = await agent("legacy", null);
  await call("wait_for_work");
  expect(await call("ask_person", { question: "Which wood?", options: ["oak", "pine"] })).toContain(
    "You wait",
  );
  await soon(async () => expect(await open()).toBe(1));
});

/** The client of the protocol's own SDK does not know tasks, so these messages are written out. */
async function polling() {
  const child = project.start(["mcp", "--http", "--port", "0"], { EKIDEN_MCP_TOKEN: "0123456789abcdef" });
  const { stdout } = collected(child);
  const address = await soon(() => {
    const [found] = /^http:\S+/.exec(stdout()) ?? [];
    if (found === undefined) throw new Error(`it printed ${stdout()}`);
    return found;
  });
  const send = async (
    who: string,
    method: string,
    params: { readonly name?: string; readonly taskId?: string; readonly arguments?: object },
    extensions: object = { "io.modelcontextprotocol/tasks": {} },
  ): Promise<Record<string, never>> => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "poller", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": { extensions },
    };
    const response = await fetch(`${address}/${who}`, {
      method: "POST",
      headers: {
        authorization: "Bearer 0123456789abcdef",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": params.name ?? params.taskId ?? "",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
    });
    const text = await response.text();
    const [, data = text] = /^data: (.+)$/m.exec(text) ?? [];
    return JSON.parse(data);
  };
  return {
    send,
    stop: () => {
      const over = new Promise((done) => child.once("close", done));
      child.kill("SIGTERM");
      return over;
    },
  };
}

it("gives a client that polls a task instead of a long call", async () => {
  const { send, stop } = await polling();
  await project.add({ subject: "First" });
  await project.run(["done", "1", "By hand"]);
  const wait = { name: "wait_for_work", arguments: {} };
  const { result: begun } = (await send("ann", "tools/call", wait)) as never as {
    result: { taskId: string };
  };
  expect(begun).toMatchObject({ resultType: "task", status: "working", ttlMs: null });
  const { taskId } = begun;
  expect(await send("ann", "tasks/get", { taskId })).toMatchObject({ result: { status: "working" } });
  expect(await send("bob", "tasks/get", { taskId })).toMatchObject({ error: { code: -32602 } });
  expect(await send("ann", "tasks/get", { taskId }, {})).toMatchObject({ error: { code: -32021 } });
  await project.add({ subject: "Saw" });
  await soon(async () =>
    expect(await send("ann", "tasks/get", { taskId })).toMatchObject({
      result: {
        resultType: "complete",
        status: "completed",
        result: { content: [{ text: expect.stringContaining("Saw") }] },
      },
    }),
  );
  const { result: again } = (await send("bob", "tools/call", wait)) as never as {
    result: { taskId: string };
  };
  await send("bob", "tasks/cancel", { taskId: again.taskId });
  expect(await send("bob", "tasks/get", { taskId: again.taskId })).toMatchObject({
    result: { status: "cancelled" },
  });
  // Without the extension the call itself waits.
  expect(await send("ann", "tools/call", { name: "list_tasks", arguments: {} }, {})).toMatchObject({
    result: { resultType: "complete" },
  });
  await stop();
});
