/** Orders of the person about tasks in progress are obeyed at once: the owner's command ends, and it hears why. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive } from "../../../src/adapters/process-table.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { pidsIn } from "../../fixtures/pids.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

/** Each attempt adds a line with its process id, and works until `go` is there; both are in the project. */
const task = (name: string): string =>
  `## ${name}\n\`\`\`sh\necho $$ >> '${project.dir}/${name}'\nwhile [ ! -e '${project.dir}/go' ]; do sleep 0.05; done\n\`\`\`\n`;
const attempts = (name: string): number[] => pidsIn(join(project.dir, name));
const began = (name: string, times = 1): Promise<void> =>
  soon(() => expect(attempts(name).length, name).toBeGreaterThanOrEqual(times));
const isOver = (name: string): Promise<void> =>
  soon(() => expect(attempts(name).slice(0, 1).filter(isAlive)).toEqual([]));

const PLACES: readonly (readonly [string, readonly string[]])[] = [
  ["in the project", []],
  ["in worktrees", ["--worktrees"]],
];
const place = sampled(PLACES, 2);
it.each(place)(
  "cancel, release, assign and edit end the running command of the owner: %s",
  async (_, where) => {
    repositoryIn(project.dir, { ".gitignore": ".ekiden/\n?\ngo\n" });
    project.write({ "plan.md": `# Goal\n\n${["a", "b", "c", "d"].map(task).join("\n")}` });
    // Without the sandbox, in which process ids are other ones.
    const args = ["run", "plan.md", "--teammates", "4", "--sandbox", "off", "--allow", "bash", ...where];
    const over = ended(project.start(args));
    for (const name of ["a", "b", "c", "d"]) await began(name);
    const said = async (...args: string[]): Promise<string> =>
      ((r) => r.stdout + r.stderr)(await project.run(args));
    expect(await said("cancel", "1")).toMatch(/#1 is cancelled; \w+ was told to stop/);
    expect(await said("release", "2")).toMatch(/#2 is back on the board; \w+ was told to stop/);
    expect(await said("edit", "3", "--subject", "Third")).toMatch(/#3: changed subject; \w+ was told/);
    const owner = (await project.json<{ tasks: { owner?: string }[] }>(["tasks"])).tasks[3]?.owner;
    const other = ["alice", "bob", "carol", "dave"].find((one) => one !== owner) ?? "";
    expect(await said("edit", "4", "--assign", other)).toMatch(/#4: changed assignee/);
    for (const name of ["a", "b", "c", "d"]) await isOver(name);
    await began("b", 2);
    writeFileSync(join(project.dir, "go"), "");
    expect(await over).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/3 of 4 tasks completed, 1 cancelled/),
    });
    expect(attempts("a")).toHaveLength(1);
  },
);

it("a released task begins again when the command of its first owner has ended, also one that ignores signals", async () => {
  const lines = `trap '' TERM INT HUP\nwhile [ ! -e go ]; do echo $$ >> a; sleep 0.02; done`;
  project.write({ "plan.md": `# Goal\n\n## a\n\`\`\`sh\n${lines}\n\`\`\`\n` });
  const args = ["run", "plan.md", "--teammates", "2", "--sandbox", "off", "--allow", "bash"];
  const over = ended(project.start(args));
  await began("a");
  await project.run(["release", "1"]);
  const second = (): number[] => attempts("a").filter((pid) => pid !== attempts("a")[0]);
  await soon(() => expect(second().length).toBeGreaterThan(20));
  writeFileSync(join(project.dir, "go"), "");
  expect(await over).toMatchObject({ code: 0 });
  const all = attempts("a");
  expect(all.slice(0, all.lastIndexOf(all[0] ?? 0) + 1).every((pid) => pid === all[0])).toBe(true);
});

it("done and cancel name what the commands of the owner left in its worktree, and the tasks behind", async () => {
  repositoryIn(project.dir, { ".gitignore": ".ekiden/\n?\ngo\n" });
  const wall = task("a").replace("echo", "echo white > wall.txt; echo");
  project.write({ "plan.md": `# Goal\n\n${wall}\n${task("b")}\n## c\nAfter: b\n\n\`\`\`sh\ntrue\n\`\`\`\n` });
  const args = ["run", "plan.md", "--teammates", "2", "--sandbox", "off", "--allow", "bash", "--worktrees"];
  const over = ended(project.start(args));
  for (const name of ["a", "b"]) await began(name);
  const left = "Not landed on main: wall.txt. It stays in .ekiden/worktrees/1-a, on the branch ekiden/1-a.";
  const { stderr } = await project.run(["done", "1", "Painted"]);
  expect(stderr).toMatch(/^#1 is completed; \w+ was told to stop\. /);
  expect(stderr).toContain(left);
  expect((await project.run(["cancel", "2"])).stderr).toContain(
    "#3 waits for it and cannot begin while it is cancelled: ekiden retry 2, ekiden cancel 3, or ekiden edit 3 --after none",
  );
  await isOver("a");
  const { code, stdout, stderr: words } = await over;
  expect(code).toBe(1);
  expect(stdout + words).toMatch(
    /To continue: ekiden resume .*, after ekiden retry ID .* for a cancelled task that others wait for\./,
  );
});

it("an owner whose process has ended is not said to have been told, and reads of the order later", async () => {
  project.write({ "plan.md": `# Goal\n\n${task("a")}` });
  const run = project.start(["run", "plan.md", "--teammates", "1", "--sandbox", "off", "--allow", "bash"]);
  await began("a");
  run.kill("SIGKILL");
  await ended(run);
  expect((await project.run(["cancel", "1"])).stderr).toMatch(
    /^#1 is cancelled; \w+ is not running, and reads of it when the team is resumed$/m,
  );
});
