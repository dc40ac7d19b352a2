/** `ekiden acp` as an editor uses it: driven by the protocol's own client. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type LoadSessionResponse, methods } from "@agentclientprotocol/sdk/unstable";
import { afterEach, beforeEach, expect, it } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { AcpEditor, type Answers } from "../../fixtures/acp-editor.ts";
import {
  type Answer,
  calls,
  type ModelCall,
  type ModelServer,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { soon } from "../../fixtures/soon.ts";
import { Project } from "../cli-program.ts";

let project: Project;
let server: ModelServer | undefined;
const editors: AcpEditor[] = [];
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  await Promise.all(editors.splice(0).map((editor) => editor.close()));
  await project.end();
  await server?.close();
  server = undefined;
});

async function editor(answers: Answers = {}, env: Record<string, string> = {}): Promise<AcpEditor> {
  const command = project.command(["acp", "--model", "anthropic/claude-sonnet-4-5"]);
  const opened = await AcpEditor.open(
    { ...command, env: { ...command.env, ...server?.env, ...env } },
    answers,
  );
  editors.push(opened);
  return opened;
}

const session = async (opened: AcpEditor): Promise<string> =>
  (await opened.agent.request(methods.agent.session.new, { cwd: project.dir, mcpServers: [] })).sessionId;

/** The last message to the model. */
const heard = ({ messages }: ModelCall): string => {
  const last = messages.at(-1);
  const results = last?.content.flatMap((part) => (part.type === "result" ? [part.text] : [])) ?? [];
  return last ? [textOf(last), ...results].join("\n") : "";
};
const isLead = (request: ModelCall): boolean => request.system.includes('You are "lead"');

async function model(lead: (text: string) => Answer, mate: (text: string) => Answer = () => says("ok")) {
  server = await startModelServer({
    anthropic: (request) => (isLead(request) ? lead(heard(request)) : mate(heard(request))),
  });
}

it("streams words once, shows a diff, asks for it, and says what it cost", async () => {
  await model((text) =>
    text.includes("Write a.txt")
      ? calls("write_file", { path: "a.txt", content: "hello\n" }, { text: "I write it." })
      : says("It is **written**.\n\nBye."),
  );
  const zed = await editor({ permit: () => "yes" });
  const id = await session(zed);
  expect(await zed.prompt(id, "Write a.txt")).toBe("end_turn");
  expect(readFileSync(join(project.dir, "a.txt"), "utf8")).toBe("hello\n");
  expect(zed.said("agent_message_chunk")).toBe("I write it.It is **written**.\n\nBye.");
  const [call] = zed.of("tool_call");
  expect(call).toMatchObject({
    title: "Write a.txt",
    kind: "edit",
    status: "in_progress",
    content: [{ type: "diff", path: join(project.dir, "a.txt"), oldText: null, newText: "hello\n" }],
  });
  expect(zed.asked).toHaveLength(1);
  expect(zed.asked[0]?.toolCall.toolCallId).toBe(call?.toolCallId);
  expect(zed.asked[0]?.options.map(({ kind }) => kind)).toEqual([
    "allow_once",
    "allow_always",
    "reject_once",
  ]);
  expect(zed.of("tool_call_update").at(-1)).toMatchObject({
    toolCallId: call?.toolCallId,
    status: "completed",
  });
  const usage = zed.of("usage_update").at(-1);
  expect(usage?.size).toBeGreaterThan(100_000);
  expect(usage?.used).toBeGreaterThan(0);
  expect(usage?.cost).toMatchObject({ currency: "USD", amount: expect.any(Number) });
  expect(usage?.cost?.amount).toBeGreaterThan(0);
  expect(zed.of("session_info_update")).toMatchObject([{ title: "Write a.txt" }]);
  expect(
    zed
      .of("available_commands_update")
      .at(-1)
      ?.availableCommands.map(({ name }) => name),
  ).toContain("tasks");
  expect(await zed.close()).toBe(0);
});

const PLANNED = (text: string): Answer => {
  if (text.includes("Build it"))
    return {
      calls: [
        { tool: "create_task", input: { subject: "Lay the floor" } },
        { tool: "spawn_teammate", input: { name: "ann" } },
      ],
    };
  if (text.includes("quiet")) return says("All is built.");
  return says("I wait.");
};
const ANN = (text: string): Answer => {
  if (text.includes("Completed #1")) return says("I am done.");
  if (text.includes("Not completed yet")) return calls("complete_task", { result: "laid; nothing to run" });
  if (text.includes("Lay the floor")) return calls("write_file", { path: "floor.txt", content: "oak" });
  return calls("complete_task", { result: "laid" });
};

it("shows the board as the plan and the work of a teammate, until the team has come to rest", async () => {
  await model(PLANNED, ANN);
  const zed = await editor({ permit: () => "yes" });
  const id = await session(zed);
  expect(await zed.prompt(id, "Build it")).toBe("end_turn");
  const plans = zed.of("plan").map(({ entries }) => entries.map(({ status }) => status).join());
  expect([...new Set(plans)].filter(Boolean)).toEqual(expect.arrayContaining(["in_progress", "completed"]));
  expect(zed.of("plan").at(-1)?.entries).toMatchObject([
    { content: "#1 Lay the floor · ann", status: "completed" },
  ]);
  expect(zed.of("tool_call").map(({ title }) => title)).toEqual(
    expect.arrayContaining(["ann: #1 Lay the floor", "ann: Write floor.txt"]),
  );
  expect(zed.asked[0]?.toolCall.title).toBe("ann: Write floor.txt");
  expect(zed.asked[0]?.sessionId).toBe(id);
  expect(zed.said("agent_message_chunk")).toContain("All is built.");
  expect(zed.of("subagent_update")).toEqual([]);
});

it("gives a teammate a child session where the editor shows one", async () => {
  await model(PLANNED, ANN);
  const zed = await editor({ permit: () => "yes", can: { subagents: {} } });
  const id = await session(zed);
  expect(await zed.prompt(id, "Build it")).toBe("end_turn");
  const child = `${id}/ann`;
  const [born, ...states] = zed.of("subagent_update").filter(({ sessionId }) => sessionId === child);
  expect(born).toMatchObject({ session: id, title: "ann", capabilities: { cancel: {} } });
  expect(states.map(({ state }) => state?.state)).toEqual(
    expect.arrayContaining(["running", "requires_action"]),
  );
  await soon(() => expect(zed.of("subagent_update").at(-1)?.state?.state).toBe("idle"));
  expect(zed.asked).toMatchObject([{ sessionId: child, toolCall: { title: "Write floor.txt" } }]);
  const written = zed.of("tool_call").filter(({ session: where }) => where === child);
  expect(written.map(({ title }) => title)).toContain("Write floor.txt");
  expect(zed.said("agent_message_chunk", child)).toContain("I am done.");
  expect(zed.said("agent_message_chunk", id)).not.toContain("I am done.");
  expect(zed.of("session_message").some(({ senderSessionId }) => senderSessionId === child)).toBe(true);
});

it("ends a prompt that is cancelled, while the model thinks and while a permission is asked for", async () => {
  await model((text) => {
    if (text.includes("Are you there?")) return says("Here.");
    if (text.includes("Touch the file")) return calls("write_file", { path: "ran.txt", content: "x" });
    return says("Hm hm hm", { fault: "stall" });
  });
  const zed = await editor({ permit: () => null });
  const id = await session(zed);
  const thinking = zed.prompt(id, "Ponder");
  await soon(() => expect(zed.said("agent_message_chunk")).toContain("Hm"));
  await zed.agent.notify(methods.agent.session.cancel, { sessionId: id });
  expect(await thinking).toBe("cancelled");
  const running = zed.prompt(id, "Touch the file");
  await soon(() => expect(zed.asked).toHaveLength(1));
  await zed.agent.notify(methods.agent.session.cancel, { sessionId: id });
  expect(await running).toBe("cancelled");
  expect(await zed.prompt(id, "Are you there?")).toBe("end_turn");
  expect(zed.said("agent_message_chunk")).toMatch(/^[Hm ]*\s*Here\.$/);
  expect(existsSync(join(project.dir, "ran.txt"))).toBe(false);
});

it("interrupts teammates with the lead, and a child session alone", async () => {
  const told: string[] = [];
  await model(
    (text) => {
      told.push(text);
      return text.includes("Build it") ? PLANNED(text) : says("I wait.");
    },
    () => says("Mm mm mm", { fault: "stall" }),
  );
  const zed = await editor({ can: { subagents: {} } });
  const id = await session(zed);
  const building = zed.prompt(id, "Build it");
  const child = `${id}/ann`;
  await soon(() => expect(zed.said("agent_message_chunk", child)).toContain("Mm"));
  await zed.agent.notify(methods.agent.session.cancel, { sessionId: child });
  // Nobody else works, so the person has to say something.
  expect(await building).toBe("end_turn");
  expect(zed.of("subagent_update").at(-1)?.state).toMatchObject({ state: "idle", stopReason: "cancelled" });
  expect(await zed.prompt(id, "Hello?")).toBe("end_turn");
  expect(told.at(-1)).toContain("The person has interrupted ann, too.");
  await project.run(["--team", id.split(":")[0] ?? "", "send", "ann", "Continue."]);
  const again = zed.prompt(id, "Hello again?");
  await soon(() => expect(zed.of("subagent_update").at(-1)?.state?.state).toBe("running"));
  await zed.agent.notify(methods.agent.session.cancel, { sessionId: id });
  expect(await again).toBe("cancelled");
});

it("is found again after a kill: listed, loaded with what was said, and continuing", async () => {
  let isKilled = false;
  await model((text) => {
    if (text.includes("Begin")) return calls("bash", { command: "touch began.txt; sleep 600" });
    if (text.includes("Again")) return says("Going on.");
    return isKilled ? says("I was interrupted.") : says("Hello.");
  });
  const first = await editor({ permit: () => "yes" });
  const id = await session(first);
  expect(await first.prompt(id, "Greet me")).toBe("end_turn");
  const begun = first.prompt(id, "Begin");
  begun.catch(() => {});
  await soon(() => expect(existsSync(join(project.dir, "began.txt"))).toBe(true));
  isKilled = true;
  await first.kill();
  const second = await editor({ permit: () => "yes" });
  const at = { sessionId: id, cwd: project.dir, mcpServers: [] };
  const { sessions } = await second.agent.request(methods.agent.session.list, { cwd: project.dir });
  expect(sessions).toMatchObject([{ sessionId: id, cwd: project.dir, title: "Greet me" }]);
  const { modes } = await second.agent.request<LoadSessionResponse>(methods.agent.session.load, at);
  expect(modes?.currentModeId).toBe("default");
  expect(second.said("user_message_chunk")).toBe("Greet meBegin");
  expect(second.said("agent_message_chunk")).toContain("Hello.");
  expect(second.of("tool_call")).toMatchObject([{ kind: "execute", title: "touch began.txt; sleep 600" }]);
  expect(await second.prompt(id, "Again")).toBe("end_turn");
  expect(second.said("agent_message_chunk")).toContain("Going on.");
  await second.agent.request(methods.agent.session.close, { sessionId: id });
  await second.agent.request(methods.agent.session.resume, at);
  const before = second.updates.length;
  expect(second.said("user_message_chunk")).toBe("Greet meBegin");
  expect(await second.prompt(id, "Again")).toBe("end_turn");
  expect(second.updates.length).toBeGreaterThan(before);
});

it("asks what a member asks: in a form, by options, or in the person's own words", async () => {
  await model((text) => {
    const wood = /"Which wood\?": (\w+)/.exec(text)?.[1];
    if (wood) return says(`So ${wood}.`);
    return calls("ask_person", { question: "Which wood?", options: ["oak: hard", "pine"] });
  });
  const forms = await editor({ can: { elicitation: { form: {} } }, fill: () => ({ option: "oak" }) });
  expect(await forms.prompt(await session(forms), "Ask")).toBe("end_turn");
  expect(forms.said("agent_message_chunk")).toContain("So oak.");
  const plain = await editor({
    permit: ({ options }) => options.find(({ name }) => name === "pine")?.optionId ?? "",
  });
  expect(await plain.prompt(await session(plain), "Ask")).toBe("end_turn");
  expect(plain.said("agent_message_chunk")).toContain("So pine.");
  const own = await editor({ permit: () => "words" });
  const id = await session(own);
  expect(await own.prompt(id, "Ask")).toBe("end_turn");
  expect(own.said("agent_message_chunk")).toContain("Your next message is the answer.");
  expect(await own.prompt(id, "beech")).toBe("end_turn");
  expect(own.said("agent_message_chunk")).toContain("So beech.");
});

it("changes the mode and runs commands of the conversation", async () => {
  await model(() => calls("bash", { command: "touch ran.txt" }));
  const zed = await editor();
  const id = await session(zed);
  await zed.agent.request(methods.agent.session.setMode, { sessionId: id, modeId: "plan" });
  await soon(() => expect(zed.of("current_mode_update")).toMatchObject([{ currentModeId: "plan" }]));
  const wrong = zed.agent.request(methods.agent.session.setMode, { sessionId: id, modeId: "yolo" });
  await expect(wrong).rejects.toThrow(/no mode "yolo"/);
  expect(await zed.prompt(id, "/tasks")).toBe("end_turn");
  expect(zed.said("agent_message_chunk")).toMatch(/```\n[\s\S]*board is empty[\s\S]*```/i);
  expect(await zed.prompt(id, "/nonsense")).toBe("end_turn");
  expect(zed.said("agent_message_chunk")).toContain('unknown command "/nonsense"');
  expect(server?.requests).toEqual([]);
});

it("ends the call of a task that an order takes, and only where there is one", async () => {
  await model(
    () => says("ok"),
    (text) => (text.includes("claim_taken") ? says("ok") : calls("bash", { command: "sleep 60" })),
  );
  const zed = await editor(
    {},
    { EKIDEN_TEAMMATES: "1", EKIDEN_PERMISSION_MODE: "bypass", EKIDEN_SANDBOX: "off" },
  );
  const id = await session(zed);
  const ended = () =>
    zed
      .of("tool_call_update")
      .flatMap(({ toolCallId, status, content }) =>
        toolCallId.startsWith("task-") ? [[toolCallId, status, JSON.stringify(content)]] : [],
      );
  await zed.prompt(id, "/add Paint");
  await zed.prompt(id, "/add Dry --after 1");
  await soon(() => expect(zed.of("tool_call").map(({ toolCallId }) => toolCallId)).toContain("task-1-1"));
  await zed.prompt(id, "/release 1");
  await soon(() => expect(zed.of("tool_call").map(({ toolCallId }) => toolCallId)).toContain("task-1-2"));
  await zed.prompt(id, "/cancel 1 no");
  await zed.prompt(id, "/done 2");
  await soon(() =>
    expect(ended()).toEqual([
      ["task-1-1", "failed", expect.stringContaining("is back on the board (the person took it back)")],
      ["task-1-2", "failed", expect.stringContaining("cancelled #1: no")],
    ]),
  );
});

it("says what to run where the project is not trusted, and knows no session of another folder", async () => {
  project.write({ ".ekiden/settings.json": JSON.stringify({ permissionMode: "bypass" }) });
  const zed = await editor({}, { EKIDEN_TRUST: "" });
  await expect(session(zed)).rejects.toThrow(/ekiden trust/);
  const load = (sessionId: string, cwd = project.dir): Promise<unknown> =>
    zed.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  await expect(load("nothing:0123456789ab")).rejects.toThrow(/not found/i);
  await expect(load("../../x", "/")).rejects.toThrow(/not found/i);
  await expect(load("x", "relative")).rejects.toThrow(/absolute path/);
  expect(existsSync(join(project.dir, ".ekiden", "team.db"))).toBe(false);
});

it("deletes a session whose work is done, and keeps one with a task", async () => {
  await model(() => says("Hello."));
  const zed = await editor();
  const [id, other] = [await session(zed), await session(zed)];
  for (const one of [id, other]) await zed.prompt(one, `Greet ${one}`);
  const listed = async (): Promise<string[]> =>
    (await zed.agent.request(methods.agent.session.list, { cwd: project.dir })).sessions.map(
      ({ sessionId }) => sessionId,
    );
  const remove = (sessionId: string): Promise<unknown> =>
    zed.agent.request(methods.agent.session.delete, { sessionId });
  expect(await zed.prompt(other, "/add Paint it")).toBe("end_turn");
  await expect(remove(other)).rejects.toThrow(/unfinished task.*Nothing was deleted/);
  expect(await listed()).toEqual(expect.arrayContaining([id, other]));
  await remove(id);
  expect(await listed()).toEqual([other]);
  const { teams } = await project.json<{ teams: { name: string }[] }>(["teams"]);
  expect(teams.map(({ name }) => name)).toEqual([other.split(":")[0]]);
  const load = zed.agent.request(methods.agent.session.load, {
    ...{ sessionId: id, cwd: project.dir, mcpServers: [] },
  });
  await expect(load).rejects.toThrow(/not found/i);
  await expect(remove(id)).resolves.toEqual({});
});
