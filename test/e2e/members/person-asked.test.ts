/** A question to the person in `ekiden run`: it is printed with how to answer it, and has a limit where nobody can. */

import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

const question = "Which colour shall the shed have?";
const call = (tool: string, input: object) => ({ tool, input });
const SCRIPT = {
  steps: [
    { who: "alice", when: "Nobody has answered", calls: [call("fail_task", { id: 1, reason: question })] },
    {
      who: "alice",
      when: "Paint the shed",
      calls: [
        call("send_message", { to: "person", text: question }),
        call("idle", { waiting_for: "messages" }),
      ],
    },
    { who: "alice", text: "Well.", times: "any" },
    { who: "lead", text: "That is all.", times: "any" },
  ],
};

it.each([["--quiet"], ["--json"]])("is shown with %s, and the run ends without an answer", async (how) => {
  project.write({ "script.json": JSON.stringify(SCRIPT) });
  const team = ["--team", "garden"];
  const line = (words: string) => `ekiden ${words} --cwd ${project.dir} --team garden`;
  await project.run(["add", "Paint the shed", ...team]);
  const model = ["--model", `scripted:${join(project.dir, "script.json")}`, "--teammates", "1"];
  const { code, stderr, stdout } = await project.run(["run", "Go", how, ...team, ...model], {
    env: { EKIDEN_QUESTION_DEADLINE_MS: "300" },
  });
  expect(stderr).toContain(`alice to you: ${question}\n  To answer: ${line('send alice "…"')}\n`);
  expect(code, stderr).toBe(1);
  if (how === "--json") {
    const events = stdout
      .trim()
      .split("\n")
      .map((event) => JSON.parse(event));
    expect(events).toContainEqual(
      expect.objectContaining({ type: "mail.sent", to: "person", text: question }),
    );
  }
  expect(await project.json(["tasks", "1", ...team])).toMatchObject({
    task: { status: "failed", reason: question },
  });
});

it("names the team in what to do next", async () => {
  project.write({ "plan.md": "# Fail\n## Fail\n```sh\nexit 3\n```\n" });
  const { stderr } = await project.run(["run", "plan.md", "--team", "garden"]);
  const line = (words: string) => `ekiden ${words} --cwd ${project.dir} --team garden`;
  expect(stderr).toContain(`In full: ${line("tasks 1")}. Try again: ${line("retry 1")} && ${line("resume")}`);
});
