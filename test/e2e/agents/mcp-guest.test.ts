/** `ekiden mcp` as an MCP client uses it: an agent outside of this program is a teammate. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive } from "../../../src/adapters/process-table.ts";
import type { Task } from "../../../src/core/board/task.ts";
import { name, PERSON } from "../../../src/core/ids.ts";
import { DEFAULT_SETTINGS } from "../../../src/core/settings/settings.ts";
import { Guest } from "../../../src/host/guests/guest.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
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

type Called = { readonly text: string; readonly isError: boolean };
type Agent = {
  readonly client: Client;
  readonly pid: number | null;
  call(tool: string, input?: Record<string, unknown>): Promise<Called>;
};

async function agent(called = "Test Agent", ...args: string[]): Promise<Agent> {
  const { command, ...rest } = project.command(["mcp", ...args]);
  const transport = new StdioClientTransport({ command, ...rest, stderr: "ignore" });
  const client = new Client({ name: called, version: "1.0.0" });
  await client.connect(transport);
  clients.push(client);
  return {
    client,
    pid: transport.pid,
    call: async (tool, input = {}) => {
      const { content, isError } = await client.callTool({ name: tool, arguments: input });
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      return { text, isError: isError === true };
    },
  };
}

const send = async (to: string, text: string): Promise<void> =>
  void (await (await project.store()).mail.send(PERSON, { to: name(to), body: { kind: "note", text } }));
const tasks = async (): Promise<readonly Task[]> => (await project.store()).board.tasks();
const phaseOf = async (who: string): Promise<string | undefined> => {
  const activity = (await (await project.store()).roster.member(name(who)))?.activity;
  return activity && [activity.phase, "reason" in activity && activity.reason].filter(Boolean).join(" ");
};

it("hears a client that begins with a byte order mark", async () => {
  const { command, args, ...rest } = project.command(["mcp"]);
  const child = spawn(command, args, { ...rest, stdio: ["pipe", "pipe", "ignore"] });
  const clientInfo = { name: "marked", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk));
  child.stdin.write(`\ufeff${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\r\n`);
  await soon(() => expect(said).toContain("wait_for_work"));
  child.stdin.end();
  await once(child, "close");
});

it("pulls the tasks that become ready, hears mail while it waits, and leaves with its client", async () => {
  await project.add(
    { subject: "Build", description: "Build it well" },
    { subject: "Test", blockedBy: [{ nth: 0 }] },
  );
  const one = await agent();
  expect(one.client.getInstructions()).toContain("wait_for_work");
  const first = await one.call("wait_for_work");
  expect(first.text).toMatch(/^You are "test-agent", a teammate in team "default"[\s\S]*Build it well/);
  expect((await one.call("complete_task", { result: "built" })).text).toBe("Completed #1. Ready now: #2.");
  const second = await one.call("wait_for_work");
  expect(second.text).toMatch(/^<auto-claimed task="2"/);
  await one.call("complete_task", { result: "tested" });
  const waiting = one.call("wait_for_work");
  await soon(async () => expect(await phaseOf("test-agent")).toBe("idle asked_to_idle"));
  await send("test-agent", "Which port?");
  expect((await waiting).text).toContain("Which port?");
  expect((await one.call("send_message", { to: "person", text: "8080" })).text).toBe("Sent to person.");
  expect((await project.run(["inbox", "person"])).stdout).toContain("8080");
  await one.client.close();
  await soon(async () => expect(await phaseOf("test-agent")).toMatch(/^shutdown/));
  expect(await tasks()).toMatchObject([
    { status: "completed", owner: "test-agent" },
    { status: "completed", owner: "test-agent" },
  ]);
});

it("gives its task back when its client ends, and another process takes it over after a kill", async () => {
  await project.add({ subject: "Build" });
  const one = await agent("a", "--as", "ann");
  await one.call("wait_for_work");
  await one.client.close();
  await soon(async () => expect((await tasks())[0]?.status).toBe("pending"));
  const two = await agent("a", "--as", "ann");
  expect((await two.call("wait_for_work")).text).toContain("Build");
  process.kill(two.pid as number, "SIGKILL");
  await soon(() => expect(isAlive(two.pid as number)).toBe(false));
  const three = await agent("a", "--as", "ann");
  expect((await three.call("wait_for_work")).text).toMatch(
    /Its owner ann|process of its owner ann|still yours/,
  );
  await three.call("complete_task", { result: "built" });
  expect(await tasks()).toMatchObject([{ status: "completed", owner: "ann", result: "built" }]);
});

it.each([
  [["release", "1"], "taken back"],
  [["cancel", "1"], "cancelled"],
  [["edit", "1", "--assign", "bob"], "given to another member"],
  [["done", "1", "By hand"], "completed by somebody else"],
])("completes nothing after an order about its task, and hears it: %j", async (order, how) => {
  await project.add({ subject: "Build" });
  const one = await agent("a", "--as", "ann");
  await one.call("wait_for_work");
  const isGiven = order.includes("bob");
  const waits = isGiven ? (await agent("b", "--as", "bob")).call("wait_for_work") : null;
  if (isGiven) await soon(async () => expect(await phaseOf("bob")).toBeDefined());
  expect((await project.run(order)).code).toBe(0);
  const refused = await one.call("complete_task", { result: "built" });
  expect(refused.isError).toBe(true);
  expect(refused.text).toContain(how);
  expect(JSON.stringify(await tasks())).not.toContain("built");
  if (waits !== null) expect((await waits).text).toContain("Build");
});

it("says what is wrong with a call, also while it has nothing to do", async () => {
  await project.add({ subject: "Build" });
  const one = await agent();
  await one.call("wait_for_work");
  expect(await one.call("complete_task", { result: 7 })).toMatchObject({ isError: true });
  expect((await one.call("complete_task", { id: 9, result: "x" })).text).toContain("There is no task #9");
  expect((await one.call("bash", { command: "ls" })).text).toContain("There is no tool bash");
  await one.call("complete_task", { result: "built" });
  const waiting = one.call("wait_for_work");
  await soon(async () => expect(await phaseOf("test-agent")).toBe("idle asked_to_idle"));
  // A call that comes while another one waits is answered after it.
  const listed = one.call("create_task", { subject: "More" });
  await send("test-agent", "Continue");
  expect((await waiting).text).toContain("Continue");
  expect((await listed).text).toContain("Created #2");
});

it("understands the words of other harnesses, and refuses a field that it does not know", async () => {
  await project.add({ subject: "Build" });
  const one = await agent();
  expect(await one.call("wait_for_work", { waitingFor: "tasks" })).toMatchObject({ isError: false });
  expect(await one.call("wait_for_work", { until_noon: true })).toMatchObject({
    isError: true,
    text: expect.stringContaining('there is no field "until_noon": the fields are waiting_for'),
  });
  expect((await one.call("TaskCreate", { subject: "Test", blockedBy: ["#1"] })).text).toBe(
    "Created #2: Test; waits for #1",
  );
  const refused = await one.call("create_task", { subject: "Lint", blocked_on_task: [1] });
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringMatching(
      /no field "blocked_on_task": the fields are subject, description, blocked_by\. Did you mean "blocked_by"\?/,
    ),
  });
  expect(await one.call("TeamCreate", { team_name: "x" })).toMatchObject({ isError: true });
  expect((await one.call("read_inbox")).text).toContain("No new mail.");
  expect((await one.call("SendMessage", { recipient: "person", content: "Hello <b>" })).text).toBe(
    "Sent to person.",
  );
  await send("test-agent", "Go <mail> on");
  expect((await one.call("read_inbox")).text).toContain("<mail ");
  expect(await one.call("TaskUpdate", { taskId: "1", status: "completed", result: "built" })).toMatchObject({
    isError: false,
  });
  expect(await tasks()).toMatchObject([
    { status: "completed", result: "built" },
    { subject: "Test", blockedBy: [1] },
  ]);
});

it("numbers the names of two agents that call themselves the same, and refuses a name that was given", async () => {
  await project.add({ subject: "Build" }, { subject: "Test" });
  const [one, two] = [await agent(), await agent()];
  expect((await one.call("wait_for_work")).text).toContain('You are "test-agent"');
  expect((await two.call("wait_for_work")).text).toContain('You are "test-agent-2"');
  const three = await agent("x", "--as", "test-agent");
  expect(await three.call("wait_for_work")).toMatchObject({
    isError: true,
    text: expect.stringContaining("test-agent"),
  });
});

it("is told to end when it is asked to stop, and waits for a team that is not there yet", async () => {
  const one = await agent();
  const early = one.call("wait_for_work");
  await project.add({ subject: "Build" });
  expect((await early).text).toContain("Build");
  const stopped = project.run(["stop", "test-agent", "--reason", "enough"]);
  const asked = await one.call("wait_for_work", { waiting_for: "messages" });
  expect(asked.text).toContain("has left the team: it was asked to stop. End here");
  await stopped;
  expect(await phaseOf("test-agent")).toBe("shutdown asked");
  expect((await tasks())[0]?.status).toBe("pending");
});

it("needs an approved plan, a gate and a landing like any other member", async () => {
  const { git, read } = repositoryIn(project.dir, { "a.txt": "old\n", ".gitignore": ".ekiden\n" });
  const settings = { worktrees: true, gate: "! grep bad a.txt" };
  project.write({ ".ekiden/settings.json": JSON.stringify(settings) });
  await project.add({ subject: "Change a.txt", needsPlan: true });
  const one = await agent();
  const told = (await one.call("wait_for_work")).text;
  const tree = /workspace="([^"]+)"/.exec(told)?.[1] ?? "";
  expect(tree, told).not.toBe("");
  expect(await one.call("complete_task", { result: "done" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("plan"),
  });
  expect((await one.call("submit_plan", { plan: "Write new into a.txt" })).text).toContain("plan");
  const [request] = await (await project.store()).requests.open();
  await project.run(["answer", request?.id ?? "", "yes"]);
  await one.call("wait_for_work");
  writeFileSync(join(tree, "a.txt"), "bad\n");
  expect(await one.call("complete_task", { result: "done" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("it cannot land"),
  });
  writeFileSync(join(tree, "a.txt"), "new\n");
  expect((await one.call("complete_task", { result: "done" })).text).toContain("Completed #1");
  expect(git("show", "main:a.txt")).toBe("new");
  expect(read("a.txt")).toBe("new\n");
});

const urlOf = (): string => `sqlite:${join(project.dir, ".ekiden/team.db")}`;
const guestNamed = (text: string, more: { holdMs?: number } = {}): Guest =>
  new Guest({
    settings: { ...DEFAULT_SETTINGS, store: urlOf() },
    ...{ cwd: project.dir, env: { PATH: process.env.PATH, HOME: project.home }, trust: true },
    ...{ name: name(text), mayNumber: true, role: "", tell: () => {}, waitMs: 500, absentMs: 300, ...more },
  });

it("says in time that there is no team yet, also after a garbage collection", async () => {
  const guest = guestNamed("early");
  try {
    const waiting = guest.wait({}, new AbortController().signal);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const collecting = setInterval(collect, 20);
    const { text } = await waiting.finally(() => clearInterval(collecting));
    expect(text).toMatch(/^Waits for team "default": .* Nothing to do yet/);
  } finally {
    await guest.close();
  }
});

it("leaves when it was silent for a while without a task, and keeps a task that it has read", async () => {
  await project.add({ subject: "Build" });
  const [busy, idle] = [guestNamed("busy"), guestNamed("idle")];
  const store = await project.store();
  const nothing = "Nothing to do yet. Call wait_for_work again to keep waiting.";
  const noProspect = expect.stringMatching(/^Nothing to do: no task of the board can become yours/);
  try {
    const { signal } = new AbortController();
    expect((await busy.wait({}, signal)).text).toContain("Build");
    expect(await idle.wait({}, signal)).toMatchObject({ text: nothing, isError: false });
    await soon(async () => expect(await phaseOf("idle")).toMatch(/^shutdown/));
    // The other one has been silent for longer.
    expect((await store.board.mine(name("busy")))?.id).toBe(1);
    await busy.call("complete_task", { result: "built" }, signal);
    expect(await busy.wait({}, signal)).toEqual({ text: noProspect, isError: false });
    await soon(async () => expect(await phaseOf("busy")).toMatch(/^shutdown/));
    await store.board.add({ subject: "Test" }, name("person"));
    expect((await idle.wait({}, signal)).text).toBe("idle has left the team. wait_for_work joins again.");
    expect((await idle.wait({}, signal)).text).toContain("Test");
  } finally {
    await Promise.all([busy.close(), idle.close()]);
  }
});

it("refuses options that say which model its member has", async () => {
  const { code, stderr } = await project.run(["mcp", "--model", "runbook"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--model has no effect on ekiden mcp")]);
});

it("gives a task back after a longer silence where nothing tells that the client has ended", async () => {
  await project.add({ subject: "Build" });
  const guest = guestNamed("gone", { holdMs: 300 });
  try {
    const { signal } = new AbortController();
    expect((await guest.wait({}, signal)).text).toContain("Build");
    await soon(async () => expect(await tasks()).toMatchObject([{ status: "pending" }]));
    expect((await guest.wait({}, signal)).text).toContain("wait_for_work joins again");
    expect((await guest.wait({}, signal)).text).toContain("Build");
  } finally {
    await guest.close();
  }
});

it("is never asked to sum up its conversation", async () => {
  project.write({ ".ekiden/settings.json": JSON.stringify({ contextTokens: 2_000 }) });
  const description = "Build it well. ".repeat(200);
  await project.add({ subject: "Build", description });
  const one = await agent("Test Agent", "--wait", "5");
  await one.call("wait_for_work");
  for (let nth = 0; nth < 8; nth += 1)
    expect((await one.call("get_task", { id: 1 })).text).toContain(description.trim());
  expect((await one.call("complete_task", { result: "built" })).text).toBe("Completed #1.");
});
