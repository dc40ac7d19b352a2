/** These tests check what a member's turn leaves behind: in the journal, and in the transcript that a restart reads. */
import { afterEach, expect, it } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";

let team: HostedTeam;
afterEach(() => team.close());

it("journals a call with whether it failed and why, and one that did not without a reason", async () => {
  team = await hostedTeam({
    says: {
      alice: [
        { calls: [{ tool: "read_file", input: { path: "missing.txt" } }] },
        { calls: [{ tool: "complete_task", input: { result: "not there" } }] },
        { text: "done" },
      ],
    },
  });
  await team.store.board.add({ subject: "look" }, PERSON);
  await team.join("alice");
  await team.until("tool.called", { tool: "complete_task" });
  const { events } = await team.store.journal.read(team.store.journal.from(0), { types: ["tool.called"] });
  expect(events).toMatchObject([
    {
      tool: "read_file",
      subject: "missing.txt",
      isError: true,
      note: expect.stringContaining("missing.txt"),
    },
    { tool: "complete_task", isError: false },
  ]);
  expect(events[1]).not.toHaveProperty("note");
});

it("keeps in the transcript what it told a member about the task that it still has", async () => {
  team = await hostedTeam({
    says: {
      alice: [
        { text: "I am done, am I not?" },
        { when: "own-task", calls: [{ tool: "complete_task", input: { result: "now" } }] },
        { text: "done" },
      ],
    },
  });
  await team.store.board.add({ subject: "finish it" }, PERSON);
  await team.join("alice");
  await team.until("task.completed", { task: 1 });
  const all = await team.store.transcript.all("alice" as never);
  const kept = all.filter(({ entry }) => entry.kind === "heard" && entry.text.includes("<own-task"));
  expect(kept).toHaveLength(1);
});
