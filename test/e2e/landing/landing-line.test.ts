/** The landing queue at work: no task starves, whatever the others and the person do meanwhile. The embedded model, real git. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { appendPlan, outcomeOf } from "../../fixtures/append-plan.ts";
import { projectAndOutside } from "../../fixtures/project-outside.ts";
import type { Repository } from "../../fixtures/repository.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import type { Project } from "../cli-program.ts";

let project: Project;
let outside: string;
projectAndOutside((...made) => {
  [project, outside] = made;
});

/** Or after forty times as long as the act takes: on a busy machine a landing needs longer, too, and every commit of a person makes it begin again. */
async function everyHalfSecond(act: () => void, signal: AbortSignal): Promise<void> {
  for (let took = 0; !signal.aborted; ) {
    await delay(Math.max(500, 40 * took), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const began = performance.now();
    act();
    took = performance.now() - began;
  }
}

/** All tasks wait for each other before they append to the same line, so that each is in conflict with each other. */
async function appendToOneLine(
  count: number,
  settings: Readonly<Record<string, unknown>> = {},
  meanwhile: (git: Repository["git"]) => void = () => {},
): Promise<{ repo: Repository; refused: Map<number, number>; landed: number[] }> {
  const repo = repositoryIn(project.dir, { "list.txt": "start\n" });
  project.write({
    ".ekiden/settings.json": JSON.stringify({ sandbox: "off", teammates: count, ...settings }),
    ".ekiden/.gitignore": "*\n",
  });
  project.write({ "plan.md": appendPlan(count, outside) });
  const over = new AbortController();
  const person = everyHalfSecond(() => meanwhile(repo.git), over.signal);
  const { code, stdout, stderr } = await project
    .run(["run", "plan.md", "--worktrees"])
    .finally(() => over.abort());
  await person;
  expect(stdout + stderr).toContain(`${count} of ${count} tasks completed`);
  expect(code).toBe(0);
  const log = await project.run(["log", "--json"]);
  const outcome = outcomeOf(log.stdout, count);
  expect(repo.read("list.txt").trim().split(" ").slice(1).map(Number)).toEqual(outcome.landed);
  expect(repo.git("status", "--porcelain", "--untracked-files=no")).toBe("");
  return { repo, ...outcome };
}

it("lands eight tasks that append to one line, each refused at most once", async () => {
  const count = 8;
  const { refused, landed } = await appendToOneLine(count);
  expect(landed).toHaveLength(count);
  // The first is not refused; the others are, by the one before them, and land next.
  expect([...refused.values()].sort()).toEqual([0, ...Array.from({ length: count - 1 }, () => 1)]);
});

it("lands four of them too while a person commits to the target every half second", async () => {
  const count = 4;
  let commits = 0;
  const { repo, refused, landed } = await appendToOneLine(count, {}, (git) => {
    try {
      git("commit", "--quiet", "--allow-empty", "--message", `Person ${commits + 1}`);
      commits += 1;
    } catch {
      // git's lock is held by a landing; a person would try again
    }
  });
  // A fast machine lands all before a person has committed often.
  expect(commits).toBeGreaterThan(0);
  expect(landed).toHaveLength(count);
  const history = repo.git("log", "--format=%s", "main").split("\n");
  expect(history.filter((subject) => subject.startsWith("Person"))).toHaveLength(commits);
  for (const [nth, task] of landed.entries()) expect(refused.get(task)).toBeLessThanOrEqual(nth + 1);
});
