/** Plans as a gate: nothing is changed before somebody has approved the plan for this task and this attempt. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { LEAD, name, PERSON, type TaskId } from "../../../src/core/ids.ts";
import type { ModelRequest, Request } from "../../../src/ports/index.ts";
import { answer } from "../../../src/team/actions/answer.ts";
import { type ProgramTeam, programTeam, resultsIn } from "../../fixtures/program-team.ts";

const alice = name("alice");
const one = 1 as TaskId;
const settings = { permissionMode: "bypass" } as const;
const plain = (request: ModelRequest | undefined): string =>
  JSON.stringify(request?.messages ?? []).replaceAll("\\", "");
const tools = (request: ModelRequest | undefined): string[] =>
  (request?.tools ?? []).map((tool) => tool.name);
const call = (tool: string, input: Record<string, unknown> = {}) => ({ calls: [{ tool, input }] });
const plan = (text: string) => call("submit_plan", { plan: text });
const done = call("complete_task", { result: "ok" });
const quietly: Step = { times: "any", text: "fine" };
const create = call("create_task", { subject: "Paint", needs_plan: true });
/** Answers the plan that came last by mail. */
const review =
  (approve: boolean, feedback = ""): Step =>
  (request) => {
    const id =
      [...plain(request).matchAll(/kind="plan_submission" request="([^"]+)"/g)].at(-1)?.[1] ?? "none";
    return call("review_plan", { request: id, approve, feedback });
  };
const openPlan = async ({ store, until }: ProgramTeam, shape = {}): Promise<Request> => {
  await until("plan.submitted", shape);
  const [request] = await store.requests.open({ kind: "plan" });
  if (!request) throw new Error("no plan is open");
  return request;
};

it("a task that needs a plan: refused, planned, approved by the lead, done", async () => {
  const { host, store, folder, requests } = await programTeam({
    settings,
    says: {
      lead: [
        { when: "Go", ...create },
        { when: "Created", text: "planned" },
        review(true, "Use blue."),
        quietly,
      ],
      alice: [
        { when: "auto-claimed", ...call("bash", { command: "touch early" }) },
        {
          when: "needs an approved plan",
          calls: [
            { tool: "submit_plan", input: { plan: "1. paint" } },
            { tool: "write_file", input: { path: "same-reply", content: "x" } },
            { tool: "list_tasks", input: {} },
            { tool: "complete_task", input: { result: "x" } },
          ],
        },
        { when: "Use blue.", ...call("bash", { command: "touch late" }) },
        done,
        { text: "Painted." },
      ],
    },
  });
  await host.start({ goal: "Go" });
  expect(await host.done).toMatchObject({ reason: "concluded", completed: 1 });
  const [first, second, third] = requests("alice");
  expect(tools(first)).toContain("submit_plan");
  expect(plain(first)).toContain("This task needs a plan");
  expect(resultsIn(second)).toEqual([
    expect.stringMatching(
      /^bash: bash is not permitted yet: #1 \(attempt 1\) needs an approved plan\..*submit_plan/,
    ),
  ]);
  expect(resultsIn(third).slice(1)).toEqual([
    expect.stringMatching(/^submit_plan: Submitted your plan for #1/),
    expect.stringMatching(/^write_file: Not run: you wait for an answer first/),
    expect.stringMatching(/^list_tasks: Not run: you wait for an answer first/),
    expect.stringMatching(/^complete_task: Not run: you wait for an answer first/),
  ]);
  expect([existsSync(join(folder, "early")), existsSync(join(folder, "same-reply"))]).toEqual([false, false]);
  expect(existsSync(join(folder, "late"))).toBe(true);
  expect(await store.board.task(one)).toMatchObject({ status: "completed", attempt: 1 });
  // The list of tools stays as it was at the beginning.
  expect(tools(requests("lead")[0])).toContain("review_plan");
  expect(tools(requests("lead")[2])).toEqual(tools(requests("lead")[0]));
});

it("a rejection brings the feedback; the next plan is another request", async () => {
  const { host, requests, events } = await programTeam({
    settings,
    says: {
      lead: [
        { when: "Go", ...create },
        { when: "Created", text: "ok" },
        review(false, "Too big."),
        { text: "ok" },
        review(true),
        quietly,
      ],
      alice: [
        { when: "auto-claimed", ...plan("everything") },
        { when: "Too big.", ...done },
        { when: "was rejected: Too big.", ...plan("a little") },
        { when: "is approved", ...done },
        { text: "Done." },
      ],
    },
  });
  await host.start({ goal: "Go" });
  expect(await host.done).toMatchObject({ completed: 1 });
  expect((await events("plan.answered")).map((e) => (e as { approved?: boolean }).approved)).toEqual([
    false,
    true,
  ]);
  expect(requests("alice")).toHaveLength(5);
});

it("an approval for an older attempt is refused, and changes nothing for the new one", async () => {
  const team = await programTeam({
    settings,
    says: {
      lead: [quietly],
      alice: [
        { when: "auto-claimed", ...plan("first") },
        { when: 'attempt="2"', ...done },
        { when: "needs an approved plan", ...plan("second") },
        { when: "is approved", ...done },
        { text: "Done." },
      ],
    },
  });
  const { host, store, until } = team;
  await store.board.add({ subject: "Paint", needsPlan: true }, PERSON);
  await host.start({ goal: "Go" });
  const old = await openPlan(team, { attempt: 1 });
  await until("teammate.phase", { who: alice, phase: "idle", reason: "awaiting_plan" });
  await store.board.takeBack(one, PERSON);
  await until("plan.submitted", { attempt: 2 });
  await expect(answer(store, old.id, "yes", "")).rejects.toMatchObject({
    code: "answered",
    message: expect.stringContaining("attempt 1 of task #1, which is over"),
  });
  expect(await store.board.mine(alice)).toMatchObject({ attempt: 2 });
  const next = (await store.requests.open({ kind: "plan" }))[0] as Request;
  await answer(store, next.id, "yes", "");
  expect(await host.done).toMatchObject({ completed: 1 });
});

it("mail while waiting is heard and kept; a person answers in the lead's place, who then comes too late", async () => {
  let release = (): void => {};
  const late = new Promise<void>((resolve) => {
    release = resolve;
  });
  const team = await programTeam({
    settings: { ...settings, idleTimeoutMs: 300 },
    says: {
      lead: [
        { when: "Go", text: "ok" },
        async (request) => {
          await late;
          const id = /request="([^"]+)"/.exec(plain(request))?.[1];
          return call("review_plan", { request: id, approve: false, feedback: "no" });
        },
        quietly,
      ],
      alice: [
        { when: "auto-claimed", ...plan("paint") },
        { when: "mind the cat", text: "I will." },
        { when: "is approved", ...done },
        { text: "Done." },
      ],
    },
  });
  const { host, store, until, requests } = team;
  await store.board.add({ subject: "Paint", needsPlan: true }, PERSON);
  await host.start({ goal: "Go" });
  const request = await openPlan(team);
  await store.mail.send(PERSON, { to: alice, body: { kind: "note", text: "mind the cat" } });
  await until("turn.taken", { who: alice, text: "I will." });
  // It waits longer than an idle teammate may, and gets neither a stop request nor a reminder of its task.
  await store.wake.changed(store.wake.mark(), [], 700);
  expect(await store.roster.member(alice)).toMatchObject({
    activity: { phase: "idle", reason: "awaiting_plan" },
    task: 1,
  });
  expect(requests("alice")).toHaveLength(2);
  await answer(store, request.id.slice(0, 6), "yes", "go");
  release();
  expect(await host.done).toMatchObject({ completed: 1 });
  expect(plain(requests("alice")[2])).toMatch(/mind the cat.*I will\..*is approved/s);
  const told = requests("lead").flatMap(resultsIn);
  expect(told).toContainEqual(expect.stringContaining("was answered before"));
});

it("a plan that nobody answers is over at its deadline, and its author is told", async () => {
  const { host, requests } = await programTeam({
    settings: { ...settings, planDeadlineMs: 50 },
    says: {
      lead: [quietly],
      alice: [
        { when: "auto-claimed", ...plan("paint") },
        { when: "Nobody answered before the deadline", ...done },
        { when: "nobody answered your plan for #1", ...call("fail_task", { reason: "no answer" }) },
        { text: "Given up." },
      ],
    },
  });
  await host.store.board.add({ subject: "Paint", needsPlan: true }, PERSON);
  await host.start({ goal: "Go" });
  expect(await host.done).toMatchObject({ failed: 1 });
  expect(requests("alice")).toHaveLength(4);
});

it("the lead may ask for a plan in the middle of the work; a teammate may have to plan everything", async () => {
  let worked = (): void => {};
  const working = new Promise<void>((resolve) => {
    worked = resolve;
  });
  const team = await programTeam({
    settings: { ...settings, teammates: [] },
    says: {
      lead: [
        {
          when: "Go",
          calls: [
            { tool: "create_task", input: { subject: "Paint" } },
            { tool: "spawn_teammate", input: { name: "alice" } },
            {
              tool: "spawn_teammate",
              input: { name: "bob", needs_plan: true, prompt: "run ls", role: "tester" },
            },
          ],
        },
        async () => {
          await working;
          return { text: "ok" };
        },
        { when: "changing things", ...call("request_plan", { name: "alice", text: "Which colour?" }) },
        { when: "Asked alice", text: "ok" },
        review(true),
        quietly,
      ],
      alice: [
        { when: "auto-claimed", ...call("bash", { command: "echo one" }) },
        async () => {
          worked();
          await team.store.mail.send(PERSON, {
            to: LEAD,
            body: { kind: "note", text: "alice is changing things" },
          });
          await team.until("task.changed", { task: 1 });
          return call("bash", { command: "touch two" });
        },
        { when: "Which colour?", ...plan("blue") },
        { when: "is approved", ...done },
        { text: "Done." },
      ],
      bob: [
        { when: "run ls", ...call("bash", { command: "ls" }) },
        { when: "have no task to plan", text: "I have no task." },
      ],
    },
  });
  await team.host.start({ goal: "Go" });
  expect(await team.host.done).toMatchObject({ completed: 1 });
  const asked = team.requests("alice");
  expect(tools(asked[0])).toContain("submit_plan");
  expect(resultsIn(asked[2])).toEqual([
    expect.stringMatching(/^bash: one/),
    expect.stringMatching(/^bash: bash is not permitted yet: #1 .* needs an approved plan/),
  ]);
  expect(tools(asked[2])).toContain("submit_plan");
  expect(existsSync(join(team.folder, "two"))).toBe(false);
  expect(tools(team.requests("bob")[0])).toContain("submit_plan");
  expect(JSON.stringify(team.requests("bob")[0]?.messages)).toContain("Each of your tasks needs a plan");
  expect(tools(team.requests("lead").at(-1))).toContain("request_plan");
});

it("waiting outlives the process: it is not asked anything before the answer is there", async () => {
  const first = await programTeam({
    settings,
    keep: true,
    says: { lead: [quietly], alice: [{ when: "auto-claimed", ...plan("paint") }] },
  });
  await first.store.board.add({ subject: "Paint", needsPlan: true }, PERSON);
  await first.host.start({ goal: "Go" });
  const { id } = await openPlan(first);
  await first.until("teammate.phase", { who: alice, phase: "idle", reason: "awaiting_plan" });
  await first.host.close();
  const second = await programTeam({
    settings,
    folder: first.folder,
    host: { resume: true },
    says: { lead: [quietly], alice: [{ when: "is approved", ...done }, { text: "Done." }] },
  });
  await second.host.start({ resume: true });
  await second.until("team.resumed");
  expect(second.requests("alice")).toHaveLength(0);
  await answer(second.store, id, "yes", "");
  expect(await second.host.done).toMatchObject({ completed: 1 });
});

it("a subagent works behind its member's gate", async () => {
  const team = await programTeam({
    settings,
    says: {
      lead: [quietly],
      alice: [
        { when: "auto-claimed", ...call("task", { prompt: "Change it for me" }) },
        { when: "Change it for me", ...call("write_file", { path: "sub", content: "x" }) },
        { when: "needs an approved plan", text: "I may not." },
        { when: "I may not.", ...call("fail_task", { reason: "no" }) },
        { text: "Done." },
      ],
    },
  });
  await team.store.board.add({ subject: "Paint", needsPlan: true }, PERSON);
  await team.host.start({ goal: "Go" });
  expect(await team.host.done).toMatchObject({ failed: 1 });
  expect(existsSync(join(team.folder, "sub"))).toBe(false);
});
