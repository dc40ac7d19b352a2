/** `ekiden member`: another role or another name for a teammate. */
import { expect, it, onTestFinished } from "vitest";
import { Project } from "../cli-program.ts";

it("changes role and name of a member that is not at work", async () => {
  const project = new Project();
  onTestFinished(() => project.end());
  project.write({ "plan.md": "# Build\n## Build\n```sh\necho built\n```\n" });
  await project.run(["run", "plan.md", "--teammate", "bob"]);
  expect(await project.run(["member", "bob"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Say what to change: --role"),
  });
  const changed = await project.run(["member", "bob", "--role", "tester", "--name", "ben"]);
  expect([changed.code, changed.stderr]).toEqual([0, "ben, before bob: tester\n"]);
  const { roster, board } = await project.store();
  expect((await roster.members()).map((one) => [one.name, one.role])).toEqual([
    ["lead", ""],
    ["ben", "tester"],
  ]);
  expect(await board.tasks()).toMatchObject([{ owner: "ben" }]);
  expect((await project.run(["transcript", "ben"])).stdout).toContain("built");
});
