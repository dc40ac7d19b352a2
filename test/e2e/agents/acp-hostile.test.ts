/** Editors that say nonsense to `ekiden acp`, that vanish, and that open one session twice. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { afterEach, beforeEach, expect, it } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { AcpEditor, type Answers } from "../../fixtures/acp-editor.ts";
import {
  type Answer,
  calls,
  type ModelServer,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { soon } from "../../fixtures/soon.ts";
import { Project } from "../cli-program.ts";

let project: Project;
let server: ModelServer;
const editors: AcpEditor[] = [];
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  await Promise.all(editors.splice(0).map((editor) => editor.close()));
  await project.end();
  await server.close();
});

async function model(lead: (text: string) => Answer): Promise<void> {
  server = await startModelServer({
    anthropic: ({ messages }) => {
      const last = messages.at(-1);
      return lead(last ? textOf(last) : "");
    },
  });
}

async function editor(answers: Answers = {}): Promise<AcpEditor> {
  const command = project.command(["acp", "--model", "anthropic/claude-sonnet-4-5"]);
  const opened = await AcpEditor.open({ ...command, env: { ...command.env, ...server.env } }, answers);
  editors.push(opened);
  return opened;
}

const session = async ({ agent }: AcpEditor): Promise<string> =>
  (await agent.request(methods.agent.session.new, { cwd: project.dir, mcpServers: [] })).sessionId;
const at = (sessionId: string) => ({ sessionId, cwd: project.dir, mcpServers: [] });

it("continues after nonsense, unknown methods, answers to nothing and requests that come twice", async () => {
  await model(() => says("Here."));
  const zed = await editor();
  const id = await session(zed);
  const ask = (what: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...what })}\n`;
  const prompt = { sessionId: id, prompt: [{ type: "text", text: "Twice" }] };
  const lines = [
    "\n\u0000\n{{{\n[1]\nnull\n7\n",
    `${"[".repeat(50_000)}\n`,
    ask({ id: 900, method: "no/such", params: {} }),
    ask({ id: {}, method: 7 }),
    ask({ id: 901, result: {} }),
    ask({ id: -5, error: "no" }),
    ask({ method: "session/cancel", params: { sessionId: "nobody:0" } }),
    ask({ method: "session/cancel", params: null }),
    ask({ id: 902, method: "session/prompt", params: { sessionId: id, prompt: "text" } }),
    ask({
      id: 903,
      method: "session/prompt",
      params: { sessionId: id, prompt: [{ type: "image", data: 7 }] },
    }),
    ask({ id: 904, method: "session/set_mode", params: { sessionId: id } }),
    ask({ id: 905, method: "session/new", params: { cwd: "relative", mcpServers: [] } }),
    ask({ id: 905, method: "session/new", params: { cwd: project.dir, mcpServers: [{ name: "x" }] } }),
    ask({ id: 906, method: "initialize", params: { protocolVersion: 99 } }),
    ask({ id: 907, method: "session/prompt", params: prompt }),
    ask({ id: 907, method: "session/prompt", params: prompt }),
  ];
  zed.child.stdin?.write(lines.join(""));
  expect(await zed.prompt(id, "Are you there?")).toBe("end_turn");
  expect(zed.said("agent_message_chunk", id)).toContain("Here.");
  expect(await zed.close()).toBe(0);
});

it("refuses a message that no member could read, and continues", async () => {
  await model(() => says("Here."));
  const zed = await editor();
  const id = await session(zed);
  await expect(zed.prompt(id, "x".repeat(30_000_000))).rejects.toThrow(/characters|long/);
  expect(await zed.prompt(id, "Are you there?")).toBe("end_turn");
  expect(server.requests.every(({ bytes }) => bytes < 10_000_000)).toBe(true);
});

it("ends with an editor that vanishes while it is asked, and asks the next one again", async () => {
  let isAsked = false;
  await model((text) => {
    if (text.includes("Continue")) return says("Gone on.");
    if (isAsked) return says("I stop.");
    isAsked = true;
    return calls("write_file", { path: "a.txt", content: "x" });
  });
  const first = await editor({ permit: () => null });
  const id = await session(first);
  const asking = first.prompt(id, "Write a.txt");
  asking.catch(() => {});
  await soon(() => expect(first.asked).toHaveLength(1));
  first.child.stdout?.destroy();
  expect(await first.close()).toBe(0);
  expect(existsSync(join(project.dir, "a.txt"))).toBe(false);
  const second = await editor({ permit: () => "no" });
  await second.agent.request(methods.agent.session.load, at(id));
  expect(await second.prompt(id, "Continue")).toBe("end_turn");
  expect(second.said("agent_message_chunk")).toContain("Gone on.");
  expect(existsSync(join(project.dir, "a.txt"))).toBe(false);
});

it("answers each of two editors that have opened one session, and the one that is left", async () => {
  await model(() => says("Here."));
  const [first, second] = [await editor(), await editor()];
  const id = await session(first);
  expect(await first.prompt(id, "Greet me")).toBe("end_turn");
  await second.agent.request(methods.agent.session.load, at(id));
  expect(await second.prompt(id, "And me")).toBe("end_turn");
  await soon(() => expect(second.said("agent_message_chunk")).toMatch(/Here\..*Here\./s));
  expect(await first.prompt(id, "Greet me again")).toBe("end_turn");
  expect(await first.close()).toBe(0);
  expect(await second.prompt(id, "Still there?")).toBe("end_turn");
});

it("opens a session once where it is loaded several times at once", async () => {
  await model(() => says("Here."));
  const zed = await editor();
  const id = await session(zed);
  expect(await zed.prompt(id, "Greet me")).toBe("end_turn");
  const loads = Array.from({ length: 4 }, () => zed.agent.request(methods.agent.session.load, at(id)));
  const ends = await Promise.allSettled(loads);
  expect(ends.map(({ status }) => status)).toEqual(loads.map(() => "fulfilled"));
  const [asked, from] = [server.requests.length, zed.updates.length];
  expect(await zed.prompt(id, "Still there?")).toBe("end_turn");
  expect(server.requests.length).toBe(asked + 1);
  // One that was left open would tell the answer, too.
  const said = zed.updates
    .slice(from)
    .flatMap((one) =>
      one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? [one.content.text] : [],
    );
  expect(said.join("")).toBe("Here.");
  expect(await zed.close()).toBe(0);
});
