/** Two clones of one remote, one team: what one process has not landed, another one goes on with in its own clone. */
import { type ChildProcess, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, inject, it, onTestFinished } from "vitest";
import { type Repository, repository } from "../fixtures/repository.ts";
import { soon } from "../fixtures/soon.ts";
import { dropSchema } from "../fixtures/stage.ts";
import { type Ended, ended, Project } from "./cli-program.ts";

let store: string;
let remote: Repository;
beforeEach(() => {
  const schema = `team_${randomBytes(6).toString("hex")}`;
  const url = new URL(inject("postgresUrl"));
  url.searchParams.set("schema", schema);
  store = url.href;
  onTestFinished(() => dropSchema(inject("postgresUrl"), schema));
  const first = repository({ ".ekiden/settings.json": '{ "remote": "origin" }\n', "a.txt": "a\n" });
  const dir = join(repository({ "unused.txt": "" }).dir, "bare");
  first.git("clone", "--quiet", "--bare", first.dir, dir);
  remote = { ...first, dir, git: (...args) => first.git("-C", dir, ...args) };
});

/** A machine: a project that is a clone, and its own home. */
function machine(): Project & { begin(...args: string[]): { child: ChildProcess; over: Promise<Ended> } } {
  const project = new Project();
  onTestFinished(() => project.end());
  execFileSync("git", ["clone", "--quiet", remote.dir, project.dir]);
  const env = { EKIDEN_STORE: store, EKIDEN_PERMISSION_MODE: "bypass", EKIDEN_SANDBOX: "off" };
  return Object.assign(project, {
    begin: (...args: string[]) => {
      const child = project.start(args, env);
      return { child, over: ended(child) };
    },
  });
}

const branches = (): string[] => remote.git("branch", "--format=%(refname:short)").split("\n");
const worker = ["worker", "--model", "runbook", "--count", "1"];

it("goes on in another clone with what a drained worker has not landed", async () => {
  const [here, there] = [machine(), machine()];
  const go = join(remote.dir, "go");
  const script = `[ -e begun ] && echo "went on" > result.txt; echo "$PWD" >> begun; while [ ! -e ${go} ]; do sleep 0.05; done`;
  await here.begin("add", "Long", "-d", `\`\`\`sh\n${script}\n\`\`\``).over;
  const first = here.begin(...worker, "--drain", "1");
  await soon(() => expect(begunIn(here)).toBe(true));
  first.child.kill("SIGTERM");
  expect(await first.over).toMatchObject({ code: 0 });
  // It is there before the task is back on the board.
  const [parked = ""] = branches();
  expect(parked).toMatch(/^ekiden\/1-long-[0-9a-z]+$/);
  expect(remote.git("show", `${parked}:begun`)).toContain(here.dir);

  const second = there.begin(...worker);
  await soon(() => expect(begunIn(there)).toBe(true));
  writeFileSync(go, "");
  await soon(() => expect(remote.git("log", "-1", "--format=%s", "main")).toBe("Long"));
  expect(remote.git("show", "main:result.txt")).toBe("went on");
  expect(
    remote
      .git("show", "main:begun")
      .split("\n")
      .map((path) => path.startsWith(there.dir)),
  ).toEqual([false, true]);
  await soon(() => expect(branches()).toEqual(["main"]));
  second.child.kill("SIGTERM");
  expect(await second.over).toMatchObject({ code: 0 });
});

it("is completed only when its push has arrived, and says what a remote refuses", async () => {
  const here = machine();
  writeFileSync(join(remote.dir, "hooks", "update"), '#!/bin/sh\necho "closed for today"; exit 1\n', {
    mode: 0o755,
  });
  const run = here.begin("run", "--teammates", "1", "--json", writeBoard(here));
  const { stdout, code } = await run.over;
  expect(code).toBe(1);
  expect(stdout).toContain("origin refuses a push to main");
  expect(stdout).toContain("closed for today");
  expect(stdout).not.toContain("task.completed");
  expect(remote.git("log", "--format=%s", "main")).toBe("First");
});

it("names settings that exclude each other, and the new name of an old one", async () => {
  const here = machine();
  const refused = async (settings: object): Promise<string> => {
    here.write({ ".ekiden/settings.json": JSON.stringify(settings) });
    const { code, stderr } = await here.begin("run", writeBoard(here)).over;
    expect(code).toBe(2);
    return stderr;
  };
  expect(await refused({ remote: "origin", landing: "fast-forward" })).toMatch(
    /landing "fast-forward".*"push" or "pr"/,
  );
  expect(await refused({ remote: "upstream" })).toMatch(/no git remote called "upstream"/);
  expect(await refused({ landingRemote: "origin" })).toMatch(/landingRemote.*remote/);
});

const writeBoard = (project: Project): string => {
  project.write({ "board.md": "# Goal\n\n## One\n```sh\necho one > one.txt\n```\n" });
  return join(project.dir, "board.md");
};

const begunIn = (project: Project): boolean => {
  const folder = join(project.dir, ".ekiden", "worktrees");
  return existsSync(folder) && execFileSync("find", [folder, "-name", "begun"], { encoding: "utf8" }) !== "";
};
