/** Settings that reach far down: each has its effect. */
import { afterEach, expect, it } from "vitest";
import { openStore } from "../../../src/adapters/store/index.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";

let team: HostedTeam;
afterEach(() => team.close());

it("bashTimeoutMs ends a command that names no time of its own", async () => {
  team = await hostedTeam({
    agent: { commandTimeoutMs: 50 },
    says: {
      alice: [
        { calls: [{ tool: "bash", input: { command: "sleep 60" } }] },
        { when: "timed out after 50 ms", calls: [{ tool: "complete_task", input: { result: "ok" } }] },
        { text: "done" },
      ],
    },
  });
  await team.store.board.add({ subject: "slow" }, PERSON);
  await team.join("alice");
  await team.until("task.completed", { task: 1 });
});

it("leadMayHoldSeveralTasks decides whether the lead may claim a second task", async () => {
  team = await hostedTeam({
    says: {
      lead: [{ calls: [1, 2].map((id) => ({ tool: "claim_task", input: { id } })) }, { text: "both" }],
    },
  });
  const { store } = team;
  await store.board.addAll([{ subject: "one" }, { subject: "two" }], PERSON);
  await store.mail.send(PERSON, { to: "lead" as never, body: { kind: "note", text: "take both" } });
  await team.join("lead");
  await team.until("task.claimed", { task: 2 });
  const strict = await openStore({
    url: `${team.folder}/team.db`,
    team: store.team,
    clock: { now: Date.now as never, uptime: () => 0, sleep: async () => {} },
    leadMayHoldSeveral: false,
  });
  await strict.board.add({ subject: "three" }, PERSON);
  const lead = await strict.roster.member("lead" as never);
  const claim = await strict.board.claim({ name: "lead" as never, host: lead?.host as never }, 3 as never);
  expect(claim).toMatchObject({ ok: false, why: "busy" });
  await strict.close();
});
