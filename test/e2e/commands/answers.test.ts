/** Questions answered from another terminal, through the program. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

type Questions = {
  requests: { id: string; kind: string; by: string; of: string; text: string; why?: string }[];
};

/** Asks until somebody waits for an answer. */
async function question(): Promise<Questions["requests"][number]> {
  await expect
    .poll(async () => (await project.store({ access: "use" })).requests.open())
    .toMatchObject([{ state: "open" }]);
  const [found] = (await project.json<Questions>(["requests"])).requests;
  return found as Questions["requests"][number];
}

const GATED = "# Ship\n## Release\nPlan: yes\n```sh\ntouch released\n```\n";

it("a runbook pauses where it says `Plan: yes`, until a person has approved its blocks", async () => {
  project.write({ "plan.md": GATED });
  const run = project.start(["run", "plan.md"]);
  const over = ended(run);
  const { id, ...asked } = await question();
  expect(asked).toMatchObject({ kind: "plan", of: "lead", text: "Run:\ntouch released" });
  const shown = await project.run(["requests"]);
  expect(shown.stdout).toContain(id);
  expect(shown.stdout).toContain("touch released");
  expect((await project.run(["answer", id, "perhaps"])).stderr).toMatch(/"perhaps" is not an answer/);
  expect(existsSync(join(project.dir, "released"))).toBe(false);
  const answer = await project.run(["answer", id.slice(0, 5), "yes"]);
  expect(answer).toMatchObject({ code: 0, stderr: `approved the plan of ${asked.by} for #1\n` });
  expect(await over).toMatchObject({ code: 0 });
  expect(existsSync(join(project.dir, "released"))).toBe(true);
  expect(await project.run(["answer", id, "no"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("was answered before"),
  });
  expect((await project.run(["requests"])).stdout).toContain("No question waits for an answer.");
});

it("a rejected runbook step fails with the feedback", async () => {
  project.write({ "plan.md": GATED });
  const over = ended(project.start(["run", "plan.md"]));
  const { id } = await question();
  await project.run(["answer", id, "no", "not", "on", "Friday"]);
  expect(await over).toMatchObject({ code: 1 });
  expect((await project.run(["tasks", "1"])).stdout).toContain("not on Friday");
  expect(existsSync(join(project.dir, "released"))).toBe(false);
});

it("a permission is asked for in another terminal, and always is written down", async () => {
  const steps = [
    { who: "lead", when: "Touch it", calls: [{ tool: "bash", input: { command: "touch x" } }] },
    { who: "lead", times: "any", text: "Done." },
  ];
  project.write({
    "script.json": JSON.stringify({ steps }),
    ".ekiden/settings.json": '{\n  // mine\n  "memory": false\n}\n',
  });
  const model = `scripted:${join(project.dir, "script.json")}`;
  const over = ended(
    project.start(["run", "Touch it", "--model", model], {
      EKIDEN_PERMISSIONS_TO: "person",
      EKIDEN_CONFINED_COMMANDS: "ask",
      EKIDEN_TEAMMATES: "0",
    }),
  );
  const { id, ...asked } = await question();
  expect(asked).toMatchObject({ kind: "permission", by: "lead", of: "person", text: "bash: touch x" });
  expect(asked.why).toContain("mode default");
  // It asks, and then it is shown as waiting.
  await expect
    .poll(async () => (await project.run(["team"])).stdout)
    .toContain("idle (waiting for permission)");
  const answer = await project.run(["answer", id, "always"]);
  expect(answer.stderr).toMatch(
    /^lead may run bash: touch x, and from now on everything that bash\(touch.*\) allows\n$/,
  );
  expect(await over).toMatchObject({ code: 0, stdout: "Done.\n" });
  expect(existsSync(join(project.dir, "x"))).toBe(true);
  type Timed = { type: string; at: number; tool?: string; ms?: number };
  const events = (await project.run(["log", "--json"])).stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Timed);
  const put = events.find(({ type }) => type === "permission.asked");
  const called = events.find(({ type, tool }) => type === "tool.called" && tool === "bash");
  const answered = events.find(({ type }) => type === "permission.answered");
  if (!put || !called || !answered) throw new Error("it was asked, answered and called");
  // The time of the call begins with the answer.
  expect(called.ms).toBeLessThanOrEqual(called.at - answered.at + 20);
  expect(called.ms).toBeLessThan(called.at - put.at);
  // In the person's own settings for the project, not in those that everybody of the project has.
  const own = join(project.home, ".config/ekiden/projects");
  const [folder = ""] = readdirSync(own);
  expect(readFileSync(join(own, folder, "settings.json"), "utf8")).toMatch(/"allow": \["bash\(touch/);
  expect(readFileSync(join(project.dir, ".ekiden/settings.json"), "utf8")).not.toContain("touch");
});

it("in a conversation, /plan shows what waits and answers it", async () => {
  const steps = [
    {
      who: "lead",
      when: "Go",
      calls: [{ tool: "create_task", input: { subject: "Paint", needs_plan: true } }],
    },
    { who: "alice", when: "auto-claimed", calls: [{ tool: "submit_plan", input: { plan: "Use blue." } }] },
    { who: "alice", when: "is approved", calls: [{ tool: "complete_task", input: { result: "blue" } }] },
    { times: "any", text: "fine" },
  ];
  project.write({ "script.json": JSON.stringify({ steps }) });
  const talk = project.start(["--model", `scripted:${join(project.dir, "script.json")}`, "--teammates", "1"]);
  let shown = "";
  talk.stdout?.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const over = ended(talk);
  talk.stdin?.write("Go\n");
  const { id } = await question();
  talk.stdin?.write("/plans\n");
  await expect.poll(() => shown).toMatch(/plans #1 \(attempt 1, request \w+\):\s+Use blue\./);
  talk.stdin?.write(`/plan ${id.slice(0, 6)} no because\n/plan ${id} yes\n`);
  await expect.poll(() => shown).toContain("was answered before");
  expect(shown).toContain("rejected the plan of alice for #1");
  talk.kill("SIGTERM");
  await over;
});
