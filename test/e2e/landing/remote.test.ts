/** Two clones of one remote, one team: another process continues with unlanded work in its own clone. */
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { type Clone, clones } from "../../fixtures/clones.ts";
import type { Repository } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import type { Project } from "../cli-program.ts";

let remote: Repository;
let machine: () => Clone;
beforeEach(() => {
  ({ remote, clone: machine } = clones({ "a.txt": "a\n" }));
});

const branches = (): string[] => remote.git("branch", "--format=%(refname:short)").split("\n");
const worker = ["worker", "--model", "runbook", "--count", "1"];

it("continues in another clone with what a drained worker has not landed", async () => {
  const [here, there] = [machine(), machine()];
  const go = join(remote.dir, "go");
  const script = `[ -e begun ] && echo "continued" > result.txt; echo "$PWD" >> begun; while [ ! -e ${go} ]; do sleep 0.05; done`;
  await here.begin(["add", "Long", "-d", `\`\`\`sh\n${script}\n\`\`\``]).over;
  const first = here.begin([...worker, "--drain", "1"]);
  await soon(() => expect(begunIn(here)).toBe(true));
  first.child.kill("SIGTERM");
  expect(await first.over).toMatchObject({ code: 0 });
  // It is there before the task is back on the board.
  const [parked = ""] = branches();
  expect(parked).toMatch(/^ekiden\/1-long-[0-9a-z]+$/);
  expect(remote.git("show", `${parked}:begun`)).toContain(here.dir);

  const second = there.begin(worker);
  await soon(() => expect(begunIn(there)).toBe(true));
  writeFileSync(go, "");
  await soon(() => expect(remote.git("log", "-1", "--format=%s", "main")).toBe("Long"));
  expect(remote.git("show", "main:result.txt")).toBe("continued");
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
  const run = here.begin(["run", "--teammates", "1", "--json", writeBoard(here)]);
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
    const { code, stderr } = await here.begin(["run", writeBoard(here)]).over;
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
