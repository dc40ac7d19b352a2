/** Orders of the person that steer a team at work, from another process that only knows the store. */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { isAlive } from "../../../src/adapters/process-table.ts";
import { LEAD, PERSON } from "../../../src/core/ids.ts";
import { give } from "../../../src/team/actions/order.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { pidsIn } from "../../fixtures/pids.ts";
import { project } from "../../fixtures/project.ts";
import { type Placed, projectOn } from "../../fixtures/project-on.ts";
import { proxyTo } from "../../fixtures/proxy.ts";
import { soon } from "../../fixtures/soon.ts";
import { BACKENDS, dropSchema, name } from "../../fixtures/stage.ts";
import { ended, type Project } from "../cli-program.ts";

describe.each(sampled(BACKENDS, 2))("orders that steer a team on %s", (backend) => {
  let placed: Project;
  let env: Record<string, string> = {};
  let store: Placed["store"];
  beforeEach(() => {
    ({ project: placed, env, store } = projectOn(backend));
    env = { ...env, EKIDEN_SANDBOX: "off" };
  });
  const script = "echo $$ >> pids\nwhile [ ! -e go ]; do sleep 0.05; done";
  const pids = (): number[] => pidsIn(join(placed.dir, "pids"));
  const said = async (...args: string[]): Promise<string> =>
    ((r) => `${r.code} ${r.stdout}${r.stderr}`)(await placed.run(args, { env }));
  const start = (...args: string[]): ChildProcess => {
    const child = placed.start(args, env);
    const over = ended(child);
    onTestFinished(async () => {
      child.kill("SIGCONT");
      child.kill("SIGKILL");
      await over;
    });
    return child;
  };
  const run = async (): Promise<ChildProcess> => {
    placed.write({ "long.md": `# Goal\n\n## Long\n\`\`\`sh\n${script}\n\`\`\`\n` });
    const child = start("run", "long.md", "--teammates", "1");
    await soon(() => expect(pids()).toHaveLength(1));
    return child;
  };
  const ownerOf = async (): Promise<string> => {
    const [task] = await (await store()).board.tasks();
    return task && "owner" in task ? String(task.owner) : "";
  };

  it("changes mode, effort and budget, and each order is a fact with its author", async () => {
    await run();
    expect(await said("mode", "plan")).toBe("0 mode plan: no file is edited\n");
    expect(await said("effort", "high")).toBe("0 the team thinks with effort high from the next call on\n");
    expect(await said("mode", "yolo")).toMatch(/^2 .*"yolo" is not a permission mode\. Modes: plan, default/);
    expect(await said("model", "no-such/model")).toMatch(/^3 .*"no-such\/model" is not a model/);
    expect(await said("interrupt", "bob")).toMatch(/^2 .*No member "bob" in team "default"/);
    const { journal } = await store();
    const types = ["order.given", "mode.changed", "effort.changed"] as const;
    const { events } = await journal.read(journal.from(0), { types });
    expect(events).toMatchObject([
      { type: "order.given", what: { kind: "mode", mode: "plan" }, by: PERSON },
      { type: "mode.changed", mode: "plan", by: PERSON },
      { type: "order.given", what: { kind: "effort", effort: "high" }, by: PERSON },
      { type: "effort.changed", effort: "high", by: PERSON },
      { type: "order.given", what: { kind: "model", model: "no-such/model" } },
    ]);
    expect(await said("log")).toMatch(/person +orders: mode plan/);
    await expect(give(await store(), LEAD, { kind: "mode", mode: "bypass" })).rejects.toMatchObject({
      code: "not_permitted",
    });
  });

  it("adds a teammate to a team at work, which takes a task", async () => {
    await run();
    const { board, roster } = await store();
    expect(await said("spawn", "zoe:tester")).toBe("0 zoe has joined and takes ready tasks\n");
    await board.addAll([{ subject: "Short", description: "```sh\ntrue\n```", role: "tester" }], PERSON);
    await soon(async () =>
      expect((await board.tasks()).at(-1)).toMatchObject({ status: "completed", owner: "zoe" }),
    );
    expect((await roster.members()).map(({ name }) => name)).toEqual(expect.arrayContaining(["lead", "zoe"]));
    expect(await said("spawn", "zoe")).toMatch(/^2 .*There is a member "zoe"/);
    expect(await said("spawn", "eve@nothing")).toMatch(/^3 .*names no agent program\. Known: claude/);
  });

  it("interrupts a member of the run and of a worker, which keeps its task", async () => {
    await run();
    const owner = await ownerOf();
    expect(await said("interrupt", owner)).toBe(
      `0 ${owner} was interrupted: it waits for a message (ekiden send ${owner} TEXT) and keeps what it has\n`,
    );
    await soon(() => expect(pids().filter(isAlive)).toEqual([]));
    expect(await ownerOf()).toBe(owner);
  });

  it("interrupts a member of a worker", async () => {
    await (await store({ access: "make" })).board.addAll(
      [{ subject: "Long", description: `\`\`\`sh\n${script}\n\`\`\`\n` }],
      PERSON,
    );
    start("worker", "--model", "runbook", "--allow", "bash", "--as", "far");
    await soon(() => expect(pids()).toHaveLength(1));
    expect(await said("interrupt", await ownerOf())).toMatch(/^0 far[\w-]* was interrupted/);
    await soon(() => expect(pids().filter(isAlive)).toEqual([]));
  });

  it("stop names a process that stands still when its lease is over, once for all members", async () => {
    env = { ...env, EKIDEN_LEASE_MS: "3000", EKIDEN_SHUTDOWN_DEADLINE_MS: "60000" };
    placed.write({
      "many.md": `# Goal\n\n${[1, 2, 3].map((n) => `## Long ${n}\n\`\`\`sh\n${script}\n\`\`\`\n`).join("\n")}`,
    });
    const child = start("run", "many.md", "--teammates", "3");
    await soon(() => expect(pids()).toHaveLength(3));
    child.kill("SIGSTOP");
    const began = performance.now();
    const text = await said("stop");
    expect(text).toMatch(/^1 /);
    expect(text.match(/cannot stop: process \d+ on \S+ stands still\. To end it: kill -9/g)?.length).toBe(4);
    expect(performance.now() - began).toBeLessThan(20_000);
    // Later, too, though its lease is over.
    expect(await said("stop", "lead")).toMatch(/^1 lead: cannot stop: process \d+ on \S+ stands still/);
    expect(await said("team")).toMatch(/process \d+ stands still/);
    child.kill("SIGKILL");
    await soon(async () => expect(await said("stop")).toMatch(/^0 .*is not running/s));
  });

  it("says that nobody can obey: no process, one that stands still, one that was killed", async () => {
    await (await store({ access: "make" })).board.counts();
    expect(await said("mode", "plan")).toMatch(
      /^2 .*No process runs team "default"\. Start it: ekiden resume/,
    );
    const child = await run();
    start("worker", "--model", "runbook", "--as", "far");
    await soon(async () => expect(await (await store()).roster.member(name("far"))).not.toBeNull());
    child.kill("SIGSTOP");
    // No other process answers for the member of that one, nor for its lead.
    expect(await said("interrupt", await ownerOf())).toMatch(
      /^2 .*does not answer, and will ignore the order/,
    );
    expect(await said("mode", "plan")).toMatch(/^2 .*does not answer, and will ignore the order/);
    // What it hears too late it leaves.
    child.kill("SIGCONT");
    expect(await said("mode", "accept-edits")).toMatch(/^0 mode accept-edits/);
    const { journal } = await store();
    const { events } = await journal.read(journal.from(0), { types: ["mode.changed"] });
    expect(events).toMatchObject([{ mode: "accept-edits" }]);
    child.kill("SIGKILL");
    // Without the process of the lead another one answers for all.
    await soon(async () => expect(await said("mode", "default")).toMatch(/^0 mode default/));
    await soon(async () =>
      expect(await said("interrupt", "lead")).toMatch(/^2 .*lead does not run in any process/),
    );
  });
});

it("stop ends the process of a team on this machine by a signal where the store is away", async () => {
  const between = await proxyTo(inject("postgresUrl"));
  const url = new URL(between.url);
  const schema = `team_${randomBytes(6).toString("hex")}`;
  url.searchParams.set("schema", schema);
  const place = project();
  onTestFinished(async () => {
    await between.close();
    await dropSchema(inject("postgresUrl"), schema);
  });
  const env = { EKIDEN_STORE: url.href, EKIDEN_SANDBOX: "off" };
  place.write({ "long.md": "# Goal\n\n## Long\n```sh\ntouch began\nsleep 600\n```\n" });
  const child = place.start(["run", "long.md"], env);
  const over = ended(child);
  await soon(() => expect(existsSync(join(place.dir, "began"))).toBe(true));
  between.down();
  expect(await place.run(["stop", "bob"], { env })).toMatchObject({ code: 5 });
  const { code, stderr } = await place.run(["stop"], { env });
  expect([code, stderr]).toEqual([0, expect.stringContaining(`process ${child.pid} of the team here`)]);
  expect((await over).code).toBe(130);
  between.up();
  expect(await place.run(["stop"], { env })).toMatchObject({
    stderr: expect.stringContaining("lead: is not running"),
  });
});

it("a run and a worker end with the reason when the file of their store is taken away", async () => {
  const place = project();
  const env = { EKIDEN_SANDBOX: "off" };
  place.write({ "long.md": "# Goal\n\n## Long\n```sh\ntouch began\nsleep 600\n```\n" });
  const child = place.start(["run", "long.md"], env);
  const over = ended(child);
  await soon(() => expect(existsSync(join(place.dir, "began"))).toBe(true));
  const worker = place.start(["worker", "--model", "runbook", "--as", "far"], env);
  const left = ended(worker);
  await soon(async () =>
    expect(await (await place.store({ access: "use" })).roster.member(name("far"))).not.toBeNull(),
  );
  renameSync(join(place.dir, ".ekiden"), join(place.dir, "gone"));
  for (const end of [await over, await left])
    expect([end.code, end.stderr]).toEqual([
      5,
      expect.stringMatching(/was deleted while this process used it/),
    ]);
});
