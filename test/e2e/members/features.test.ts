/** A capability is one feature: added to the list, it has its tools, its section and its wrap. Its effects, not its names, decide. */

import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { MemoryFolder } from "../../../src/adapters/disk/memory.ts";
import { type Step, scripted } from "../../../src/adapters/models/scripted.ts";
import type { Entry } from "../../../src/core/conversation/chat.ts";
import { heard } from "../../../src/core/conversation/chat.ts";
import { prefixBreaks } from "../../../src/core/conversation/prefix.ts";
import { type HostId, LEAD, later, PERSON } from "../../../src/core/ids.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../src/core/settings/settings.ts";
import { composeAgent, FEATURES } from "../../../src/host/compose.ts";
import { openParts } from "../../../src/host/parts.ts";
import { permissionPolicy } from "../../../src/host/permission/permission-policy.ts";
import { PermissionQuestions } from "../../../src/host/permission/permission-questions.ts";
import type { MakeFeature } from "../../../src/host/setup.ts";
import { WebHosts } from "../../../src/host/web-hosts.ts";
import type { CompletionInput } from "../../../src/ports/index.ts";
import type { Agent } from "../../../src/runtime/agent/agent.ts";
import { beginStint } from "../../../src/runtime/agent/feature.ts";
import { appendNote } from "../../../src/runtime/turn/record.ts";
import { Stagger } from "../../../src/runtime/turn/stagger.ts";
import { turn } from "../../../src/runtime/turn/turn.ts";
import { defineTool } from "../../../src/tools/define.ts";
import { completeTask } from "../../../src/tools/team/claims.ts";
import { ownHome } from "../../fixtures/own-home.ts";
import { type Repository, repository } from "../../fixtures/repository.ts";
import { profile } from "../../fixtures/stage.ts";

const never = new AbortController().signal;

/** One teammate as the program composes it, with one more capability. Closed after the test. */
async function alice(
  repo: Repository,
  capability: MakeFeature,
  steps: readonly Step[],
  settings: Partial<Settings> = {},
  needsPlan = false,
): Promise<Agent> {
  const model = scripted(steps, "alice");
  const parts = await openParts({
    settings: { ...DEFAULT_SETTINGS, model: "scripted", permissionMode: "bypass", ...settings },
    cwd: repo.dir,
    env: { PATH: process.env.PATH, HOME: ownHome(), GIT_CONFIG_NOSYSTEM: "1" },
    embedded: false,
    resume: false,
    openModel: () => Promise.resolve(model),
  });
  onTestFinished(async () => {
    await parts.shell.close();
    await parts.store.close();
  });
  const { store } = parts;
  const host = randomUUID() as HostId;
  await store.roster.open(host, "here", process.pid);
  await store.roster.join(profile("lead", { kind: "lead" }), host, PERSON);
  const who = profile("alice", { needsPlan });
  const seat = await store.roster.join(who, host, LEAD);
  const questions = new PermissionQuestions(parts, false);
  const crew = {
    parts,
    questions,
    permissionPolicy: permissionPolicy(parts, questions),
    memory: new MemoryFolder(repo.dir),
    web: { hosts: new WebHosts(parts, questions, () => "default"), fetchPage: () => Promise.reject() },
    onCost: () => undefined,
    noteOfLimit: () => null,
    onDeleteTeam: () => {},
    providerTimeout: undefined,
    mode: () => "default" as const,
    onDelta: undefined,
    reported: new Set<string>(),
    stagger: new Stagger(() => Promise.resolve()),
  };
  const team = { spawn: () => Promise.resolve(), askToStop: () => Promise.resolve() };
  return await composeAgent(crew, who, seat, team, () => undefined, [...FEATURES, capability]);
}

/** One turn; the text of its results. */
async function results(agent: Agent): Promise<string[]> {
  if (!agent.conversation.awaitsReply) await appendNote(agent, heard("go"));
  const before = (await agent.store.transcript.all(agent.seat.name)).length;
  await turn(agent, never);
  const entries = (await agent.store.transcript.all(agent.seat.name)).slice(before).map(({ entry }) => entry);
  return entries.flatMap((entry: Entry) => (entry.kind === "result" ? [entry.result.text] : []));
}

it("adds a capability by one feature in the list: a tool, a section, a wrap", async () => {
  const sing = defineTool({
    ...{ name: "sing", description: "sing", access: "read" as const },
    input: () => z.object({}),
    run: async () => "sing",
  });
  let isLoud = false;
  const music: MakeFeature = () => ({
    tools: () => [sing],
    sections: () => [{ place: "own", about: "music", text: isLoud ? "Sing loudly." : "Sing softly." }],
    wrap: (next) => async (call) => {
      const text = await next(call);
      return call.tool.name === "sing" ? `${text} la la` : text;
    },
  });
  const agent = await alice(repository({ "a.txt": "a" }), music, [
    { calls: [{ tool: "sing", input: {} }] },
    { text: "end" },
  ]);
  expect(await results(agent)).toEqual(["sing la la"]);
  const { opening } = agent.conversation;
  expect(opening?.own).toMatch(/<identity>[\s\S]*<\/identity>\n\nSing softly\.$/); // this list has it behind the identity
  expect(opening?.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["sing", "check_background", "stop_background", "submit_plan", "compact"]),
  );

  // the beginning stays as it is: changes are told at the end
  isLoud = true;
  await beginStint(agent);
  expect(agent.loadout.opening.own).toContain("Sing loudly.");
  expect(agent.conversation.opening).toBe(opening);
  expect(agent.conversation.news).toEqual(['<update about="music">\nSing loudly.\n</update>']);
  await results(agent);
  expect(prefixBreaks(await agent.store.transcript.current(agent.seat.name))).toEqual([]);
});

it("takes a new tool that completes through the plan gate, the check, the hook and the landing", async () => {
  const done = defineTool({
    name: "ship_it",
    description: "Ends the task.",
    access: "team",
    effect: "completes",
    input: () => z.object({ result: z.string() }),
    run: (input: CompletionInput, ctx) => completeTask.run(input, ctx),
  });
  const repo = repository({ "a.txt": "a\n" });
  const ship = { calls: [{ tool: "ship_it", input: { result: "shipped" } }] };
  const write = (path: string) => ({ tool: "write_file", input: { path, content: "text\n" } });
  const agent = await alice(
    repo,
    () => ({ tools: () => [done] }),
    [
      ship,
      { calls: [write("c.txt"), ...ship.calls] },
      ship,
      { calls: [write("b.txt"), ...ship.calls] },
      { text: "end" },
    ],
    {
      worktrees: true,
      gate: "test ! -e c.txt -o -e b.txt",
      hooks: { TaskCompleted: [{ matcher: "", command: "cat > told.json", timeoutMs: 10_000 }] },
    },
    true,
  );
  const { store, seat, clock } = agent;
  await store.board.add({ subject: "Ship" }, LEAD);
  const task = await store.board.claimNext(seat);
  if (!task) throw new Error("nothing to claim");

  expect((await results(agent))[0]).toContain("ship_it is not permitted yet");
  expect(agent.loadout.tools.has("submit_plan")).toBe(true);
  const plan = await store.requests.ask(
    seat.name,
    LEAD,
    { kind: "plan", task: task.id, attempt: task.attempt, plan: "ship" },
    later(clock.now(), 60_000),
  );
  await store.requests.answer(LEAD, plan.id, "plan", { yes: true, text: "" });

  expect((await results(agent))[1]).toContain("Not completed yet [check 1.1]: nothing was run");
  expect((await results(agent))[0]).toContain("cannot land");
  expect(JSON.parse(repo.read("told.json"))).toMatchObject({ event: "TaskCompleted", result: "shipped" });
  expect((await results(agent))[1]).toMatch(/^Completed #1\. Landed on main as/);
  expect(repo.git("show", "main:b.txt")).toBe("text");
  expect((await store.board.task(task.id))?.status).toBe("completed");
});
