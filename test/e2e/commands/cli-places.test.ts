/** Files and folders that cannot be written or are something else: a fault of the line, told at once with the path. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { isFresh, ROOT } from "../../../scripts/fresh.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { programFolder } from "../../fixtures/program-folder.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import { EKIDEN, ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

async function refused(args: readonly string[], message: RegExp): Promise<void> {
  const { code, stderr } = await project.run(args);
  expect.soft(stderr).toMatch(message);
  expect.soft(stderr).not.toContain("fault of ekiden");
  expect.soft(code).toBe(2);
}

it("refuses a file where a folder is wanted", async () => {
  project.write({ note: "a file" });
  await project.run(["add", "One"]);
  await refused(["export", "note"], /note is a file\. Give a folder/);
  await refused(["export", "note/below"], /note is a file\. Give a folder/);
  await refused(["export", "/dev/null"], /\/dev\/null is a file/);
  await refused(["export", ".git"], /\.git" is inside a folder of git\. Give another folder/);
  expect((await project.run(["export", "out/of/nothing"])).code).toBe(0);
});

// /proc refuses root too, and says that the new folder does not exist.
it.runIf(process.platform === "linux")("ends where nothing can be made", async () => {
  await project.run(["add", "One"]);
  await refused(["export", "/proc/x/y"], /\/proc\/x: no such file or folder/);
  await refused(["add", "Two", "--store", "sqlite:/proc/x/y.db"], /\/proc\/x: no such file or folder/);
  await refused(["init", "--cwd", "/proc"], /\/proc\/\.ekiden: no such file or folder/);
  await refused(["web", "--export", "/proc/x.html"], /\/proc\/x\.html: no such file or folder/);
});

it("ends at once where the folders of the person cannot be made, and starts nothing", async () => {
  project.write({ "plan.md": "# Goal\n\n## A\n```sh\ntrue\n```\n", note: "a file" });
  for (const home of ["/proc/x", join(project.dir, "note"), "relative"]) {
    const env = { HOME: home, XDG_CONFIG_HOME: "", XDG_CACHE_HOME: "" };
    const { code, stderr } = await project.run(["run", "plan.md"], { env });
    expect.soft({ home, code }).toEqual({ home, code: 2 });
    expect.soft(stderr).toMatch(/cannot be written, .*Set HOME, or XDG_CONFIG_HOME and XDG_CACHE_HOME/s);
    expect.soft(existsSync(join(project.dir, ".ekiden", "team.db"))).toBe(false);
  }
});

// The program from source cannot be started there.
it.runIf(isFresh("dist/main.js"))("says that the current folder is gone", async () => {
  const line = `mkdir gone && cd gone && rmdir ../gone && ${EKIDEN} tasks`;
  const failed = promisify(execFile)("sh", ["-c", line], { cwd: project.dir });
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("current folder no longer exists"),
  });
});

it("uses the system's folder for temporary files where that of the environment is gone", async () => {
  project.write({ "plan.md": "# Goal\n\n## A\n```sh\nrm $(mktemp)\n```\n" });
  const env = { TMPDIR: join(project.dir, "gone") };
  expect(await project.run(["run", "plan.md"], { env })).toMatchObject({ code: 0 });
});

it.runIf(process.platform === "linux")("starts no team where too few files may be open", async () => {
  project.write({ "plan.md": "# Goal\n\n## A\n```sh\ntrue\n```\n" });
  const { command, env } = project.command([]);
  // As it is built: whatever loads the sources has more files open.
  const words = [command, join(ROOT, "dist/main.js"), "run", "plan.md"];
  const child = spawn("sh", ["-c", 'ulimit -n 63; exec "$@"', "sh", ...words], { cwd: project.dir, env });
  const { code, stderr } = await ended(child);
  expect(stderr).toMatch(/may open 63 files .*ulimit -n 1024/);
  expect(code).toBe(2);
  expect(existsSync(join(project.dir, ".ekiden"))).toBe(false);
});

/** A repository with a runbook of two commands. */
function withWork(dir: string): void {
  repositoryIn(dir, {
    ".gitignore": ".ekiden/\n",
    "plan.md": "# Goal\n\n## A\n```sh\ntrue\n```\n\n## B\n```sh\ntrue\n```\n",
  });
}

// Below /proc `mkdir` with parents never returns.
it.runIf(process.platform === "linux")(
  "ends at once where the notes of landings cannot be kept",
  async () => {
    withWork(project.dir);
    for (const home of ["/proc/self", "/sys", "/dev/null"]) {
      const env = {
        HOME: home,
        XDG_CONFIG_HOME: join(project.home, "c"),
        XDG_CACHE_HOME: join(project.home, "k"),
      };
      const { code, stderr } = await project.run(["run", "plan.md", "--worktrees"], { env });
      expect.soft({ home, code, stderr }).toMatchObject({
        ...{ home, code: 2 },
        stderr: expect.stringMatching(/cannot be created, .*Set HOME, or XDG_STATE_HOME/s),
      });
      expect.soft(stderr).not.toContain("..");
    }
    const env = {
      HOME: "/proc/self",
      ...Object.fromEntries(
        ["CONFIG", "CACHE", "STATE"].map((one) => [`XDG_${one}_HOME`, join(project.home, one)]),
      ),
    };
    expect(await project.run(["run", "plan.md", "--worktrees"], { env })).toMatchObject({ code: 0 });
  },
);

it("refuses worktrees with a git that is too old, and works without them", async () => {
  withWork(project.dir);
  const bin = programFolder(
    "git",
    `case " $* " in *" version "*) echo "git version 2.20.1"; exit;; *" --path-format=absolute "*) echo --path-format=absolute;; esac\nexec ${execFileSync("which", ["git"], { encoding: "utf8" }).trim()} "$@"`,
  );
  const env = { PATH: `${bin}:${process.env.PATH ?? ""}` };
  expect(await project.run(["run", "plan.md", "--worktrees"], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/This is git version 2\.20\.1, .* 2\.31 or newer.*--no-worktrees/s),
  });
  expect(await project.run(["run", "plan.md"], { env })).toMatchObject({ code: 0 });
});

it.runIf(process.platform === "linux" && process.getuid?.() === 0)(
  "ends at once where the disk of the person's folders is full, and leaves no store behind",
  async () => {
    withWork(project.dir);
    const home = mkdtempSync(join(tmpdir(), "ekiden-full-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "full", home]);
    onTestFinished(() => {
      execFileSync("umount", [home]);
      takeAway(home);
    });
    const env = { HOME: home, XDG_CONFIG_HOME: "", XDG_CACHE_HOME: "" };
    for (const folder of [".config/ekiden/trust", ".cache/ekiden"])
      mkdirSync(join(home, folder), { recursive: true });
    expect(() => writeFileSync(join(home, "full"), Buffer.alloc(128 * 1_024))).toThrow("ENOSPC");
    const { code, stderr } = await project.run(["run", "plan.md"], { env });
    expect(stderr).toMatch(/cannot be written, .*no space.*(Make room|Set HOME)/is);
    expect(code).toBe(2);
    expect(existsSync(join(project.dir, ".ekiden", "team.db"))).toBe(false);
  },
);

/** A project on a disk of its own, until the end of the test. */
function onSmallDisk(options: string): { readonly dir: string; readonly enlarge: () => void } {
  const dir = mkdtempSync(join(tmpdir(), "ekiden-small-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "small", dir]);
  onTestFinished(() => {
    execFileSync("umount", [dir]);
    takeAway(dir);
  });
  const larger = "remount,size=64m,nr_inodes=1000";
  return { dir, enlarge: () => void execFileSync("mount", ["-o", larger, dir]) };
}
const root = it.runIf(process.platform === "linux" && process.getuid?.() === 0);
const THREE = ["one", "two", "three"]
  .map((name) => `## ${name}\n\`\`\`sh\necho ${name} > ${name}.txt\n\`\`\`\n`)
  .join("");

root(
  "waits where the disk of the project has no room for a file, and names the disk and what it lacks",
  async () => {
    const { dir, enlarge } = onSmallDisk("size=20m,nr_inodes=8");
    project.write({ "plan.md": `# Goal\n\n${THREE}` });
    const run = project.start(["run", join(project.dir, "plan.md"), "--cwd", dir, "--sandbox", "off"]);
    const over = ended(run);
    await once(run.stderr as NodeJS.ReadableStream, "data");
    await soon(async () => {
      const { stdout } = await project.run(["log", "--cwd", dir]);
      expect(stdout).toMatch(/No space left on device\. .*ekiden-small-.* MB left and room for 0 more files/);
    });
    enlarge();
    expect(await over).toMatchObject({ code: 0, stdout: expect.stringContaining("3 of 3 tasks completed") });
  },
);

root("a run on a full disk says so, and a resume finishes it", async () => {
  const { dir, enlarge } = onSmallDisk("size=600k");
  project.write({ "plan.md": `# Goal\n\n${THREE}` });
  const run = project.start(["run", join(project.dir, "plan.md"), "--cwd", dir, "--sandbox", "off"]);
  const over = ended(run);
  let said = "";
  run.stderr?.on("data", (text) => {
    said += text;
  });
  await soon(() => expect(said).toMatch(/waits for its store .*disk is full\. Check the disk/s));
  run.kill("SIGTERM");
  expect((await over).stderr).toMatch(/`ekiden resume --cwd .*` continues/);
  enlarge();
  expect(await project.run(["resume", "--cwd", dir, "--sandbox", "off", "--model", "runbook"])).toMatchObject(
    {
      code: 0,
      stdout: expect.stringContaining("3 of 3 tasks completed"),
    },
  );
});

it("refuses worktrees in a folder with a line break in its name; works there without them", async () => {
  const dir = join(project.dir, "two\nlines");
  mkdirSync(dir);
  withWork(dir);
  const tried = await project.run(["--cwd", dir, "run", "plan.md", "--worktrees"]);
  expect(tried).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/line break in its name.*--no-worktrees/s),
  });
  expect(await project.run(["--cwd", dir, "run", "plan.md"])).toMatchObject({ code: 0 });
});

it("continues with its work when its output cannot be written, and says so", async () => {
  project.write({ "plan.md": "# Goal\n\n## A\n```sh\necho made > made.txt\n```\n" });
  const { command, args, env, cwd } = project.command([]);
  const into = (line: string, ...more: string[]) =>
    promisify(execFile)("/bin/sh", ["-c", `exec "$0" "$@" ${line}`, command, ...args, ...more], { env, cwd });
  const { stderr } = await into("> /dev/full", "run", "plan.md", "--json");
  expect(stderr).toMatch(/^ekiden: stdout cannot be written: no space is left\. The work continues/m);
  expect(stderr).not.toContain("fault of ekiden");
  expect(existsSync(join(project.dir, "made.txt"))).toBe(true);
  await project.run(["add", "B", "--description", "```sh\necho more > more.txt\n```"]);
  await into("> /dev/full", "resume", "--json", "--model", "runbook");
  expect(existsSync(join(project.dir, "more.txt"))).toBe(true);
  await expect(into("> /dev/full", "tasks")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^ekiden: stdout cannot be written: no space is left\. Redirect .*\n$/),
  });
});

bubblewrapOrSkip(it)(
  "can be started by confined commands where it stands below the temporary folder",
  async () => {
    const program = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-copy-")));
    onTestFinished(() => takeAway(program));
    cpSync(join(ROOT, "dist"), join(program, "dist"), { recursive: true });
    cpSync(join(ROOT, "package.json"), join(program, "package.json"));
    symlinkSync(join(ROOT, "node_modules"), join(program, "node_modules"));
    const copy = join(program, "dist", "main.js");
    const line = `'${process.execPath}' '${copy}' --version > version.txt; cat "$(cat where.txt)" > name.txt`;
    project.write({
      "where.txt": join(program, "package.json"),
      "plan.md": `# Goal\n\n## A\n\`\`\`sh\n${line}\n\`\`\`\n`,
    });
    const { env } = project.command([]);
    const args = [copy, "--cwd", project.dir, "run", "plan.md"];
    const sandboxed = { ...env, EKIDEN_SANDBOX: "required" };
    await promisify(execFile)(process.execPath, args, { cwd: project.dir, env: sandboxed });
    expect(readFileSync(join(project.dir, "version.txt"), "utf8")).toMatch(/^\d+\.\d+\.\d+/);
    expect(readFileSync(join(project.dir, "name.txt"), "utf8")).toContain('"ekiden"');
  },
);

it("names a folder that is closed", async () => {
  // The rights of a folder do not bind root, whom the system refuses elsewhere.
  const folder = process.getuid?.() === 0 ? "/sys" : join(project.dir, "closed");
  if (folder !== "/sys") mkdirSync(folder, { mode: 0o500 });
  for (const args of [["init"], ["add", "One"]])
    await refused(
      ["--cwd", folder, ...args],
      /\.ekiden: (permission denied|not permitted by the system|the file system is read-only)/,
    );
});

it("says how a team with unfinished work is deleted", async () => {
  await project.run(["add", "One"]);
  await refused(["teams", "delete", "default"], /unfinished task.*: ekiden teams delete default --force\./);
  expect((await project.run(["teams", "delete", "default", "--force"])).code).toBe(0);
});

it("refuses to run a team whose store commands of members could write, and makes nothing there", async () => {
  project.write({ "plan.md": "# Goal\n\n## One\n```sh\ntrue\n```\n" });
  const outside = mkdtempSync(join(tmpdir(), "ekiden-store-"));
  onTestFinished(() => takeAway(outside));
  symlinkSync(project.dir, join(outside, "link"));
  symlinkSync(outside, join(project.dir, "there"));
  for (const store of [
    "sqlite:data/team.db",
    "team.db",
    join(outside, "link", "team.db"),
    "there/team.db",
    ".ekiden/worktrees/a/team.db",
  ]) {
    const { code, stderr } = await project.run(["run", "plan.md", "--store", store]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/is in the project, where commands of members/),
    ]);
  }
  expect(existsSync(join(project.dir, "data"))).toBe(false);
  expect(existsSync(join(project.dir, "team.db"))).toBe(false);
  for (const store of [".ekiden/other.db", join(outside, "team.db")])
    expect(await project.run(["run", "plan.md", "--store", store])).toMatchObject({ code: 0 });
});
