/** Cron jobs end to end: over several processes, in a team, by the model's tools and by the command line. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../src/adapters/clock.ts";
import { LEAD, PERSON } from "../../../src/core/ids.ts";
import { cancelCron, listCrons, scheduleCron } from "../../../src/tools/team/schedule.ts";
import { type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";
import { BACKENDS, stage } from "../../fixtures/stage.ts";
import { Project } from "../cli-program.ts";

const START = Date.UTC(2026, 4, 1, 12, 0, 0);
const MINUTE = 60_000;

describe.each(BACKENDS)("several processes on %s", (backend) => {
  const at = stage(backend);
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "close");
    }
  });

  it("let each cron job fire once", async () => {
    const clock = new ManualClock(START);
    const store = await at.open({ clock });
    const target = { kind: "mail", to: LEAD } as const;
    for (const expression of ["* * * * *", "*/2 * * * *", "* 12 * * *"])
      await store.crons.add(
        { expression, zone: "UTC", text: expression, target, once: false, session: null },
        PERSON,
      );
    const script = resolve(import.meta.dirname, "../../fixtures/cron-owner.ts");
    const processes = Array.from({ length: 3 }, () => {
      const args = ["--import", "tsx", script, at.url, at.team, String(START + MINUTE)];
      const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
      children.push(child);
      child.stdin?.on("error", () => {}); // it may be ended before it hears
      const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
      return { child, line: async () => String((await lines.next()).value) };
    });
    await Promise.all(processes.map(({ line }) => line()));
    const wins = [0, 0, 0];
    for (let minute = 1; minute <= 20; minute += 1) {
      for (const { child } of processes) child.stdin?.write("go\n");
      const fired = await Promise.all(
        processes.map(async ({ line }) => JSON.parse(await line()) as number[]),
      );
      fired.forEach((ids, i) => {
        wins[i] = (wins[i] ?? 0) + ids.length;
      });
      expect(fired.flat().sort()).toEqual(minute % 2 === 0 ? [1, 2, 3] : [1, 3]);
    }
    const mail = await store.mail.box(LEAD, 1_000);
    expect(mail).toHaveLength(20 + 20 + 10);
    expect(wins.reduce((sum, n) => sum + n, 0)).toBe(50);
  });
});

describe("in a team", () => {
  let team: HostedTeam;
  let clock: ManualClock;
  beforeEach(() => {
    clock = new ManualClock(START + 30_000);
  });
  afterEach(() => team.close());
  const minutes = async (count: number): Promise<void> => {
    for (let i = 0; i < count * 12; i += 1) await clock.advance(5_000);
  };

  it("a cron job that a member sets wakes it at its time, once, and is gone", async () => {
    const set = { cron: "3 12 * * *", text: "Tea is ready.", once: true, time_zone: "UTC" };
    team = await hostedTeam({
      clock,
      tools: [scheduleCron, listCrons, cancelCron],
      settings: { idleTimeoutMs: Number.POSITIVE_INFINITY },
      says: {
        alice: [
          { when: "set it", calls: [{ tool: "schedule_cron", input: set }] },
          { when: "next at 2026-05-01 12:03 (UTC)", calls: [{ tool: "list_crons" }] },
          { when: "c1 (3 12 * * *; once, this session)", text: "Set." },
          { when: "Tea is ready.", text: "I pour." },
        ],
      },
    });
    await team.join("alice", { prompt: "set it" });
    await team.until("teammate.phase", { who: "alice", phase: "idle" });
    await minutes(2);
    expect(await team.events("cron.fired")).toEqual([]);
    await minutes(1);
    await team.until("cron.fired", { cron: 1, to: "alice", late: false });
    await team.until("turn.taken", { text: "I pour." });
    expect(await team.store.crons.list()).toEqual([]);
    await minutes(3);
    expect(await team.events("cron.fired")).toHaveLength(1);
    team.models.get("alice")?.finish();
  });

  it("what was missed while nobody ran goes off at the next start, marked as late", async () => {
    team = await hostedTeam({ clock });
    const alarm = { zone: "UTC", text: "Nightly check", target: { kind: "task" }, once: false } as const;
    await team.store.crons.add({ ...alarm, expression: "*/10 * * * *", session: null }, PERSON);
    await team.team.suspend();
    await clock.advance(45 * MINUTE);
    const again = await hostedTeam({ clock, folder: team.folder, host: "later" });
    await again.until("cron.fired", { cron: 1, task: 1, late: true });
    expect(await again.store.board.tasks()).toMatchObject([
      {
        subject: "Nightly check",
        description: expect.stringContaining("late: it was due at 2026-05-01 12:10 (UTC)"),
      },
    ]);
    await again.close();
  });

  it("a member cancels its own cron jobs, and not those of others", async () => {
    team = await hostedTeam({
      clock,
      tools: [cancelCron],
      says: {
        alice: [
          { calls: [{ tool: "cancel_cron", input: { id: "c1" } }] },
          { when: "was set by person", calls: [{ tool: "cancel_cron", input: { id: "c2" } }] },
          { when: "c2 is cancelled", text: "ok" },
        ],
      },
    });
    const alarm = { zone: "UTC", text: "x", target: { kind: "mail", to: LEAD }, once: false } as const;
    const add = (by: string) =>
      team.store.crons.add({ ...alarm, expression: "0 0 1 1 *", session: null }, by as typeof PERSON);
    await add("person");
    await add("alice");
    await team.join("alice", { prompt: "go" });
    await team.until("teammate.phase", { who: "alice", phase: "idle" });
    expect((await team.store.crons.list()).map((one) => one.id)).toEqual([1]);
    team.models.get("alice")?.finish();
  });
});

describe("ekiden cron", () => {
  let project: Project;
  beforeEach(() => {
    project = new Project();
  });
  afterEach(() => project.end());

  it("adds, lists and cancels", async () => {
    const added = await project.run([
      "cron",
      "add",
      "30 9 * * mon-fri",
      "Look",
      "at it",
      "--zone",
      "Europe/Berlin",
    ]);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(
      /^c1 \(30 9 \* \* mon-fri\) next at \d{4}-\d\d-\d\d 09:30 \(Europe\/Berlin\) → lead: Look at it\n$/,
    );
    await project.run(["cron", "add", ..."0 0 29 2 *".split(" "), "Leap", "--task", "--once"]);
    const { crons } = await project.json<{ crons: unknown[] }>(["cron", "list"]);
    expect(crons).toMatchObject([
      { id: 1, by: "person", target: { kind: "mail", to: "lead" }, session: null, once: false },
      { id: 2, expression: "0 0 29 2 *", target: { kind: "task" }, once: true },
    ]);
    expect((await project.run(["cron"])).stdout).toContain("Look at it");
    expect(await project.run(["cron", "cancel", "c1"])).toMatchObject({
      code: 0,
      stderr: "c1 is cancelled.\n",
    });
    expect(await project.run(["cron", "cancel", "c1"])).toMatchObject({
      code: 2,
      stderr: "ekiden: There is no cron c1. There are: c2.\n",
    });
  });

  it("refuses what it cannot do before it makes anything", async () => {
    for (const [args, message] of [
      [["add", "61 * * * *", "x"], /minute.*0-59/],
      [["add", "* * * *", "x"], /has 4 fields/],
      [["add", "* * * * *"], /empty/],
      [["add", "* * * * *", "x", "--zone", "Mars"], /"Mars" is not a time zone/],
      [["add", "* * * * *", "x", "--zone", "UTC", "--to", "a", "--task"], /not both/],
      [["cancel"], /is not a command/],
      [["remove", "c1"], /is not a command/],
    ] as const) {
      const run = await project.run(["cron", ...args]);
      expect(run.stderr).toMatch(message);
      expect(run.code).toBe(2);
    }
    expect((await project.run(["cron"])).stderr).toMatch(/no team here yet/);
  });
});
