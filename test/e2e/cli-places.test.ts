/** Files and folders that cannot be written or are something else: a fault of the line, told at once with the path. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Project } from "./cli-program.ts";

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
