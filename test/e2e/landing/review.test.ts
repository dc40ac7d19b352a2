/** A reviewer decides before a task lands: with a real repository, worktrees and a scripted model for the owner and its reviewers. */
import { expect, it, onTestFinished } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { name } from "../../../src/core/ids.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import { heardIn, toolsOf } from "../../fixtures/equipped-team.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { type ProgramTeam, programTeam, resultsIn } from "../../fixtures/program-team.ts";
import { type Repository, repository } from "../../fixtures/repository.ts";
import { Project } from "../cli-program.ts";

const quiet: Step = { times: "any", text: "fine" };
const call = (tool: string, input: Record<string, unknown>): Step => ({ calls: [{ tool, input }] });
const write = (content: string): Step => call("bash", { command: `echo ${content} > lamp.txt` });
const done = call("complete_task", { result: "It is lit, I swear." });
const says = (nth: number, text: string): Step => ({ who: `alice/${nth}`, text, usd: 1 });
const remarks = (nth: number): Step => says(nth, "lamp.txt:1: it must say lit.\nVERDICT: REMARKS");
const approves = (nth: number): Step => says(nth, "VERDICT: APPROVE");
const of = (steps: readonly Step[]): Step[] =>
  steps.map((step) => (typeof step === "object" && !("who" in step) ? { who: "alice", ...step } : step));

const LIT = { goal: "Go", tasks: [{ subject: "Light the lamp", description: "Write lit.\nReview: yes" }] };

async function stage(
  steps: readonly Step[],
  settings: Partial<Settings> = {},
  repo: Repository = repository({ "a.txt": "a\n" }),
  keep = false,
): Promise<ProgramTeam & { readonly repo: Repository }> {
  const team = await programTeam({
    says: { lead: [quiet], alice: of(steps) },
    settings: { permissionMode: "bypass", worktrees: true, ...settings },
    folder: repo.dir,
    keep,
  });
  return Object.assign(team, { repo });
}

it("gives remarks back to the owner, and lands what the next reviewer approves", async () => {
  const team = await stage([
    write("dark"),
    done,
    remarks(1),
    write("lit"),
    done,
    { who: "alice/2", calls: [{ tool: "read_file", input: { path: "lamp.txt" } }], usd: 1 },
    approves(2),
    { text: "Done." },
  ]);
  await team.host.start({ runbook: LIT });
  expect(await team.host.done).toMatchObject({ completed: 1, failed: 0 });
  expect(team.repo.read("lamp.txt")).toBe("lit\n");
  expect(await team.events("task.reviewed")).toMatchObject([
    { by: "alice/1", verdict: "remarks", attempt: 1 },
    { by: "alice/2", verdict: "approved", attempt: 1 },
  ]);
  expect(await team.events("task.reopened")).toMatchObject([{ why: "review", by: "alice" }]);
  const asked = team.requests("alice");
  const first = asked.find((one) => heardIn(one).includes("+dark"));
  expect(heardIn(first)).toContain("Write lit.");
  expect(heardIn(first)).not.toContain("I swear");
  expect(toolsOf(first)).toEqual(["read_file", "glob", "grep", "fetch_url"]);
  const refused = resultsIn(asked.at(-1)).find((text) => text.includes("round 1 of 2"));
  expect(refused).toContain("lamp.txt:1: it must say lit.");
  expect(await team.store.roster.member(name("alice"))).toMatchObject({ usd: 3 }); // its reviewers' calls
});

it("fails the task with the remarks after its rounds, and lands nothing", async () => {
  const team = await stage([write("dark"), done, remarks(1), done, { text: "I give up." }], {});
  await team.host.start({ runbook: LIT });
  expect(await team.host.done).toMatchObject({ completed: 0, failed: 1 });
  // The second completion changed nothing: the same remarks count again, and nobody is asked.
  expect(await team.events("task.reviewed")).toHaveLength(1);
  const [failed] = await team.events("task.failed");
  expect(failed).toMatchObject({ reason: expect.stringContaining("round 2 of 2") });
  expect(failed).toMatchObject({ reason: expect.stringContaining("lamp.txt:1: it must say lit.") });
  expect(JSON.stringify(team.requests("lead").at(-1))).toContain("it must say lit");
  expect(team.repo.git("log", "--format=%s", "main")).toBe("First");
  expect(team.repo.git("branch", "--list", "ekiden/*")).not.toBe("");
});

const BROKEN = {
  "talks nonsense": (nth: number): Step[] => [says(nth, "Nice weather. I approve of it.")],
  "looks at the same file for ever": (nth: number): Step[] => [
    {
      who: `alice/${nth}`,
      times: 30,
      calls: [{ tool: "read_file", input: { path: "a.txt" } }],
      text: "VERDICT: APPROVE",
    },
  ],
  "is refused by its provider": (nth: number): Step[] => [
    { who: `alice/${nth}`, times: 3, fail: { code: "model_auth", message: "no" } } as Step,
  ],
};
const broken = sampled(Object.entries(BROKEN), 3);
it.each(broken)("fails the task when the reviewer %s, twice", async (_, broken) => {
  const team = await stage([write("lit"), done, ...broken(1), ...broken(2), { text: "Hm." }]);
  await team.host.start({ runbook: LIT });
  expect(await team.host.done).toMatchObject({ completed: 0, failed: 1 });
  expect(await team.events("task.reviewed")).toMatchObject([{ verdict: "none" }, { verdict: "none" }]);
  expect(await team.events("task.failed")).toMatchObject([
    { reason: expect.stringContaining("The reviewer gave no verdict") },
  ]);
  expect(team.repo.git("log", "--format=%s", "main")).toBe("First");
});

it("asks nobody again about what was approved, also in another process", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const gate = "test ! -e lamp.txt || test -e ../../../open"; // above the worktrees; green without the task
  const first = await stage(
    [write("lit"), done, approves(1), { who: "alice", text: "Red?" }, quiet],
    { gate },
    repo,
    true,
  );
  await first.host.start({ runbook: LIT });
  await first.until("task.reopened", { why: "gate" });
  await first.host.close();
  repo.write({ open: "" });
  const second = await stage([done, { text: "Done." }, quiet], { gate }, repo);
  await second.host.start({ resume: true });
  expect(await second.host.done).toMatchObject({ completed: 1 });
  expect(await second.events("task.reviewed")).toHaveLength(1);
  expect(repo.read("lamp.txt")).toBe("lit\n");
});

it("lands nothing that changed while it was reviewed", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const meanwhile: Step = () => {
    repo.write({ ".ekiden/worktrees/1-light-the-lamp/lamp.txt": "off\n" });
    return { text: "VERDICT: APPROVE" };
  };
  const team = await stage(
    [write("lit"), done, meanwhile, done, remarks(2), write("lit"), done, { text: "Done." }],
    {},
    repo,
  );
  await team.host.start({ runbook: LIT });
  expect(await team.host.done).toMatchObject({ completed: 1 });
  expect(JSON.stringify(team.requests("alice").at(-1))).toContain("changed while it was reviewed");
  expect(repo.read("lamp.txt")).toBe("lit\n");
});

it("reviews every task, or none, by the setting", async () => {
  const plain = { goal: "Go", tasks: [{ subject: "Light the lamp", description: "Write lit." }] };
  const all = await stage([write("lit"), done, approves(1), { text: "Done." }], { review: "all" });
  await all.host.start({ runbook: plain });
  expect(await all.host.done).toMatchObject({ completed: 1 });
  expect(await all.events("task.reviewed")).toHaveLength(1);
  const none = await stage([write("lit"), done, { text: "Done." }], { review: "none" });
  await none.host.start({ runbook: LIT });
  expect(await none.host.done).toMatchObject({ completed: 1 });
  expect(await none.events("task.reviewed")).toEqual([]);
});

it("shows what changed in a repository without worktrees, commits and new files alike", async () => {
  const step = call("bash", {
    command:
      "echo one > a.txt; git add a.txt; GIT_COMMITTER_DATE=2099-01-01T00:00:00Z git -c user.name=A -c user.email=a@b commit -qm A; echo two > new.txt",
  });
  const team = await stage([step, done, approves(1), { text: "Done." }], {
    worktrees: false,
    sandbox: "off",
  });
  await team.host.start({ runbook: LIT });
  expect(await team.host.done).toMatchObject({ completed: 1 });
  const shown = heardIn(team.requests("alice").find((one) => heardIn(one).includes("VERDICT")));
  expect(shown).toContain("+one");
  expect(shown).toContain("+two");
  expect(team.repo.git("status", "--porcelain", "new.txt")).toBe("?? new.txt"); // the index is as it was
});

it("is asked for and withdrawn on the command line, and holds no runbook model back that nobody asked", async () => {
  const project = new Project();
  onTestFinished(() => project.end());
  const task = "# Goal\n\n## Count\n```sh\necho 3\n```\n";
  project.write({ "plan.md": task, "asked.md": task.replace("```sh", "Review: yes\n```sh") });
  expect(
    await project.run(["run", "plan.md", "--allow", "bash"], { env: { EKIDEN_REVIEW: "all" } }),
  ).toMatchObject({
    code: 0,
  });
  const asked = await project.run(["run", "asked.md", "--allow", "bash", "--team", "two"]);
  expect(asked.code).toBe(1);
  expect(asked.stdout + asked.stderr).toContain("reads no prose, so it cannot review");
  const described = async (): Promise<string> =>
    (await project.json<{ task: { description: string } }>(["tasks", "2"])).task.description;
  await project.run(["add", "Paint", "--review", "-d", "All of it."]);
  expect(await described()).toBe("All of it.\n\nReview: yes");
  await project.run(["edit", "2", "--review", "no"]);
  expect(await described()).toBe("All of it.");
  expect((await project.run(["edit", "2", "--review", "maybe"])).stderr).toContain("write yes or no");
});
