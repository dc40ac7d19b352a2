/** `ekiden reopen`: a task that continues a completed one, and names it. */
import { expect, it, onTestFinished } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { Project } from "../cli-program.ts";

it("adds a task that names the completed one, with its result and its commit", async () => {
  const project = new Project();
  onTestFinished(() => project.end());
  await project.add({ subject: "Build", description: "Build it.", role: "dev", touches: ["src/**"] });
  const { board } = await project.store();
  const [first] = await board.tasks();
  const id = first?.id as never;
  const early = await project.run(["reopen", "1"]);
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining("Task #1 is pending")]);
  await board.completeFor(id, PERSON, "It is built.");
  await board.landed(id, PERSON, { branch: "b", target: "main", commit: "0123456789abcdef" });
  const { code, stderr } = await project.run(["reopen", "1", "It", "needs", "a", "title"]);
  expect([code, stderr]).toEqual([0, "#2 is on the board, and names #1\n"]);
  expect(await board.task(2 as never)).toMatchObject({
    ...{ status: "pending", subject: "Again: Build", blockedBy: [1], openBlockers: 0 },
    ...{ role: "dev", touches: ["src/**"] },
    description:
      "It needs a title\n\n[It continues #1, which person completed, and its change has landed as 012345678. Its result: It is built.]\n\n#1 read:\n\nBuild it.",
  });
});
