/** The limits of a team, each in effect: those of a run over its resumes, and those that a person raises in a conversation. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type ScriptedStep, type Step, scripted } from "../../../src/adapters/models/scripted.ts";
import { name, type TaskId } from "../../../src/core/ids.ts";
import { FIELDS } from "../../../src/core/settings/fields.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import { call, counted, quiet } from "../../fixtures/loops.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import { Project } from "../cli-program.ts";

const alone = { teammates: [], permissionMode: "bypass", sandbox: "off" } as const;
/** Each call finds something new, so that only the limit in question ends it. */
const working = (usd = 0): Step[] =>
  counted((n) => ({ ...call("write_file", { path: `f${n}.txt`, content: `text ${n}` }), usd }), 40);

async function run(
  folder: string,
  work: "goal" | "resume",
  settings: Partial<Settings>,
  lead: readonly Step[] = working(),
) {
  const team = await programTeam({ says: { lead }, settings: { ...alone, ...settings }, folder, keep: true });
  await team.host.start(work === "goal" ? { goal: "Go" } : { resume: true });
  const outcome = await team.host.done;
  const turns = (await team.events("turn.taken")).length;
  await team.host.close();
  return { outcome, turns };
}

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-limits-"));
  onTestFinished(() => takeAway(folder));
  return folder;
}

it("maxTurns counts over the resumes of a run, and again with the next goal", async () => {
  const folder = place();
  expect(await run(folder, "goal", { maxTurns: 3 })).toMatchObject({
    turns: 3,
    outcome: { reason: "turns", goOn: "--max-turns 6" },
  });
  expect(await run(folder, "resume", { maxTurns: 3 })).toMatchObject({
    turns: 3,
    outcome: { reason: "turns" },
  });
  expect(await run(folder, "resume", { maxTurns: 5 })).toMatchObject({
    turns: 5,
    outcome: { reason: "turns" },
  });
  expect((await run(folder, "goal", { maxTurns: 2 })).turns).toBe(7);
});

it("a run stops at 20 dollars, over its resumes, and not where the budget is none", async () => {
  const folder = place();
  const dear = [...working(8).slice(0, 5), ...quiet];
  const taskBudgetUsd = FIELDS.taskBudgetUsd().parse("none");
  expect(await run(folder, "goal", { taskBudgetUsd }, dear)).toMatchObject({
    turns: 3,
    outcome: { reason: "budget" },
  });
  expect(await run(folder, "resume", { taskBudgetUsd }, dear)).toMatchObject({
    turns: 3,
    outcome: { reason: "budget" },
  });
  const budgetUsd = FIELDS.budgetUsd().parse("none");
  expect(await run(folder, "resume", { budgetUsd, taskBudgetUsd }, dear)).toMatchObject({
    outcome: { reason: "concluded" },
  });
});

it("deadline ends a run, which can be resumed", async () => {
  const folder = place();
  const waits = [call("bash", { command: "sleep 600" })];
  expect((await run(folder, "goal", { deadline: "1s" }, waits)).outcome).toMatchObject({
    reason: "deadline",
  });
  expect((await run(folder, "resume", {}, quiet)).outcome).toMatchObject({ reason: "concluded" });
});

it("maxMembers bounds the teammates that the lead adds", async () => {
  const spawns = [1, 2, 3].map((n) => call("spawn_teammate", { name: `mate-${n}` }));
  const team = await programTeam({
    says: { lead: [...spawns, ...quiet], "mate-1": quiet, "mate-2": quiet },
    settings: { ...alone, maxMembers: 3 },
  });
  await team.host.start({ goal: "Go" });
  await team.host.done;
  const joined = (await team.store.roster.members()).map(({ name }) => name);
  expect(joined.sort()).toEqual(["lead", "mate-1", "mate-2"]);
  expect(JSON.stringify(team.requests("lead").at(-1))).toContain("setting maxMembers");
});

it("taskDepth bounds the tasks that come from tasks that members added", async () => {
  const adds = [1, 2, 3].flatMap((n) => [
    call("create_task", { subject: `Part ${n}` }),
    call("complete_task", { result: "ok" }),
    { text: "Done." },
  ]);
  const team = await programTeam({
    says: { lead: quiet, alice: [...adds, ...quiet] },
    settings: { ...alone, teammates: [{ name: name("alice"), role: "" }], taskDepth: 2 },
  });
  await team.host.start({ runbook: { goal: "Go", tasks: [{ subject: "One" }] } });
  expect(await team.host.done).toMatchObject({ reason: "concluded", completed: 3, unfinished: 0 });
  expect(JSON.stringify(team.requests("alice").at(-1))).toContain("setting taskDepth");
});

it("callsPerTask is shared by a task and those that come from it, and the other tasks continue", async () => {
  let calls = 0;
  const write = (): ScriptedStep => call("write_file", { path: `f${calls}.txt`, content: `text ${calls}` });
  const alice: Step = () => {
    calls += 1;
    if (calls === 6) return call("create_task", { subject: "Part" });
    if (calls === 8) return call("claim_task", { id: 4 });
    if (calls < 6 || (calls > 8 && calls <= 20)) return write();
    return calls % 2 ? call("complete_task", { result: "ok" }) : { text: "Done." };
  };
  const team = await programTeam({
    says: { lead: quiet, alice: Array.from({ length: 60 }, () => alice) },
    settings: { ...alone, teammates: [{ name: name("alice"), role: "" }], callsPerTask: 20 },
  });
  const tasks = ["One", "Two", "Three"].map((subject) => ({ subject }));
  await team.host.start({ runbook: { goal: "Go", tasks } });
  expect(await team.host.done).toMatchObject({ completed: 3, failed: 1, unfinished: 0 });
  expect(await team.store.board.task(4 as TaskId)).toMatchObject({
    status: "failed",
    reason: expect.stringContaining(
      "what #1 and the tasks that come from it may use (20 model calls, setting callsPerTask) is used up",
    ),
  });
});

it("taskBudgetUsd fails the task that used it up, with what came from it, and the others continue", async () => {
  let calls = 0;
  const alice: Step = () => {
    calls += 1;
    const does = calls <= 5 ? call("write_file", { path: `f${calls}.txt`, content: `${calls}` }) : null;
    if (does) return { ...does, usd: 0.5 };
    return calls % 2 ? { text: "Done." } : call("complete_task", { result: "ok" });
  };
  const team = await programTeam({
    says: { lead: quiet, alice: Array.from({ length: 60 }, () => alice) },
    settings: { ...alone, teammates: [{ name: name("alice"), role: "" }], taskBudgetUsd: 2 },
  });
  await team.host.start({ runbook: { goal: "Go", tasks: ["One", "Two"].map((subject) => ({ subject })) } });
  expect(await team.host.done).toMatchObject({ completed: 1, failed: 1, unfinished: 0 });
  expect(await team.store.board.task(1 as TaskId)).toMatchObject({
    reason: expect.stringContaining("(2.00 US dollars, setting taskBudgetUsd) is used up"),
  });
});

it("a model without a known price is told, and what limits it instead", async () => {
  const team = await programTeam({
    says: { lead: quiet },
    settings: { ...alone, model: "openai-compatible/my-own" },
    host: { openModel: async () => ({ ...scripted(quiet), spec: "openai-compatible/my-own" }) },
  });
  await team.host.start({ goal: "Go" });
  await team.host.done;
  expect(JSON.stringify(await team.events("warning.raised"))).toMatch(
    /No price of openai-compatible\/my-own is known.*1000 a task \(setting callsPerTask\)/,
  );
});

it("members of a conversation wait at a limit until the person raises it", async () => {
  const told: string[] = [];
  const team = await programTeam({
    says: { lead: [...working(1).slice(0, 6), ...quiet] },
    settings: { ...alone, budgetUsd: 2 },
    host: { interactive: true, onUsedUp: (text) => void told.push(text) },
  });
  const turns = async (): Promise<number> => (await team.events("turn.taken")).length;
  await team.host.start({ interactive: true });
  await team.host.tellLead("Go");
  await soon(() => expect(told).toEqual(["The team's budget of $2 is used up."]));
  await team.host.tellLead("Continue");
  expect(await team.host.order({ kind: "budget", tokens: 5 })).toMatchObject({ data: { reason: "budget" } });
  expect(await turns()).toBe(2);
  expect(await team.host.order({ kind: "budget", usd: 3 })).toMatchObject({ data: null });
  await soon(() => expect(told).toEqual([told[0], "The team's budget of $5 is used up."]));
  expect(await turns()).toBe(5);
  await team.host.order({ kind: "budget", usd: null });
  await soon(async () => expect(await turns()).toBe(7));
  expect(told).toHaveLength(2);
});

it.each([
  ["line by line", ["--plain"]],
  ["on the full screen", []],
])("a conversation stays at its limit, and /budget continues: %s", async (_, args) => {
  const project = new Project();
  onTestFinished(() => project.end());
  const steps = [
    { text: "The first answer.", usd: 1 },
    { when: "a second question", text: "The second answer.", usd: 1 },
    { when: "a third question", text: "The third answer.", usd: 1 },
  ];
  project.write({ "script.json": JSON.stringify({ steps }) });
  const model = `scripted:${join(project.dir, "script.json")}`;
  const terminal = await project.open([...args, "--model", model, "--budget-usd", "1"], {
    columns: 120,
    rows: 40,
  });
  await terminal.shows("Type what you want");
  terminal.type("a question\r");
  await terminal.shows("/budget 5 allows");
  terminal.type("a second question\r");
  terminal.type("/budget nothing\r");
  await terminal.shows("is not a budget");
  terminal.type("a half-ty");
  await terminal.shows("a half-ty");
  terminal.type("\x15/budget 1\r");
  await terminal.shows("The second answer.");
  terminal.type("a third question\r");
  terminal.type("/budget none\r");
  await terminal.shows("The third answer.");
  terminal.type("/quit\r");
  expect(await terminal.ended).toBe(0);
});
