/** A headless run does not wait for ever for a background command that never ends: real shells, members with scripted models. */
import { expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const serve = { calls: [{ tool: "bash", input: { command: "exec sleep 600", run_in_background: true } }] };
const done: Step = { calls: [{ tool: "complete_task", input: { result: "done" } }] };
const settings = { permissionMode: "bypass", sandbox: "off", jobWaitMs: 1_500 } as const;
const runbook = { goal: "Go", tasks: [{ subject: "Do it" }] };

async function run(says: Readonly<Record<string, readonly Step[]>>) {
  const team = await programTeam({ says, settings });
  await team.host.start({ runbook });
  const outcome = await team.host.done;
  const warned = (await team.events("warning.raised")).map((event) => "text" in event && event.text);
  return { outcome, warned, jobs: await team.store.jobs.list(null) };
}

it("of the lead, when every task is done", async () => {
  const { outcome, warned, jobs } = await run({
    lead: [serve, { text: "It serves.", times: "any" }],
    alice: [done, { text: "Done.", times: "any" }],
  });
  expect(outcome).toMatchObject({ reason: "concluded", completed: 1, failed: 0, unfinished: 0 });
  expect(jobs).toMatchObject([{ owner: "lead", state: "stopped" }]);
  expect(warned).toEqual([
    "The run only waits for j1 of lead (exec sleep 600). It is ended after less than a minute (setting jobWaitMs).",
  ]);
});

it("of a teammate that waits for it with its task in hand", async () => {
  const { outcome, jobs } = await run({
    lead: [{ text: "I see.", times: "any" }],
    alice: [
      serve,
      { text: "It serves." },
      { when: "so the run ended it", ...done },
      { text: "Done.", times: "any" },
    ],
  });
  expect(outcome).toMatchObject({ reason: "concluded", completed: 1, failed: 0, unfinished: 0 });
  expect(jobs).toMatchObject([{ owner: "alice", state: "stopped" }]);
});

it("says that it waits for a task that the person has taken, and continues when it is done", async () => {
  const team = await programTeam({
    says: {
      lead: [{ text: "I see.", times: "any" }],
      alice: [done, { text: "Done.", times: "any" }],
    },
    settings,
  });
  const sign = await team.store.board.add({ subject: "Sign" }, PERSON);
  await team.store.board.claimFor(sign.id, PERSON);
  await team.host.start({ runbook });
  const warning = await team.until("warning.raised");
  expect(warning).toMatchObject({
    text: "The run only waits for #1 (Sign), which the person does: ekiden done 1, fail or release.",
  });
  await team.store.board.completeFor(sign.id, PERSON, "signed");
  expect(await team.host.done).toMatchObject({ reason: "concluded", completed: 2 });
  expect(await team.events("warning.raised")).toHaveLength(1);
});
