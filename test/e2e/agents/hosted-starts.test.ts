/** An agent program that is killed while it starts. */
import { expect, it } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { agentProgram } from "../../fixtures/agent-program.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const prompts = [[{ call: "complete_task", input: { result: "done" } }]];
const says = { lead: Array.from({ length: 6 }, () => ({ text: "Waiting." })) };

it("is started again, and its member goes on", async () => {
  const program = agentProgram({ prompts, diesAtStart: 2 });
  const team = await programTeam({
    says,
    settings: { teammates: [program.recruit("ann")], sandbox: "off" },
  });
  await team.store.board.add({ subject: "Work" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  await team.until("task.completed", { task: 1, by: "ann" });
  expect(program.heard("died")).toHaveLength(2);
});

it("fails its member with the reason where it never starts, and the task goes back to the board", async () => {
  const program = agentProgram({ prompts, diesAtStart: 1_000 });
  const team = await programTeam({
    says,
    settings: { teammates: [program.recruit("ann")], sandbox: "off" },
  });
  await team.store.board.add({ subject: "Work" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  const phase = await team.until("teammate.phase", { who: "ann", phase: "shutdown" });
  expect(phase).toMatchObject({ reason: "failed" });
  expect(JSON.stringify(await team.until("warning.raised", { who: "ann" }))).toContain("ended (SIGKILL)");
  expect(await team.store.board.task(1 as never)).toMatchObject({ status: "pending" });
  expect(program.heard("died")).toHaveLength(3);
});
