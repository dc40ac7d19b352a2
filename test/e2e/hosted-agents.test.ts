/** Agent programs of other vendors as teammates: a real program over the Agent Client Protocol, which obeys a script. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PERSON } from "../../src/core/ids.ts";
import { agentProgram } from "../fixtures/agent-program.ts";
import { programTeam } from "../fixtures/program-team.ts";
import { soon } from "../fixtures/soon.ts";

const lead = {
  lead: [{ text: "Waiting." }, { text: "Waiting." }, { text: "Waiting." }, { text: "Waiting." }],
};

it("works on tasks: hears task and rules, uses the board, and its words and steps are in the transcript", async () => {
  const program = agentProgram({
    prompts: [
      [
        { think: "Let me see." },
        { say: "I write it." },
        { own: ["a.txt", "from the agent\n"] },
        { cost: 0.25 },
        { call: "complete_task", input: { result: "written" }, asks: true },
        { say: "All done." },
      ],
      [{ call: "complete_task", input: { result: "second" } }, { garbage: "log line\n{}\n[1]\n" }],
    ],
  });
  const team = await programTeam({
    says: lead,
    settings: { teammates: [program.recruit("ann")], sandbox: "off" },
  });
  await team.store.board.add({ subject: "Write a.txt", description: "Write it well" }, PERSON);
  await team.store.board.add({ subject: "Again", blockedBy: [1 as never] }, PERSON);
  await team.host.start({ goal: "Do the tasks" });
  await team.until("task.completed", { task: 2 });
  const tasks = await team.store.board.tasks();
  expect(tasks).toMatchObject([
    { status: "completed", owner: "ann", result: "written" },
    { status: "completed", owner: "ann", result: "second" },
  ]);
  expect(readFileSync(join(team.folder, "a.txt"), "utf8")).toBe("from the agent\n");
  const [first = "", second = ""] = program.heard<string>("prompt");
  expect(first).toMatch(/^You are "ann", a teammate[\s\S]*Write it well/);
  expect(second).toContain("Again");
  expect(second).not.toContain("You are");
  expect(program.heard("session")).toHaveLength(1);
  const entries = await team.store.transcript.current("ann" as never);
  const text = JSON.stringify(entries);
  for (const word of ["Let me see.", "I write it.", "Write a.txt", "All done."]) expect(text).toContain(word);
  const turns = (await team.events("turn.taken")).filter((event) => "who" in event && event.who === "ann");
  // The team may conclude before the last words of the second prompt.
  expect(turns).toContainEqual(
    expect.objectContaining({ outputTokens: 7, cachedTokens: 50, inputTokens: 150 }),
  );
  expect(turns).toContainEqual(expect.objectContaining({ usd: 0.25 }));
  expect(
    (await team.events("tool.called")).map((event) => (event as { subject?: string }).subject),
  ).toContain("Write a.txt");
  const calls = (await team.events("tool.called")).filter(
    (event) => (event as { who?: string }).who === "ann",
  );
  expect(calls.filter((event) => (event as { isError?: boolean }).isError)).toEqual([]);
});

it("ends with its whole process tree when the team ends, also when it ignores TERM", async () => {
  const program = agentProgram({ prompts: [[{ say: "Hm." }, { hang: true }]], ignoresTerm: true });
  const team = await programTeam({
    says: lead,
    settings: { teammates: [program.recruit("ann")], sandbox: "off" },
  });
  await team.store.board.add({ subject: "Hang" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  await soon(() => expect(program.heard("prompt")).toHaveLength(1));
  const [session = ""] = program.heard<string>("session");
  const pid = Number(session.replace("session-", ""));
  await team.host.close();
  await soon(() => expect(() => process.kill(pid, 0)).toThrow());
});
