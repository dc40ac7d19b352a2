/** Members that joined under `--model runbook` keep that model, so that a later resume needs no other one. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

it("resumes a team without --model, when its members were added with --model runbook", async () => {
  const add = (text: string) => project.run(["add", text]);
  await add("First");
  const first = await project.run(["resume", "--model", "runbook", "--teammate", "alice"]);
  const { members } = await project.json<{ members: { name: string; model: string }[] }>(["team"]);
  expect(members.map(({ name, model }) => [name, model]).sort(), first.stderr).toEqual([
    ["alice", "runbook"],
    ["lead", "runbook"],
  ]);
  await add("Second");
  const { code, stderr } = await project.run(["resume"]);
  expect(code, stderr).not.toBe(3);
});
