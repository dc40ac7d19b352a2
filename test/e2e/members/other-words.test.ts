/** Models use the words of the harness that they were trained with. A whole team in such words keeps its order, its plan gates and its owners. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { name } from "../../../src/core/ids.ts";
import { call, quiet } from "../../fixtures/loops.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const settings = { permissionMode: "bypass", sandbox: "off" } as const;

it("works for a lead and teammates that know other tools", async () => {
  const team = await programTeam({
    says: {
      lead: [
        call("TeamCreate", { team_name: "web", description: "Builds" }),
        {
          calls: [
            { tool: "TaskCreate", input: { subject: "One", description: "First", activeForm: "Doing one" } },
            { tool: "create_task", input: { subject: "Two", blockedBy: "#1" } },
            { tool: "create_task", input: { subject: "Four", blocked_tasks: [1] } },
            { tool: "TaskList" },
            {
              tool: "Task",
              input: { name: "alice", team_name: "web", subagent_type: "general-purpose", prompt: "Work" },
            },
            { tool: "spawn_teammate", input: { name: "bob", plan_mode_required: false } },
            { tool: "task_create", input: { subject: "Three", depends_on: ["2"], owner: "bob" } },
          ],
        },
        ...quiet,
      ],
      ...Object.fromEntries(
        ["alice", "bob"].map((who) => [
          who,
          [
            {
              times: "any" as const,
              when: "auto-claimed",
              calls: [
                { tool: "read_inbox" },
                { tool: "Bash", input: { command: "echo x >> log", cwd: "sub", description: "Notes it" } },
                { tool: "write_file", input: { file_path: "all", content: "line\n", append: true } },
                { tool: "complete_task", input: { summary: `by ${who}` } },
              ],
            },
            ...quiet,
          ],
        ]),
      ),
    },
    settings: { ...settings, teammates: [] },
  });
  mkdirSync(join(team.folder, "sub"));
  await team.host.start({ goal: "Build" });
  const outcome = await team.host.done;
  const board = await team.store.board.tasks();
  expect(board.map(({ subject, blockedBy, assignee }) => [subject, blockedBy, assignee])).toEqual([
    ["One", [], undefined],
    ["Two", [1], undefined],
    ["Three", [2], "bob"],
  ]);
  expect(outcome).toMatchObject({ reason: "concluded", completed: 3, failed: 0 });
  expect(await team.store.board.task(3 as never)).toMatchObject({ owner: "bob", result: "by bob" });
  expect(readFileSync(join(team.folder, "sub/log"), "utf8")).toBe("x\nx\nx\n");
  expect(readFileSync(join(team.folder, "all"), "utf8")).toBe("line\nline\nline\n");
  expect(existsSync(join(team.folder, "log"))).toBe(false);
  const first = await team.store.board.task(1 as never);
  const answers = await team.store.transcript.current(name(first?.status === "completed" ? first.owner : ""));
  expect(JSON.stringify(answers)).toContain("Completed #1. Ready now: #2.");
  const told = (await team.store.transcript.current(name("lead")))
    .flatMap((entry) => (entry.kind === "result" ? [entry.result] : []))
    .map(({ text }) => text);
  expect(told[0]).toContain("You lead a team already");
  expect(told.find((text) => text.includes("blocked_tasks"))).toMatch(
    /there is no field "blocked_tasks": the fields are subject, description, blocked_by.* Did you mean "blocked_by"\?/,
  );
});
