/** What `ekiden mcp` does not offer: forms and tasks of the protocol. Questions of its agent are answered in Ekiden. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { sampled } from "../../fixtures/fuzz.ts";
import { soon } from "../../fixtures/soon.ts";
import { Project } from "../cli-program.ts";

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

/** An agent whose client can show forms. */
async function agent(era: (typeof ERAS)[number]) {
  const { command, ...rest } = project.command(["mcp", "--as", "ann", "--wait", "3"]);
  const client = new Client(
    { name: "stdio-agent", version: "1.0.0" },
    { versionNegotiation: { mode: era }, capabilities: { elicitation: { form: {} } } },
  );
  const asked: unknown[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params);
    return { action: "decline" as const };
  });
  await client.connect(new StdioClientTransport({ command, ...rest, stderr: "ignore" }));
  clients.push(client);
  const call = async (tool: string, input: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name: tool, arguments: input });
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  };
  return { asked, call, client };
}

it.each(sampled(ERAS, 2))("leaves questions and plans to the places of the person: %j", async (era) => {
  await project.add({ subject: "Build", needsPlan: true });
  const { asked, call, client } = await agent(era);
  expect(client.getServerCapabilities()).not.toHaveProperty("extensions");
  await call("wait_for_work");
  expect(await call("ask_person", { question: "Which wood?", options: ["oak: hard", "pine"] })).toContain(
    "You wait",
  );
  const requests = async () => (await (await project.store()).requests.open()).map(({ id }) => id);
  const [question = ""] = await soon(async () => {
    const open = await requests();
    expect(open).toHaveLength(1);
    return open;
  });
  await project.run(["answer", question, "beech"]);
  expect(await call("wait_for_work", { waiting_for: "messages" })).toContain("beech");
  expect(await call("submit_plan", { plan: "Build it of beech" })).toContain("Submitted your plan");
  const [plan = ""] = await requests();
  await project.run(["answer", plan, "approve"]);
  expect(await call("wait_for_work")).toMatch(/approved/i);
  expect(asked).toEqual([]);
});

it("refuses the methods of tasks as unknown", async () => {
  const { client } = await agent("legacy");
  const params = { taskId: "1" };
  await expect(client.request({ method: "tasks/get", params }, z.unknown())).rejects.toMatchObject({
    code: -32_601,
  });
});
