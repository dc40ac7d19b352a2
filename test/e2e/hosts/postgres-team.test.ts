/** The same program on PostgreSQL: a runbook with a diamond, a second process that looks on, a kill and a resume. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { soon } from "../../fixtures/soon.ts";
import { dropSchema } from "../../fixtures/stage.ts";
import { ended, Project } from "../cli-program.ts";

let project: Project;
let store: string;
beforeEach(() => {
  project = new Project();
  const url = new URL(inject("postgresUrl"));
  url.searchParams.set("schema", `team_${randomBytes(6).toString("hex")}`);
  store = url.href;
});
afterEach(async () => {
  await project.end();
  await dropSchema(inject("postgresUrl"), new URL(store).searchParams.get("schema") ?? "");
});

const ekiden = (...args: string[]) => project.run([...args, "--store", store]);

const DIAMOND = `# Goal

## Top
\`\`\`sh
echo top > top.txt
\`\`\`
## Left
After: Top
\`\`\`sh
cat top.txt
\`\`\`
## Right
After: Top
\`\`\`sh
touch right-began
if [ ! -e go ]; then sleep 600; fi
\`\`\`
## Bottom
After: Left, Right
\`\`\`sh
echo bottom
\`\`\`
`;

it("works through a diamond, is killed in the middle, and is resumed with the same claims", async () => {
  project.write({ "diamond.md": DIAMOND });
  const first = project.start(["run", "diamond.md", "--store", store]);
  const over = ended(first);
  await soon(() => expect(existsSync(join(project.dir, "right-began"))).toBe(true));
  const looking = await ekiden("tasks", "--json");
  expect(JSON.parse(looking.stdout).tasks[2]).toMatchObject({
    subject: "Right",
    status: "in_progress",
    attempt: 1,
  });
  first.kill("SIGKILL");
  await over;

  project.write({ go: "" });
  expect(await ekiden("resume", "--json")).toMatchObject({ code: 0, stderr: "" });
  const tasks = JSON.parse((await ekiden("tasks", "--json")).stdout).tasks as Record<string, unknown>[];
  expect(tasks.map((task) => [task.subject, task.status, task.attempt])).toEqual([
    ["Top", "completed", 1],
    ["Left", "completed", 1],
    ["Right", "completed", 1],
    ["Bottom", "completed", 1],
  ]);
  await soon(async () => {
    // a fact shows once no older transaction of the server is open, also of a test beside this one
    const { stdout } = await ekiden("log", "--json");
    const log = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(log.filter((event) => event.type === "task.completed")).toHaveLength(4);
    expect(log.at(-1)).toMatchObject({ type: "team.finished", completed: 4 });
  });
});
