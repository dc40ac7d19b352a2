/** Twelve tasks with one teammate that works and one whose program cannot, in each way in which programs fail. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { agentProgram, WAYS } from "../../fixtures/agent-program.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const done = { call: "complete_task", input: { result: "done" } };
const words = "My lunch is not over yet.";
const TASKS = 12;

it.each(sampled(WAYS, 4))("the healthy one does all tasks, and the other one rests: %s", async (how) => {
  const ill = agentProgram({ prompts: [[done]], limited: { how, until: Number.MAX_SAFE_INTEGER, words } });
  const well = agentProgram({ prompts: [[{ say: "I do it." }, done]] });
  const team = await programTeam({
    says: { lead: Array.from({ length: 20 }, () => ({ text: "Waiting." })) },
    settings: { teammates: [ill.recruit("ill"), well.recruit("well")], sandbox: "off" },
  });
  for (let nth = 1; nth <= TASKS; nth += 1) await team.store.board.add({ subject: `Task ${nth}` }, PERSON);
  await team.host.start({ goal: "Do the tasks" });
  const outcome = await team.host.done;
  expect(outcome).toMatchObject({ completed: TASKS, failed: 0, unfinished: 0 });
  // Three now, and one after each rest of 30 s, 60 s, 120 s and 240 s: seven in ten minutes.
  const tries = ill.heard(how === "start" ? "started" : "prompt").length;
  expect(tries).toBeGreaterThan(0);
  expect(tries).toBeLessThanOrEqual(how === "empty" ? 4 : 3);
  const phases = await team.events("teammate.phase");
  const rests = phases.filter(
    (one) => "who" in one && one.who === "ill" && "reason" in one && one.reason === "cannot_work",
  );
  expect(rests).toHaveLength(1);
  if (how !== "empty") expect(JSON.stringify(rests)).toContain(words);
  const counted = (await team.events("task.released")).filter(
    (one) => "why" in one && one.why === "given_back",
  );
  expect(counted).toEqual([]);
});

const looks = { call: "list_tasks", input: {} };
it.each([
  ["looks at the board and ends", [looks, { die: true }], 12],
  ["changes a file and ends", [{ own: ["x.txt", "y"] }, { die: true }], 6],
  ["looks at the board and only talks", [looks, { say: "I looked." }], 60],
] as const)("a program that each time %s does not use up the attempts of a task", async (_, steps, most) => {
  const ill = agentProgram({ prompts: [steps] });
  const well = agentProgram({ prompts: [[{ say: "I do it." }, done]] });
  const team = await programTeam({
    says: { lead: Array.from({ length: 20 }, () => ({ text: "Waiting." })) },
    settings: { teammates: [ill.recruit("ill"), well.recruit("well")], sandbox: "off" },
  });
  for (let nth = 1; nth <= TASKS; nth += 1) await team.store.board.add({ subject: `Task ${nth}` }, PERSON);
  await team.host.start({ goal: "Do the tasks" });
  expect(await team.host.done).toMatchObject({ completed: TASKS, failed: 0, unfinished: 0 });
  expect(ill.heard("prompt").length).toBeLessThanOrEqual(most);
});

/** Words that are known, with the time at which the limit ends. */
const known = (until: number): string =>
  `You've hit your session limit · resets ${new Date(until).toISOString()}`;

it.each(sampled(["reply", "exit", "start"] as const, 3))(
  "members of a login at its limit rest until it ends, then continue with their tasks: %s",
  async (how) => {
    const until = Date.now() + 6_000;
    const limited = { how, until, words: known(until) };
    const program = agentProgram({ prompts: [[done]], limited });
    const team = await programTeam({
      says: { lead: Array.from({ length: 20 }, () => ({ text: "Waiting." })) },
      settings: { teammates: [program.recruit("ann"), program.recruit("bob")], sandbox: "off" },
    });
    for (let nth = 1; nth <= 4; nth += 1) await team.store.board.add({ subject: `Task ${nth}` }, PERSON);
    await team.host.start({ goal: "Do the tasks" });
    const rest = await team.until("teammate.phase", { reason: "at_limit" });
    expect(rest).toMatchObject({ note: expect.stringContaining("session limit") });
    const outcome = await team.host.done;
    expect(outcome).toMatchObject({ completed: 4, failed: 0, unfinished: 0 });
    expect(Date.now() - until).toBeLessThan(60_000);
    // Two members were at work when it was said; it is asked once more in a new session.
    const tries = how === "start" ? program.heard("started") : program.heard("prompt").slice(0, -5);
    expect(tries.length).toBeLessThanOrEqual(4);
    const windows = await team.events("login.window");
    expect(windows).toMatchObject([
      { kind: "5h", usedPercent: 100, resetsAt: until, source: "words" },
      { kind: "5h", source: "work" },
    ]);
    expect(await team.store.logins.list()).toMatchObject([{ kind: "5h", source: "work" }]);
    const released = await team.events("task.released");
    expect(released.filter((one) => "why" in one && one.why === "given_back")).toEqual([]);
  },
);

it.each([words, known(Date.now() + 3_600_000)])(
  "a program that says such words once, and works, continues: %s",
  async (said) => {
    const program = agentProgram({ prompts: [[{ say: said }], [done]] });
    const team = await programTeam({
      says: { lead: Array.from({ length: 9 }, () => ({ text: "Waiting." })) },
      settings: { teammates: [program.recruit("ann")], sandbox: "off" },
    });
    for (let nth = 1; nth <= 6; nth += 1) await team.store.board.add({ subject: `Task ${nth}` }, PERSON);
    await team.host.start({ goal: "Do the tasks" });
    expect(await team.host.done).toMatchObject({ completed: 6 });
    expect(program.heard("prompt")).toHaveLength(7);
  },
);

it("tells that nobody can work, ends a run after a while with the reason, and a resumed one continues", async () => {
  const limited = { how: "reply", until: Number.MAX_SAFE_INTEGER, words } as const;
  const folder = mkdtempSync(join(tmpdir(), "ekiden-limited-"));
  onTestFinished(() => takeAway(folder));
  const program = agentProgram({ prompts: [[done]], limited }, folder);
  const options = {
    says: { lead: Array.from({ length: 9 }, () => ({ text: "Waiting." })) },
    settings: { teammates: [program.recruit("ann")], sandbox: "off", providerTimeoutMs: 1_500 },
  } as const;
  const team = await programTeam({ ...options, keep: true });
  await team.store.board.add({ subject: "Task" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  const outcome = await team.host.done;
  expect(outcome).toMatchObject({ completed: 0, failed: 0, unfinished: 1, reason: "model" });
  expect(outcome.error?.message).toContain(`ann cannot work (${words})`);
  expect(await team.events("work.stalled")).toMatchObject([{ tasks: [1], members: ["ann"], why: words }]);
  await team.host.close();
  // The same program, whose limit has ended.
  agentProgram({ prompts: [[done]] }, folder);
  const again = await programTeam({ ...options, folder: team.folder, host: { resume: true } });
  await again.host.start({ resume: true });
  expect(await again.host.done).toMatchObject({ completed: 1, unfinished: 0, reason: "concluded" });
});

it("a program that falls silent in its work is ended, and its member rests", async () => {
  const program = agentProgram({ prompts: [[looks, { hang: true }], [done]], ignoresCancel: true });
  const team = await programTeam({
    says: { lead: Array.from({ length: 9 }, () => ({ text: "Waiting." })) },
    settings: { teammates: [program.recruit("ann")], sandbox: "off", agentSilenceMs: 1_000 },
  });
  await team.store.board.add({ subject: "Task" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  const rest = await team.until("teammate.phase", { reason: "cannot_work" });
  expect(rest).toMatchObject({
    note: expect.stringContaining("has said and done nothing for less than a minute"),
  });
});

it("a task that several could take goes to the login whose window resets soonest", async () => {
  const program = (hours: number) => {
    const resetsAt = Math.round(Date.now() / 1_000) + hours * 3_600;
    const meta = { status: "allowed", rateLimitType: "five_hour", utilization: 0.3, resetsAt };
    const update = {
      ...{ sessionUpdate: "usage_update", used: 10, size: 100 },
      _meta: { "_claude/rateLimit": meta },
    };
    return agentProgram({ prompts: [[{ update }, done]] });
  };
  const team = await programTeam({
    says: { lead: Array.from({ length: 20 }, () => ({ text: "Waiting." })) },
    settings: { teammates: [program(4).recruit("late"), program(1).recruit("soon")], sandbox: "off" },
    host: { interactive: true },
  });
  const { store } = team;
  await team.host.start({ goal: "Do what comes" });
  for (let nth = 1; nth <= 5; nth += 1) {
    await store.board.addAll(
      [{ subject: `Task ${nth}` }, ...(nth === 1 ? [{ subject: "Too" }] : [])],
      PERSON,
    );
    await soon(async () => {
      expect((await store.board.counts()).completed).toBe(nth + 1);
      for (const { kind, activity } of await store.roster.members())
        if (kind === "teammate") expect(activity.phase).toBe("idle");
    });
  }
  expect((await store.logins.list()).map(({ kind, usedPercent }) => [kind, usedPercent])).toEqual([
    ["5h", 30],
    ["5h", 30],
  ]);
  const claims = (await team.events("task.claimed")).map((one) => ("by" in one ? one.by : null));
  expect(claims.slice(2)).toEqual(["soon", "soon", "soon", "soon"]);
});
