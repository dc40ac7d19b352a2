/** Git that is killed, or that meets the git of another process at a bad moment: the work is done again. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sampled } from "../../../test/fixtures/fuzz.ts";
import { landing, meeting } from "../../../test/fixtures/landing-trees.ts";
import { IMPATIENT, programFolder } from "../../../test/fixtures/program-folder.ts";
import { repository } from "../../../test/fixtures/repository.ts";
import { asTaskId, DEFAULT_TEAM, instant } from "../../core/ids.ts";
import type { Which, Worktrees } from "../../ports/worktrees.ts";
import { createShell } from "../shell/index.ts";
import { Git } from "./git.ts";
import { openWorktrees } from "./index.ts";

const TASK: Which = { id: asTaskId(1), subject: "Fix the parser", createdAt: instant(1_700_000_000_000) };
const BY = landing.by;
const GIT = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

const DONE = `${GIT} "$@"`;

/** A git that kills itself once, at the first call with this verb, when it has done this in its place. */
function dying(verb: string, instead: string): { PATH: string; killed: string } {
  const isIt = `case " $* " in *" ${verb} "*) [ -e $HERE/killed ] || { ${instead}; echo > $HERE/killed; kill -9 $$; } ;; esac`;
  const bin = programFolder("git", `${isIt}\nexec ${GIT} "$@"`);
  const killed = join(bin, "killed");
  writeFileSync(killed, "not yet");
  return { PATH: `${bin}:${process.env.PATH ?? ""}`, killed };
}

/** Something is lost once, before the first call with this verb. */
function losing(verb: string, lose: string, before = ""): { PATH: string; done: string } {
  const isIt = `case " $* " in *" ${verb} "*|*" ${verb}/"*) [ -e $HERE/done ] || { echo > $HERE/done; ${lose}; } ;; esac`;
  const bin = programFolder("git", `${before}\n${isIt}\nexec ${GIT} "$@"`);
  const done = join(bin, "done");
  writeFileSync(done, "not yet");
  return { PATH: `${bin}:${process.env.PATH ?? ""}`, done };
}

/** The worktrees of a project, by the git of this path. */
async function worktreesOf(project: string, PATH: string): Promise<Worktrees> {
  const shell = createShell({ outputDir: join(project, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const env = { PATH, HOME: project, GIT_CONFIG_NOSYSTEM: "1" };
  const options = {
    project,
    team: DEFAULT_TEAM,
    env,
    shell,
    gateTimeoutMs: 10_000,
    share: [],
    sandbox: null,
  };
  return meeting(await openWorktrees(options), project);
}

const VERBS = ["for-each-ref", "checkout", "update-index", "fetch", "commit", "rebase"];

const IN_GIT = `cd "$(${GIT} rev-parse --absolute-git-dir)"`;
/** Traces of a git that was killed in the middle of its work, among others. */
const HALF: readonly (readonly [verb: string, left: string])[] = [
  [
    "merge --ff-only",
    `for to; do :; done; ${GIT} read-tree -m -u HEAD "$to"; ${IN_GIT}; touch HEAD.lock refs/heads/main.lock`,
  ],
  ["rebase", `${IN_GIT}; mkdir rebase-merge; touch rebase-merge/done HEAD.lock`],
  ["checkout", `${IN_GIT}; touch index.lock`],
];

describe.each([
  ["before its work", ":"],
  ["after its work", DONE],
  ["in the middle", null],
])("git is killed %s", (_, whole) => {
  const all = [...VERBS, "update-ref", "symbolic-ref", "merge --ff-only", "diff"];
  const cases = whole === null ? HALF : all.map((verb) => [verb, whole] as const);
  it.each(sampled(cases, 3))("%s", async (verb, instead) => {
    const repo = repository({ "a.txt": "a\n" });
    repo.write({ ".ekiden/.gitignore": "*\n" });
    const { PATH, killed } = dying(verb, instead);
    const made = await worktreesOf(repo.dir, PATH);
    rmSync(killed);
    const { workspace } = await made.open(TASK);
    writeFileSync(join(workspace, "b.txt"), "b\n");
    repo.write({ "c.txt": "c\n" });
    repo.commit("change");
    expect(await made.land(TASK, BY)).toMatchObject({ kind: "landed" });
    expect(readFileSync(killed, "utf8")).toBe("\n");
    expect(repo.git("log", "--format=%s")).toBe("Fix the parser\nchange\nFirst");
    expect(repo.git("status", "--porcelain")).toBe("");
  });
});

it("opens the worktrees of a project although each git that only reads is killed once", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const once = `mark=$HERE/$(echo "$*" | cksum | cut -d ' ' -f 1); [ -e $mark ] || { echo "$*" > $mark; kill -9 $$; }`;
  const bin = programFolder("git", `${once}\nexec ${GIT} "$@"`);
  await expect(worktreesOf(repo.dir, `${bin}:${process.env.PATH ?? ""}`)).resolves.toHaveProperty("open");
  const killed = readdirSync(bin).flatMap((name) =>
    name === "git" ? [] : readFileSync(join(bin, name), "utf8"),
  );
  for (const verb of ["config", "rev-parse", "status"]) expect(killed.join(""), verb).toContain(verb);
});

it.each([
  ["its workspace is made", "update-ref"],
  ["its work is committed", "commit"],
  ["its landing is noted", "update-ref"],
])("lands when a killed git left the lock of its branch before %s", async (_, verb) => {
  const repo = repository({ "a.txt": "a\n" });
  repo.write({ ".ekiden/.gitignore": "*\n" });
  const locks = `mkdir -p ${repo.dir}/.git/refs/heads/ekiden; touch ${repo.dir}/.git/refs/heads/ekiden/1-fix-the-parser.lock`;
  const { PATH, done } = losing(verb, locks, IMPATIENT);
  const trees = await worktreesOf(repo.dir, PATH);
  rmSync(done);
  const { workspace, branch } = await trees.open(TASK);
  expect(branch).toBe("ekiden/1-fix-the-parser");
  writeFileSync(join(workspace, "b.txt"), "b\n");
  repo.write({ "c.txt": "c\n" });
  repo.commit("change");
  expect(await trees.land(TASK, BY)).toMatchObject({ kind: "landed" });
  expect(readFileSync(done, "utf8")).toBe("\n");
  expect(repo.git("log", "--format=%s")).toBe("Fix the parser\nchange\nFirst");
});

it("continues when the git of a dead process makes the branch meanwhile", async () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.write({ ".ekiden/.gitignore": "*\n" });
  const { PATH, done } = losing("checkout", `${GIT} -C ${repo.dir} branch ekiden/1-fix-the-parser`);
  const trees = await worktreesOf(repo.dir, PATH);
  rmSync(done);
  expect(await trees.open(TASK)).toMatchObject({ branch: "ekiden/1-fix-the-parser" });
  expect(readFileSync(done, "utf8")).toBe("\n");
});

it("leaves locks alone that are not of the branch of a task, and links", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const bin = programFolder("git", `${IMPATIENT}\nexec ${GIT} "$@"`);
  const PATH = `${bin}:${process.env.PATH ?? ""}`;
  const git = new Git({ PATH, HOME: repo.dir, GIT_CONFIG_NOSYSTEM: "1" }, null);
  const outside = join(repo.dir, "outside");
  mkdirSync(outside);
  symlinkSync(outside, join(repo.dir, ".git/refs/heads/ekiden"));
  const locks = [join(repo.dir, ".git/refs/heads/other.lock"), join(outside, "1-fix.lock")];
  for (const lock of locks) writeFileSync(lock, "");
  for (const branch of ["other", "ekiden/1-fix"])
    expect(await git.try(repo.dir, "update-ref", `refs/heads/${branch}`, "HEAD")).not.toMatchObject({
      code: 0,
    });
  expect(locks.map((lock) => existsSync(lock))).toEqual([true, true]);
});

const LANDS = ["status", "update-index", "commit", "rev-parse", "diff"];
it.each(sampled([...LANDS, "rebase", "log", "update-ref", "symbolic-ref", "merge --ff-only"], 3))(
  "lands when its branch goes at %s",
  async (verb) => {
    const repo = repository({ "a.txt": "a\n" });
    repo.write({ ".ekiden/.gitignore": "*\n" });
    const lose = `for b in $(${GIT} -C ${repo.dir} for-each-ref --format='%(refname)' refs/heads/ekiden); do ${GIT} -C ${repo.dir} update-ref -d $b; done`;
    const { PATH, done } = losing(verb, lose);
    const trees = await worktreesOf(repo.dir, PATH);
    const { workspace } = await trees.open(TASK);
    writeFileSync(join(workspace, "b.txt"), "b\n");
    repo.write({ "c.txt": "c\n" });
    repo.commit("change");
    rmSync(done);
    const landed = await trees.land(TASK, BY);
    expect(landed, JSON.stringify(landed)).toMatchObject({ kind: "landed" });
    expect(readFileSync(done, "utf8")).toBe("\n");
    expect(repo.git("log", "--format=%s")).toBe("Fix the parser\nchange\nFirst");
    expect(repo.git("show", "main:b.txt")).toBe("b");
  },
);

it.each([
  ["the disk is full", "trap '' XFSZ;", false],
  ["git is killed", "", false],
  ["the disk is full, and stays so,", "trap '' XFSZ;", true],
])("keeps the work when %s in the middle of a checkout of its landing", async (_, trap, stays) => {
  const repo = repository({ "a.txt": "a\n" });
  repo.write({ ".ekiden/.gitignore": "*\n" });
  // No file of git may grow beyond 20 blocks: the large one ends the checkout when the file of the task is gone already.
  const full = join(repo.dir, ".ekiden", "full");
  const refuses = `case " $* " in *" read-tree "*) [ ! -e ${full} ] || exit 1 ;; esac`;
  const { PATH, done } = losing("rebase", `${trap} ulimit -f 20; ${GIT} "$@"; exit`, refuses);
  const trees = await worktreesOf(repo.dir, PATH);
  const { workspace } = await trees.open(TASK);
  writeFileSync(join(workspace, "b.txt"), "b\n");
  repo.write({ "large.txt": randomBytes(50_000).toString("hex"), "small.txt": "c\n" });
  repo.commit("change");
  rmSync(done);
  if (stays) writeFileSync(full, "");
  const outcome = await trees.land(TASK, BY).catch((error: unknown) => error);
  // A refusal would count against the task, which cannot do anything about a full disk. A runbook tries again by the words of the last lines.
  const thrown = { code: "tool_failed", message: expect.stringMatching(stays ? "" : /unable to write.*$/) };
  expect(outcome).toMatchObject(trap === "" ? { kind: "refused" } : thrown);
  expect(readFileSync(done, "utf8")).toBe("\n");
  const files = [".git", "a.txt", ...(stays ? ["large.txt", "small.txt"] : ["b.txt"])];
  expect(readdirSync(workspace).sort()).toEqual(files);
  rmSync(full, { force: true });
  expect(await trees.land(TASK, BY)).toMatchObject({ kind: "landed" });
  expect(repo.git("show", "main:b.txt")).toBe("b");
});

it("says that the disk is at fault when a worktree cannot be made, and makes it later", async () => {
  const repo = repository({ "a.txt": "a\n", "large.txt": randomBytes(50_000).toString("hex") });
  repo.write({ ".ekiden/.gitignore": "*\n" });
  const { PATH, done } = losing("checkout", `trap '' XFSZ; ulimit -f 20; ${GIT} "$@"; exit`);
  const trees = await worktreesOf(repo.dir, PATH);
  rmSync(done);
  await expect(trees.open(TASK)).rejects.toThrow(/unable to write to the disk.*\(df\), then try again\.$/);
  expect(readFileSync(join((await trees.open(TASK)).workspace, "a.txt"), "utf8")).toBe("a\n");
});

it("counts no refusal where a workspace that was removed cannot be made again for want of room", async () => {
  const repo = repository({ "a.txt": "a\n", "large.txt": randomBytes(50_000).toString("hex") });
  repo.write({ ".ekiden/.gitignore": "*\n" });
  const { PATH, done } = losing("checkout", `trap '' XFSZ; ulimit -f 20; ${GIT} "$@"; exit`);
  const trees = await worktreesOf(repo.dir, PATH);
  const { workspace } = await trees.open(TASK);
  rmSync(workspace, { recursive: true });
  rmSync(done);
  await expect(trees.land(TASK, BY)).rejects.toThrow(/unable to write to the disk/);
  expect(await trees.land(TASK, BY)).toMatchObject({
    kind: "refused",
    evidence: expect.stringMatching("made again"),
  });
});

it("waits for a worktree that another git is just making", async () => {
  const repo = repository({ "a.txt": "a\n" });
  repo.git("worktree", "add", "--quiet", "--lock", ".ekiden/one");
  const half = join(repo.dir, ".git/worktrees/half");
  mkdirSync(half);
  writeFileSync(join(half, "commondir"), "");
  // The other git continues at the second call.
  const goOn = `[ -e ${half}/seen ] && echo ../.. > ${half}/commondir; echo > ${half}/seen`;
  const bin = programFolder("git", `${goOn}\nexec ${GIT} "$@"`);
  const git = new Git(
    { PATH: `${bin}:${process.env.PATH ?? ""}`, HOME: repo.dir, GIT_CONFIG_NOSYSTEM: "1" },
    null,
  );
  expect(await git.try(repo.dir, "worktree", "unlock", ".ekiden/one")).toMatchObject({ code: 0 });
});
