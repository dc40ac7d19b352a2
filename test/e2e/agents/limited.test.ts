/** Twelve tasks with one teammate that works and one whose program cannot, in each way in which programs fail. */
import { expect, it } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { agentProgram, WAYS } from "../../fixtures/agent-program.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const done = { call: "complete_task", input: { result: "done" } };
const words = "My lunch is not over yet.";
const TASKS = 12;

it.each(WAYS)("the healthy one does all tasks, and the other one rests: %s", async (how) => {
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

it("a program that says such words once, and works, goes on", async () => {
  const program = agentProgram({ prompts: [[{ say: words }], [done]] });
  const team = await programTeam({
    says: { lead: Array.from({ length: 9 }, () => ({ text: "Waiting." })) },
    settings: { teammates: [program.recruit("ann")], sandbox: "off" },
  });
  for (let nth = 1; nth <= 6; nth += 1) await team.store.board.add({ subject: `Task ${nth}` }, PERSON);
  await team.host.start({ goal: "Do the tasks" });
  expect(await team.host.done).toMatchObject({ completed: 6 });
  expect(program.heard("prompt")).toHaveLength(7);
});

it("tells that nobody can work, ends a run after a while with the reason, and a resumed one goes on", async () => {
  const limited = { how: "reply", until: Date.now() + 20_000, words } as const;
  const program = agentProgram({ prompts: [[done]], limited });
  const options = {
    says: { lead: Array.from({ length: 9 }, () => ({ text: "Waiting." })) },
    settings: { teammates: [program.recruit("ann")], sandbox: "off", providerTimeoutMs: 4_000 },
  } as const;
  const team = await programTeam({ ...options, keep: true });
  await team.store.board.add({ subject: "Task" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  const outcome = await team.host.done;
  expect(outcome).toMatchObject({ completed: 0, failed: 0, unfinished: 1, reason: "model" });
  expect(outcome.error?.message).toContain(`ann cannot work (${words})`);
  expect(await team.events("work.stalled")).toMatchObject([{ tasks: [1], members: ["ann"], why: words }]);
  await team.host.close();
  await soon(() => expect(Date.now()).toBeGreaterThan(limited.until));
  const again = await programTeam({ ...options, folder: team.folder, host: { resume: true } });
  await again.host.start({ resume: true });
  expect(await again.host.done).toMatchObject({ completed: 1, unfinished: 0, reason: "concluded" });
});
