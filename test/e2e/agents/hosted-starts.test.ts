/** An agent program that is killed while it starts, does not start, or does not answer; and one in a folder with a blank in its name. */
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { recruit } from "../../../src/core/board/recruit.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { agentProgram } from "../../fixtures/agent-program.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const prompts = [[{ call: "complete_task", input: { result: "done" } }]];
const says = { lead: Array.from({ length: 6 }, () => ({ text: "Waiting." })) };

it("is started again, and its member continues", async () => {
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

it("lets its member rest with the reason where it does not start, and the task goes back without an attempt", async () => {
  const program = agentProgram({ prompts, diesAtStart: 1_000 });
  const team = await programTeam({
    says,
    settings: { teammates: [program.recruit("ann")], sandbox: "off" },
  });
  await team.store.board.add({ subject: "Work" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  const phase = await team.until("teammate.phase", { who: "ann", reason: "cannot_work" });
  expect(phase).toMatchObject({ phase: "idle", note: expect.stringContaining("ended (SIGKILL)") });
  expect(await team.store.board.task(1 as never)).toMatchObject({ status: "pending" });
  expect(await team.until("task.released", { task: 1 })).toMatchObject({ why: "unable" });
  expect(program.heard("died")).toHaveLength(3);
});

it("ends within seconds while its program does not answer", async () => {
  const limited = { how: "silent", until: Number.MAX_SAFE_INTEGER, words: "" } as const;
  const program = agentProgram({ prompts, limited });
  const team = await programTeam({
    says,
    settings: { teammates: [program.recruit("ann")], sandbox: "off" },
  });
  await team.store.board.add({ subject: "Work" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  await soon(() => expect(program.heard("started")).toHaveLength(1));
  const began = performance.now();
  await team.host.interrupt();
  // The limit of the program is 30 s.
  expect(performance.now() - began).toBeLessThan(15_000);
  const [pid = 0] = program.heard<number>("started");
  await soon(() => expect(() => process.kill(pid, 0)).toThrow());
});

it.each(["quoted", "as it is"])("starts in a folder with a blank in its name: %s", async (how) => {
  const program = agentProgram({ prompts });
  const folder = join(mkdtempSync(join(tmpdir(), "ekiden-blank-")), "my agent");
  onTestFinished(() => takeAway(folder));
  mkdirSync(folder);
  const file = join(folder, "agent");
  writeFileSync(file, `#!/bin/sh\nexec ${program.agent.slice("acp:".length)}\n`);
  chmodSync(file, 0o755);
  const mate = recruit(`ann@acp:${how === "quoted" ? `"${file}"` : file} --stdio`);
  const team = await programTeam({ says, settings: { teammates: [mate], sandbox: "off" } });
  await team.store.board.add({ subject: "Work" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  await team.until("task.completed", { task: 1, by: "ann" });
});
