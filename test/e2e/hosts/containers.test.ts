/** The program as the first process of a container: process ids of its own, a /proc that shows only them, and folders that others share. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampled } from "../../fixtures/fuzz.ts";
import { project } from "../../fixtures/project.ts";
import { soon } from "../../fixtures/soon.ts";
import { type Ended, ended, type Project } from "../cli-program.ts";

const CONTAINER = ["--pid", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"];
const canContain = process.platform === "linux" && spawnSync("unshare", [...CONTAINER, "true"]).status === 0;
if (!canContain) process.stdout.write("containers.test.ts: skipped, which needs root and unshare.\n");

const LEASE = JSON.stringify({ leaseMs: 4_000 });

/** `foreign`: with the /proc of another namespace, as in a container that was made carelessly. */
function contained(
  place: Project,
  args: readonly string[],
  foreign = false,
): { child: ChildProcess; over: Promise<Ended> } {
  const { command, args: all, env, cwd } = place.command(args);
  const how = foreign ? CONTAINER.filter((word) => word !== "--mount-proc") : CONTAINER;
  const child = spawn("unshare", [...how, command, ...all], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  return { child, over: ended(child) };
}

const task = (name: string): string =>
  `## ${name}\n\`\`\`sh\necho "$EKIDEN_MEMBER" >> began-${name}\nuntil [ -e go-${name} ]; do sleep 0.05; done\necho ${name} >> done-${name}\n\`\`\`\n`;

describe.runIf(canContain)("in a container", () => {
  const there = (place: Project, name: string): Promise<void> =>
    soon(() => expect(existsSync(join(place.dir, name)), name).toBe(true));
  const go = (place: Project, name: string): void => writeFileSync(join(place.dir, `go-${name}`), "");
  const board = async (place: Project) =>
    (await place.json<{ tasks: { status: string; attempt: number }[] }>(["tasks"])).tasks;

  const tables = [
    ["its own /proc", false],
    ["the /proc of another one", true],
  ] as const;
  it.each(sampled(tables, 2))("a runbook is worked through, with %s", async (_, foreign) => {
    const place = project();
    place.write({ "plan.md": "# Goal\n\n## a\n```sh\necho a > a\n```\n\n## b\n```sh\necho b > b\n```\n" });
    const { code, stderr } = await contained(place, ["run", "plan.md"], foreign).over;
    expect(code, stderr).toBe(0);
    expect((await board(place)).map(({ status }) => status)).toEqual(["completed", "completed"]);
  });

  it("two of them share a folder: neither takes the other for dead, nor removes what it works with", async () => {
    const place = project();
    place.write({
      ".ekiden/settings.json": LEASE,
      "plan.md": `# Goal\n\n${task("a")}\n${task("b")}\n${task("c")}`,
    });
    const run = contained(place, ["run", "plan.md", "--teammates", "1"]);
    await there(place, "began-a");
    const worker = contained(place, ["worker", "--model", "runbook", "--count", "1"]);
    await there(place, "began-b");
    // One outside, which sees the processes of both under other ids.
    expect((await place.run(["ps"])).code).toBe(0);
    go(place, "a");
    // The commands of the first continue in its sandbox, after the second has looked for what dead processes have left.
    await there(place, "began-c");
    for (const name of ["b", "c"]) go(place, name);
    const over = await run.over;
    expect(over.code, over.stderr).toBe(0);
    expect((await board(place)).map(({ status, attempt }) => [status, attempt])).toEqual(
      ["a", "b", "c"].map(() => ["completed", 1]),
    );
    worker.child.kill("SIGTERM");
    for (const name of ["a", "b", "c"])
      expect(
        readFileSync(join(place.dir, `began-${name}`), "utf8")
          .trim()
          .split("\n"),
      ).toHaveLength(1);
  });

  it("one that is killed is followed when its lease is over: nothing of it runs, and no task stays in progress", async () => {
    const place = project();
    place.write({ ".ekiden/settings.json": LEASE, "plan.md": `# Goal\n\n${task("a")}` });
    const run = contained(place, ["run", "plan.md", "--teammates", "1"]);
    await there(place, "began-a");
    run.child.kill("SIGKILL");
    await run.over;
    const next = contained(place, ["resume"]);
    await soon(() =>
      expect(readFileSync(join(place.dir, "began-a"), "utf8").trim().split("\n")).toHaveLength(2),
    );
    go(place, "a");
    const over = await next.over;
    expect(over.code, over.stderr).toBe(0);
    expect(await board(place)).toMatchObject([{ status: "completed" }]);
    expect(readFileSync(join(place.dir, "done-a"), "utf8")).toBe("a\n");
  });
});
