/** A new workspace is made ready: packages, ignored files that the project names, and the command of a set-up file. */
import { existsSync, lstatSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, it, onTestFinished } from "vitest";
import { Git } from "../../../src/adapters/git/git.ts";
import { createShell } from "../../../src/adapters/shell/index.ts";
import type { SetUp } from "../../../src/core/project/set-up.ts";
import { Places } from "../../../src/host/workspaces/places.ts";
import { settingUp, tearingDown } from "../../../src/host/workspaces/set-up.ts";
import { gitItems } from "../../../src/project/trust/items.ts";
import { landing, openTrees } from "../../fixtures/landing-trees.ts";
import { repository } from "../../fixtures/repository.ts";

type Files = Readonly<Record<string, string>>;

const PERSON = { PATH: process.env.PATH ?? "", GIT_CONFIG_NOSYSTEM: "1" };

async function stage(
  files: Files,
  {
    setUp = null,
    isAgreed = true,
    below = "",
  }: { setUp?: SetUp | null; isAgreed?: boolean; below?: string } = {},
) {
  const repo = repository({ "a.txt": "a\n", ".gitignore": "node_modules\n.env*\nconfig/local\n", ...files });
  const project = join(repo.dir, below);
  const places = new Places(project, () => null);
  const variablesIn = (folder: string) => places.variablesIn(folder);
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output"), variablesIn });
  onTestFinished(() => shell.close());
  const git = new Git({ ...PERSON, HOME: repo.dir }, null);
  const parts = { project, git, shell, places, setUp, isAgreed, share: [] };
  const told: string[] = [];
  const contact = { signal: landing.by.signal, tell: async (text: string) => void told.push(text) };
  /** As a process of its own would. */
  const open = async (id = 1): Promise<string> => {
    const trees = await openTrees(project, shell, { setUp: settingUp(parts), needsClean: false });
    return (await trees.open(landing.task(id), undefined, contact)).workspace;
  };
  const remove = async (id = 1): Promise<string> => {
    const tearDown = tearingDown(parts, (text) => void told.push(text));
    const trees = await openTrees(project, shell, { setUp: settingUp(parts), tearDown, needsClean: false });
    await trees.open(landing.task(id), undefined, contact);
    return (await trees.remove(landing.task(id))).kind;
  };
  return { repo, told, open, remove };
}

const LOCK = { "package.json": "{}\n", "package-lock.json": '{ "packages": 1 }\n' };
const installed = { "node_modules/x/index.js": "x\n", "packages/a/node_modules/y/index.js": "y\n" };

it("copies installed packages where the lock file is the same, and links nothing", async () => {
  const { repo, open, told } = await stage({ ...LOCK, "packages/a/package.json": "{}\n" });
  repo.write(installed);
  symlinkSync("../x", join(repo.dir, "node_modules/linked"));
  const workspace = await open();
  for (const [path, text] of Object.entries(installed))
    expect(readFileSync(join(workspace, path), "utf8")).toBe(text);
  expect(lstatSync(join(workspace, "node_modules/linked")).isSymbolicLink()).toBe(true);
  expect(lstatSync(join(workspace, "node_modules")).isDirectory()).toBe(true);
  writeFileSync(join(workspace, "node_modules/x/index.js"), "changed\n");
  expect(repo.read("node_modules/x/index.js")).toBe("x\n");
  repo.write({ "package-lock.json": "another\n" });
  expect(existsSync(join(await open(2), "node_modules"))).toBe(false);
  expect(told).toEqual([]);
});

it("copies the ignored files that .worktreeinclude names, and nothing that would land or lies elsewhere", async () => {
  const include = "# secrets of development\n.env*\n!.env.example\nnotes.txt\nconfig/local\n";
  const { repo, open, told } = await stage({ ".worktreeinclude": include, "config/app": "1\n" });
  repo.write({
    ".env": "A=1\n",
    ".env.example": "A=\n",
    "notes.txt": "the person's own\n",
    "config/local/db": "pw\n",
  });
  symlinkSync("/etc/hostname", join(repo.dir, ".env.link"));
  const workspace = await open();
  expect(readFileSync(join(workspace, ".env"), "utf8")).toBe("A=1\n");
  expect(readFileSync(join(workspace, "config/local/db"), "utf8")).toBe("pw\n");
  for (const path of [".env.example", "notes.txt", ".env.link"])
    expect(existsSync(join(workspace, path)), path).toBe(false);
  expect(told).toEqual(["The workspace of #1: not copied: .env.link"]);
});

it("copies both also for a project that is a folder of its repository", async () => {
  const files = { "app/.worktreeinclude": ".env\n", "app/package-lock.json": "{}\n" };
  const { repo, open, told } = await stage(files, { below: "app" });
  repo.write({ "app/.env": "A=1\n", ".env": "other\n", "app/node_modules/x/index.js": "x\n" });
  const workspace = await open();
  expect(readFileSync(join(workspace, ".env"), "utf8")).toBe("A=1\n");
  expect(readFileSync(join(workspace, "node_modules/x/index.js"), "utf8")).toBe("x\n");
  expect(existsSync(join(workspace, "../.env"))).toBe(false);
  expect(told).toEqual([]);
});

it("writes no file through a link of the repository", async () => {
  const { repo, open, told } = await stage({ ".worktreeinclude": "config/local\n" });
  const outside = repository({ "b.txt": "b\n" }).dir;
  symlinkSync(outside, join(repo.dir, "config"));
  repo.commit("A link");
  // The person has a folder where the commit has a link.
  unlinkSync(join(repo.dir, "config"));
  repo.write({ "config/local/db": "pw\n" });
  await open();
  expect(existsSync(join(outside, "local"))).toBe(false);
  expect(told).toEqual(["The workspace of #1: not copied: config/local/db"]);
});

it("runs the set-up that the person agreed to, once for each workspace", async () => {
  const command = 'echo "$EKIDEN_TASK $EKIDEN_ROOT $EKIDEN_WORKTREE" >> ready.txt';
  const { repo, open, told } = await stage({}, { setUp: { file: "conductor.json", command, teardown: "" } });
  const workspace = await open();
  await open();
  expect(readFileSync(join(workspace, "ready.txt"), "utf8")).toBe(`1 ${repo.dir} ${workspace}\n`);
  expect(readFileSync(join(await open(2), "ready.txt"), "utf8")).toMatch(/^2 /);
  expect(told).toEqual([]);
});

it("says once why a set-up failed, and leaves the workspace to its member", async () => {
  const setUp = { file: "conductor.json", command: "echo no network; exit 3", teardown: "" };
  const { open } = await stage({}, { setUp });
  await expect(open()).rejects.toThrow(
    /The workspace of #1 is there, but its set-up \(conductor\.json\) ended with code 3:\nno network/,
  );
  expect(existsSync(join(await open(), "a.txt"))).toBe(true);
});

it("does not run what nobody has agreed to, and says so once", async () => {
  const setUp = { file: "conductor.json", command: "touch ran", teardown: "" };
  const { open, told } = await stage({}, { setUp, isAgreed: false });
  expect(existsSync(join(await open(), "ran"))).toBe(false);
  expect(told).toEqual([
    expect.stringMatching(
      /^conductor\.json has a set-up for worktrees \(touch ran\), which nobody has agreed/,
    ),
  ]);
});

it("is one of the items that the person agrees to, with the scripts that it names", () => {
  const repo = repository({
    "conductor.json": '{ "scripts": { "setup": "sh scripts/setup.sh" } }',
    "scripts/setup.sh": "npm ci\n",
  });
  const before = gitItems(repo.dir);
  expect(before.parts.map(({ text }) => text)).toEqual(["set-up of worktrees: sh scripts/setup.sh"]);
  repo.write({ "scripts/setup.sh": "curl evil\n" });
  expect(gitItems(repo.dir).whole.digest).not.toBe(before.whole.digest);
});

it("reads the scripts of Codex, also that for the end", () => {
  const file = ".codex/environments/environment.toml";
  const text = 'version = 1\n[setup]\nscript = """\nnpm ci\n"""\n[cleanup]\nscript = "dropdb $EKIDEN_DB"\n';
  const repo = repository({ [file]: text, ".codex/environments/a.toml": "" });
  const { setUp, parts } = gitItems(repo.dir, parse);
  expect(setUp).toEqual({ file, command: "npm ci", teardown: "dropdb $EKIDEN_DB" });
  expect(parts.map(({ text: shown }) => shown)).toEqual([
    "set-up of worktrees: npm ci",
    "teardown of worktrees: dropdb $EKIDEN_DB",
  ]);
  repo.write({ [file]: "[setup" });
  expect(gitItems(repo.dir, parse).setUp).toBeNull();
});

it("runs the teardown that the person agreed to before it removes a workspace, and a failure holds nothing up", async () => {
  const teardown = 'echo "$EKIDEN_TASK $EKIDEN_DB $CONDUCTOR_WORKSPACE_NAME"; test -f a.txt && exit 4';
  const setUp = { file: "conductor.json", command: "", teardown };
  const { remove, open, told } = await stage({}, { setUp });
  const workspace = await open();
  expect(await remove()).toBe("removed");
  expect(existsSync(workspace)).toBe(false);
  expect(told).toEqual([
    expect.stringMatching(
      /^The worktree of #1 is removed, and its teardown \(conductor\.json\) ended with code 4:\n1 ekiden_1_\w{10} 1-task-1$/,
    ),
  ]);
});

it("runs no teardown where the workspace stays", async () => {
  const { remove, open, told } = await stage({}, { setUp: { file: "x", command: "", teardown: "exit 1" } });
  writeFileSync(join(await open(), "work.txt"), "");
  expect(await remove()).toBe("kept");
  expect(told).toEqual([]);
});

it("copies an environment of Python with the paths of the worktree, and what a link leads to stays", async () => {
  const locks = { "uv.lock": "1\n", "Cargo.lock": "1\n", ".gitignore": "/target\n/outside\n" };
  const { repo, open, told } = await stage(locks);
  const bin = (name: string) => `.venv/bin/${name}`;
  repo.write({
    ".venv/.gitignore": "*\n",
    [bin("tool")]: `#!${repo.dir}/.venv/bin/python\n`,
    [bin("binary")]: `\0${repo.dir}`,
    ".venv/lib/python3.12/site-packages/_own.pth": `${repo.dir}/src\n`,
    "outside/script": repo.dir,
    "target/debug/x": "x",
  });
  symlinkSync("../../outside/script", join(repo.dir, bin("linked")));
  const workspace = await open();
  const read = (path: string) => readFileSync(join(workspace, path), "utf8");
  expect(read(bin("tool"))).toBe(`#!${workspace}/.venv/bin/python\n`);
  expect(read(".venv/lib/python3.12/site-packages/_own.pth")).toBe(`${workspace}/src\n`);
  expect(read(bin("binary"))).toBe(`\0${repo.dir}`);
  expect(repo.read("outside/script")).toBe(repo.dir);
  expect(repo.read(bin("tool"))).toBe(`#!${repo.dir}/.venv/bin/python\n`);
  expect(existsSync(join(workspace, "target/debug/x"))).toBe(true);
  expect(told).toEqual([]);
});
