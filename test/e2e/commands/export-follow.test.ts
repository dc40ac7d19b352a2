/** `ekiden export DIR --follow` as its user runs it: a process that writes the board while a team and commands change it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, it, onTestFinished } from "vitest";
import { proxyTo } from "../../fixtures/proxy.ts";
import { soon } from "../../fixtures/soon.ts";
import { dropSchema } from "../../fixtures/stage.ts";
import { collected, ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

const read = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(project.dir, ".tasks", name), "utf8"));
const RESUME = ["resume", "--model", "runbook", "--teammates", "2", "--permission-mode", "bypass"];

it("shows a board at work, and ends with 0 and a whole folder", async () => {
  await project.run(["add", "First", "-d", "```sh\necho first\n```"]);
  const follower = project.start(["export", ".", "--follow"]);
  const said = collected(follower);
  const over = ended(follower);
  await soon(() => expect(said.stderr()).toContain("on each change"));
  expect(read("task_1.json")).toMatchObject({ subject: "First", status: "pending" });
  expect((await project.run(RESUME)).code).toBe(0);
  await soon(() => expect(read("task_1.json")).toMatchObject({ status: "completed" }));
  await project.run(["add", "Second"]);
  follower.kill("SIGINT");
  expect((await over).code).toBe(0);
  expect(read("task_2.json")).toMatchObject({ subject: "Second" });
  expect(readdirSync(project.dir).filter((name) => name.startsWith(".export"))).toEqual([]);
  expect(existsSync(join(project.dir, "ekiden.json"))).toBe(false);
  expect(said.stderr()).not.toContain("written again");
});

it("waits for a PostgreSQL that is away, and ends with 0 also meanwhile", async () => {
  const schema = `follow_${process.pid}`;
  onTestFinished(() => dropSchema(inject("postgresUrl"), schema));
  const proxy = await proxyTo(inject("postgresUrl"));
  onTestFinished(() => proxy.close());
  const at = (address: string): string[] => {
    const url = new URL(address);
    url.searchParams.set("schema", schema);
    return ["--store", url.href];
  };
  const add = (subject: string) => project.run(["add", subject, ...at(inject("postgresUrl"))]);
  expect((await add("First")).code).toBe(0);
  const follower = project.start(["export", ".", "--follow", ...at(proxy.url)]);
  const said = collected(follower);
  const over = ended(follower);
  await soon(() => expect(said.stderr()).toContain("on each change"));
  proxy.down();
  await soon(() => expect(said.stderr()).toContain("The files are not updated"));
  await add("Second");
  expect(existsSync(join(project.dir, ".tasks/task_2.json"))).toBe(false);
  proxy.up();
  await soon(() => expect(read("task_2.json")).toMatchObject({ subject: "Second" }));
  expect(said.stderr()).toContain("The store is available again.");
  proxy.down();
  await soon(() => expect(said.stderr().match(/are not updated/g)).toHaveLength(2));
  follower.kill("SIGINT");
  expect((await over).code).toBe(0);
});

it("is named to who still has `sync`, as a command and as a setting", async () => {
  expect(await project.run(["sync", ".tasks"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("export"),
  });
  project.write({ ".ekiden/settings.json": JSON.stringify({ sync: ".tasks" }) });
  expect(await project.run(["tasks"])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/sync.*is gone.*export DIR --follow/),
  });
});
