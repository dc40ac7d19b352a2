/** `ekiden run --worktrees` as a person runs it: the embedded model, real git, a real gate, a kill in the middle. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { workspacesIn } from "../../fixtures/landing-trees.ts";
import { projectAndOutside } from "../../fixtures/project-outside.ts";
import { LINES, type Repository, repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { ended, type Project } from "../cli-program.ts";

let project: Project;
let outside: string;
projectAndOutside((...made) => {
  [project, outside] = made;
});

const plan = (tasks: Readonly<Record<string, string>>): string =>
  `# A plan\n${Object.entries(tasks)
    .map(([subject, script]) => `\n## ${subject}\n\n\`\`\`sh\n${script}\n\`\`\`\n`)
    .join("")}`;

const run = (...more: string[]) => project.run(["run", "plan.md", "--worktrees", ...more]);
/** Without a sandbox: the tasks note outside of the project what the tests look at. */
const settings = (all: Readonly<Record<string, unknown>>): void =>
  project.write({
    ".ekiden/settings.json": JSON.stringify({ sandbox: "off", ...all }),
    ".ekiden/.gitignore": "*\n",
  });
const subjects = (repo: Repository): string[] => repo.git("log", "--format=%s", "main").split("\n");

it("lands four tasks that edit the same files: one line of history, and every commit in it passes the gate", async () => {
  const gate = 'test "$(wc -l < shared.txt)" = "$(cat count.txt)" && test ! -e broken';
  const edit = (line: number): string =>
    `pwd > ${outside}/${line}; sed -i ${line}s/.*/${line}/ shared.txt; echo ${line} > own-${line}.txt`;
  const repo = repositoryIn(project.dir, { "shared.txt": LINES, "count.txt": "40\n" });
  settings({ gate, teammates: 4 });
  project.write({
    "plan.md": plan({ Two: edit(2), Twelve: edit(12), "Twenty two": edit(22), "Thirty two": edit(32) }),
  });
  const { code, stdout, stderr } = await run();
  expect(stdout + stderr).toContain("4 of 4 tasks completed");
  expect(code).toBe(0);
  expect(subjects(repo).sort()).toEqual(["First", "Thirty two", "Twelve", "Twenty two", "Two"]);
  expect(repo.git("rev-list", "--merges", "main")).toBe("");
  expect(repo.git("status", "--porcelain", "--untracked-files=no")).toBe("");
  for (const line of [2, 12, 22, 32]) {
    expect(repo.read("shared.txt").split("\n")[line - 1]).toBe(String(line));
    expect(readFileSync(join(outside, String(line)), "utf8")).toMatch(
      /\/\.ekiden\/worktrees\/\d-t[a-z-]+\n$/,
    );
  }
  const copy = join(outside, "copy");
  for (const commit of repo.git("rev-list", "main").split("\n")) {
    repo.git("worktree", "add", "--quiet", "--detach", copy, commit);
    const proof = spawn("sh", ["-c", gate], { cwd: copy });
    expect(await new Promise((done) => proof.once("close", done)), commit).toBe(0);
    repo.git("worktree", "remove", copy);
  }
  expect(workspacesIn(repo.dir)).toEqual([]);
  expect(repo.git("branch", "--format=%(refname:short)")).toBe("main");
});

describe("what cannot have worktrees", () => {
  it.each([
    ["a folder that is no repository", /is not in a working copy of a git repository/, () => {}],
    [
      "a repository without commits",
      /has no commit yet/,
      () => {
        const repo = repositoryIn(project.dir, { "a.txt": "a\n" });
        repo.git("update-ref", "-d", "HEAD");
      },
    ],
    [
      "a detached HEAD",
      /is on no branch/,
      () => {
        repositoryIn(project.dir, { "a.txt": "a\n" }).git("checkout", "--quiet", "--detach");
      },
    ],
  ])("%s: says so, exits with 2, and makes no team", async (_, message, arrange) => {
    project.write({ "plan.md": plan({ One: "echo one > one.txt" }) });
    arrange();
    const { code, stderr } = await run();
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(existsSync(join(project.dir, ".ekiden", "team.db"))).toBe(false);
    expect(existsSync(join(project.dir, ".ekiden", "worktrees"))).toBe(false);
  });
});

it("lands beside changes that are not committed, and says that tasks begin without them", async () => {
  const repo = repositoryIn(project.dir, { "a.txt": "a\n" });
  repo.write({ "a.txt": "changed\n", "plan.md": plan({ One: "cat a.txt > one.txt" }) });
  const { code, stdout, stderr } = await run();
  expect(code).toBe(0);
  expect(stdout + stderr).toMatch(/Tasks start without your uncommitted changes, .*: a\.txt\./);
  expect(repo.read("one.txt")).toBe("a\n");
  expect(repo.read("a.txt")).toBe("changed\n");
  expect(subjects(repo)).toEqual(["One", "First"]);
});

it("keeps the work of a task that cannot land, and lands it when the person has made room", async () => {
  const repo = repositoryIn(project.dir, { "a.txt": "a\n" });
  project.write({
    "plan.md": plan({ One: "test -e one.txt && echo again >> one.txt || echo one > one.txt" }),
    "one.txt": "the person's own\n",
  });
  const first = await run("--quiet");
  expect(first.code).toBe(1);
  expect(first.stdout).toContain("main cannot be fast-forwarded");
  expect(repo.read("one.txt")).toBe("the person's own\n");
  expect(subjects(repo)).toEqual(["First"]);
  expect(repo.git("show", "ekiden/1-one:one.txt")).toBe("one");
  rmSync(join(project.dir, "one.txt"));
  expect((await project.run(["retry", "1"])).code).toBe(0);
  const second = await project.run(["resume", "--worktrees", "--quiet"]);
  expect(second).toMatchObject({ code: 0 });
  expect(repo.read("one.txt")).toBe("one\nagain\n");
  expect(workspacesIn(repo.dir)).toEqual([]);
});

it("loses nothing when it is killed in the middle of a landing", async () => {
  const repo = repositoryIn(project.dir, { "shared.txt": LINES });
  const [started, go] = [join(outside, "started"), join(outside, "go")];
  settings({ gate: `touch ${started}; while [ ! -e ${go} ]; do sleep 0.05; done`, teammates: 2 });
  project.write({
    "plan.md": plan({ One: "sed -i 1s/.*/ONE/ shared.txt", Last: "sed -i 40s/.*/LAST/ shared.txt" }),
  });
  const child = project.start(["run", "plan.md", "--worktrees"]);
  const over = ended(child);
  while (!existsSync(started)) {
    expect(child.exitCode).toBeNull();
    await new Promise((done) => setTimeout(done, 20));
  }
  child.kill("SIGKILL");
  await over;
  expect(subjects(repo)).toEqual(["First"]);
  writeFileSync(go, "");
  // Nobody has to say again that the team works in worktrees.
  const { code, stdout, stderr } = await project.run(["resume"]);
  expect(stdout + stderr).toContain("2 of 2 tasks completed");
  expect(code).toBe(0);
  expect(subjects(repo).sort()).toEqual(["First", "Last", "One"]);
  expect(repo.read("shared.txt").split("\n").slice(0, 40)).toMatchObject({ 0: "ONE", 39: "LAST" });
  expect(workspacesIn(repo.dir)).toEqual([]);
});

it("works in its worktrees also when a git hook has started it", async () => {
  const repo = repositoryIn(project.dir, { "a.txt": "a\n" });
  const surrounding = repositoryIn(join(outside, "surrounding"), { "b.txt": "b\n" });
  settings({});
  project.write({ "plan.md": plan({ Commit: "git add --all && git commit -q --allow-empty -m Mine" }) });
  const GIT_DIR = join(surrounding.dir, ".git");
  const env = {
    GIT_DIR,
    GIT_WORK_TREE: surrounding.dir,
    GIT_AUTHOR_NAME: "P",
    GIT_COMMITTER_NAME: "P",
    EMAIL: "p@example.org",
  };
  const { code, stderr } = await project.run(["run", "plan.md", "--worktrees", "--allow", "bash(*)"], {
    env,
  });
  expect(stderr).toContain("completed #1");
  expect(code).toBe(0);
  expect(surrounding.git("log", "--all", "--format=%s")).toBe("First");
  expect(subjects(repo)).toEqual(["Mine", "First"]);
});

it("reopens a runbook's task that is in conflict once, with the conflict shown, and lands it", async () => {
  const repo = repositoryIn(project.dir, { "a.txt": "a\n" });
  settings({ teammates: 2 });
  const both = (me: string, other: string): string =>
    `touch ${outside}/${me}; until test -e ${outside}/${other}; do sleep 0.05; done; echo ${me} > a.txt; echo ${me} > ${me}.txt`;
  project.write({ "plan.md": plan({ One: both("one", "two"), Two: both("two", "one") }) });
  const { code, stdout, stderr } = await run();
  expect(stdout + stderr).toContain("2 of 2 tasks completed");
  expect(code).toBe(0);
  expect(stderr.match(/could not land #\d \(merge conflict\).*a\.txt.*<<<<<<</g)).toHaveLength(1);
  expect(subjects(repo).slice(0, 2).sort()).toEqual(["One", "Two"]);
  expect(`${repo.read("one.txt")}${repo.read("two.txt")}`).toBe("one\ntwo\n");
  expect(repo.git("rev-list", "--merges", "main")).toBe("");
  expect(workspacesIn(repo.dir)).toEqual([]);
});

bubblewrapOrSkip(describe)("with a sandbox", () => {
  it("moves a target that is not checked out", async () => {
    const repo = repositoryIn(project.dir, { "a.txt": "a\n" });
    repo.git("branch", "release");
    settings({ sandbox: "required", targetBranch: "release" });
    project.write({ "plan.md": plan({ Work: "echo b > b.txt" }) });
    const { stdout, stderr } = await run("--deadline", "20s");
    expect(stdout + stderr).toContain("1 of 1 tasks completed");
    expect(repo.git("log", "--format=%s", "release").split("\n")).toEqual(["Work", "First"]);
  });
});

it("does a task again, with all its blocks, when its worktree was removed under a command", async () => {
  repositoryIn(project.dir, { "a.txt": "a\n" });
  settings({});
  const wait = `echo >> ${outside}/began; while [ ! -e ${outside}/go ]; do sleep 0.02; done; echo c >> b.txt`;
  project.write({
    "plan.md": `# A plan\n\n## Two blocks\n\n\`\`\`sh\necho b > b.txt\n\`\`\`\n\n\`\`\`sh\n${wait}\n\`\`\`\n`,
  });
  const child = project.start(["run", "plan.md", "--worktrees"]);
  const over = ended(child);
  await soon(() => expect(existsSync(join(outside, "began"))).toBe(true));
  rmSync(join(project.dir, ".ekiden/worktrees/1-two-blocks"), { recursive: true });
  writeFileSync(join(outside, "go"), "");
  const { code, stdout, stderr } = await over;
  expect(stdout + stderr).toMatch(/The worktree of #1 was removed before its work had landed/);
  expect([code, readFileSync(join(outside, "began"), "utf8")]).toEqual([0, "\n\n"]);
  expect(readFileSync(join(project.dir, "b.txt"), "utf8")).toBe("b\nc\n");
});
