/** Background commands with real shells: how their end is told, what ends them, and what becomes of them when their owner dies. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock, systemClock } from "../../../src/adapters/clock.ts";
import { JobHost } from "../../../src/adapters/jobs/index.ts";
import { scripted } from "../../../src/adapters/models/scripted.ts";
import { createShell } from "../../../src/adapters/shell/index.ts";
import type { Seat } from "../../../src/core/board/member.ts";
import { asJobId, asTaskId, type JobId, LEAD, PERSON } from "../../../src/core/ids.ts";
import type { Clock, Shell, Store, Tool, ToolContext } from "../../../src/ports/index.ts";
import { readMail } from "../../../src/runtime/turn/turn.ts";
import { checkBackground, stopBackground } from "../../../src/tools/background.ts";
import { bash } from "../../../src/tools/bash.ts";
import { type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";
import { agentOf } from "../../fixtures/member.ts";
import { name, stage } from "../../fixtures/stage.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const at = stage("sqlite");
const alice = name("alice");
let folder: string;
let shell: Shell;
let store: Store;
let seat: Seat;
let jobs: JobHost;
const children: ChildProcess[] = [];

const hosting = (clock: Clock): JobHost =>
  new JobHost({ store, shell, clock, machine: "box", outputDir: join(folder, "output") });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ekiden-jobs-"));
  shell = createShell({ outputDir: join(folder, "output"), graceMs: 500 });
  const crew = await at.crew(["alice", "bob"], { clock: systemClock });
  store = crew.store;
  seat = crew.seats[0] as Seat;
  jobs = hosting(systemClock);
});
afterEach(async () => {
  await jobs.close();
  await shell.close();
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "close");
  }
  takeAway(folder);
});

/** Mail of these kinds to a member, as soon as there are `count`. */
async function mail(count = 1, to = alice, kinds = ["job_done", "note"]) {
  for (;;) {
    const mark = store.wake.mark();
    const found = (await store.mail.box(to)).filter(({ body }) => kinds.includes(body.kind));
    if (found.length >= count) return found.map(({ body }) => body);
    await store.wake.changed(mark, [`mail:${to}`], 5_000);
  }
}

const context = (more: Partial<ToolContext> = {}): ToolContext => ({
  self: seat.name,
  kind: "teammate",
  seat,
  store,
  clock: systemClock,
  shell,
  workspace: folder,
  readable: [],
  signal: new AbortController().signal,
  currentTask: () => store.board.mine(seat.name),
  waitingFor: () => Promise.resolve(() => Promise.resolve()),
  rest: () => {},
  answer: (text) => ({ kind: "heard", text }),
  team: { spawn: async () => {}, askToStop: async () => {} },
  jobs,
  ...more,
});
const call = (tool: Tool, input: unknown, more?: Partial<ToolContext>): Promise<string> =>
  tool.run(tool.input().parse(input), context(more));

/** A process that nobody has waited for yet is dead all the same. */
const isAlive = (pid: number | null): boolean => {
  try {
    process.kill(pid ?? 0, 0);
    const stat = existsSync("/proc") ? readFileSync(`/proc/${pid}/stat`, "latin1") : "";
    return !/\) Z /.test(stat);
  } catch {
    return false;
  }
};
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((done) => setTimeout(done, 5));
}

describe("a background command", () => {
  it("continues while its member does, and its end arrives as mail, once", async () => {
    const gate = join(folder, "gate");
    const text = await call(bash, {
      command: `echo began; until [ -e ${gate} ]; do sleep 0.02; done; echo over`,
      run_in_background: true,
    });
    expect(text).toMatch(/^Started j1, process group \d+\./);
    expect(await store.jobs.list(alice)).toMatchObject([
      { id: 1, state: "running", owner: alice, machine: "box" },
    ]);
    await call(bash, { command: `touch ${gate}` });
    const [done] = await mail();
    expect(done).toMatchObject({ kind: "job_done", job: "j1", isError: false });
    expect(done).toMatchObject({ text: expect.stringMatching(/^Exit code 0\.[\s\S]*began\nover$/) });
    expect(await store.jobs.job(asJobId(1))).toMatchObject({ state: "done", exitCode: 0 });
    await jobs.reap();
    expect(await mail()).toHaveLength(1);
  });

  it("that fails is a failure, delivered once, with its whole output in a file", async () => {
    const job = await jobs.start(seat, "seq 20000; echo bad >&2; exit 3", folder);
    const [done] = await mail();
    expect(done).toMatchObject({ isError: true, text: expect.stringContaining("Exit code 3.") });
    expect(done).toMatchObject({ text: expect.stringMatching(/20000\nbad$/) });
    expect(JSON.stringify(done).length).toBeLessThan(3_000);
    expect(readFileSync(job.outputPath, "utf8").split("\n")).toHaveLength(20_002);
    expect(await store.jobs.job(job.id)).toMatchObject({ state: "failed", exitCode: 3 });
  });

  it("that cannot start is told at once, and not by mail", async () => {
    await expect(jobs.start(seat, "true", join(folder, "nowhere"))).rejects.toThrow("does not exist");
    expect(await store.mail.box(alice)).toEqual([]);
    expect(await store.jobs.running(null)).toBe(0);
  });

  it("can be looked at while it runs, by id or in a list", async () => {
    await jobs.start(seat, "echo first; exec sleep 60", folder);
    await until(async () => (await jobs.look(asJobId(1), 100)).tail !== "");
    expect(await call(checkBackground, { id: "j1" })).toMatch(
      /^j1: running, \d+ s: echo first; exec sleep 60\nOutput from .*:\nfirst$/,
    );
    expect(await call(checkBackground, {})).toMatch(/^j1: running/);
    expect(await call(checkBackground, {}, { self: name("bob") })).toBe("No background jobs.");
    expect(await call(checkBackground, {}, { self: LEAD, kind: "lead" })).toMatch(/^j1 of alice: running/);
    await expect(call(checkBackground, { id: "j7" })).rejects.toThrow("There is no background job j7");
    await expect(call(checkBackground, { id: "seven" })).rejects.toThrow("not the id of a job");
  });

  it("is ended with all it started by its owner or the lead, and by nobody else", async () => {
    const { pid } = await jobs.start(seat, "sleep 60 & setsid sleep 60 & sleep 60", folder);
    await expect(call(stopBackground, { id: "j1" }, { self: name("bob") })).rejects.toThrow("j1 is alice's");
    expect(await call(stopBackground, { id: "j1" })).toBe("j1 is stopped, with all its processes.");
    expect(isAlive(pid)).toBe(false);
    expect((await jobs.look(asJobId(1), 1)).alive).toBe(false);
    expect(await store.jobs.job(asJobId(1))).toMatchObject({ state: "stopped" });
    expect(await store.mail.box(alice)).toEqual([]); // it knows
    await jobs.start(seat, "sleep 60", folder);
    await call(stopBackground, { id: "2" }, { self: LEAD, kind: "lead" });
    expect(await mail()).toMatchObject([{ job: "j2", text: expect.stringContaining("lead stopped it.") }]);
    expect(await call(stopBackground, { id: "j2" })).toContain("stopped");
  });

  it("ends when its member leaves, others' do not", async () => {
    const mine = await jobs.start(seat, "sleep 60", folder);
    const bobs = await jobs.start({ name: name("bob"), host: seat.host }, "sleep 60", folder);
    await jobs.endAll(alice);
    expect([isAlive(mine.pid), isAlive(bobs.pid)]).toEqual([false, true]);
    expect(await store.mail.box(alice)).toEqual([]);
  });

  it("ends when an order takes its task, before the next owner may begin; others' do not", async () => {
    await store.board.addAll([{ subject: "Paint" }, { subject: "Dry" }], LEAD);
    const agent = agentOf(store, seat, systemClock, scripted([]), { jobs });
    await store.board.claimNext(seat);
    const command = "trap '' TERM; while :; do sleep 0.05; done";
    await call(bash, { command, run_in_background: true });
    const [job] = await store.jobs.list(alice);
    await store.board.complete({ seat, task: asTaskId(1), attempt: 1 }, "painted");
    await store.board.claimNext(seat);
    await call(bash, { command, run_in_background: true });
    await store.board.assign(asTaskId(2), name("bob"), PERSON);
    const reading = readMail(agent);
    await until(async () => !(await store.board.hasOtherHands(asTaskId(2), name("bob"))));
    const [server, ended] = await store.jobs.list(alice);
    expect([server?.state, ended?.state]).toEqual(["running", "stopped"]);
    expect([isAlive(server?.pid ?? 0), isAlive(ended?.pid ?? 0)]).toEqual([true, false]);
    await reading;
    expect(await mail(1, alice, ["claim_taken"])).toHaveLength(1);
    expect(job?.id).toBe(server?.id);
  });

  it("ends with its process, and its owner is told for when it comes back", async () => {
    const { pid } = await jobs.start(seat, "sleep 60", folder);
    await jobs.close();
    expect(isAlive(pid)).toBe(false);
    expect(await mail()).toMatchObject([{ isError: true, text: expect.stringContaining("Start it again") }]);
    await expect(jobs.start(seat, "true", folder)).rejects.toThrow("The team is stopping");
  });

  it("cannot be one of too many", async () => {
    for (let i = 0; i < 16; i += 1) await jobs.start(seat, "exec sleep 60", folder);
    await expect(jobs.start(seat, "true", folder)).rejects.toThrow("You have 16 background commands running");
  });
});

describe("a silent command", () => {
  let clock: ManualClock;
  beforeEach(() => {
    clock = new ManualClock();
    jobs = hosting(clock);
  });
  /** In the steps in which the watcher looks: it must have looked and be asleep again before the next. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 15_000) {
      await until(() => clock.sleeping > 0);
      await clock.advance(15_000);
    }
  }
  const printed = (id: JobId) => until(async () => (await jobs.look(id, 100)).totalBytes > 0);

  it("that asks somebody is noticed after 45 s, once", async () => {
    const { id } = await jobs.start(seat, "printf 'Overwrite it? [y/N] '; exec sleep 60", folder);
    await printed(id);
    await pass(45_000);
    expect(await store.mail.box(alice)).toEqual([]); // silent for 30 s at the third look
    await pass(15_000);
    const [note] = await mail();
    expect(note).toMatchObject({ text: expect.stringContaining("Its last line: Overwrite it? [y/N]\n") });
    await pass(300_000);
    expect(await mail()).toHaveLength(1);
  });

  it("that asks nobody is left alone for ten minutes, and then asked after", async () => {
    const { id } = await jobs.start(seat, "echo listening on 3000; exec sleep 60", folder);
    await printed(id);
    await pass(585_000);
    expect(await store.mail.box(alice)).toEqual([]);
    await pass(30_000);
    expect(await mail()).toMatchObject([{ text: expect.stringContaining("printed nothing for 10 minutes") }]);
    expect(clock.sleeping).toBe(0); // nobody looks any more
  });
});

describe("when the process that started it is killed", () => {
  async function owned(command: string): Promise<{ child: ChildProcess; id: JobId; pid: number }> {
    await store.roster.leave(seat, "asked", ""); // the name is the other process's now
    const script = resolve(import.meta.dirname, "../../fixtures/job-owner.ts");
    const args = ["--import", "tsx", script, at.url, at.team, folder, command];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
    return { child, ...(JSON.parse(String(line)) as { id: JobId; pid: number }) };
  }
  async function kill(child: ChildProcess): Promise<void> {
    child.kill("SIGKILL");
    await once(child, "exit");
    await store.roster.reap(({ pid }) => isAlive(pid));
  }

  it("a command ends with it, and is reported as unknown, once; its output stays", async () => {
    const { child, id, pid } = await owned("echo begun; env -i setsid sleep 60 & exec sleep 60");
    await until(async () => (await jobs.look(id, 100)).tail !== "");
    await jobs.reap();
    expect(await store.jobs.job(id)).toMatchObject({ state: "running" }); // its owner lives
    await kill(child);
    await until(() => !isAlive(pid));
    await Promise.all([jobs.reap(), jobs.reap()]);
    const [lost, ...more] = await mail();
    expect(more).toEqual([]);
    expect(lost).toMatchObject({ isError: true, text: expect.stringContaining("exit code is unknown") });
    expect(await store.jobs.job(id)).toMatchObject({ state: "unknown" });
    expect(await jobs.look(id, 100)).toMatchObject({ tail: "begun\n", alive: false });
  });

  it("a command of another machine of the same name is not taken for one of this one", async () => {
    const { id } = await store.jobs.add(seat, {
      ...{ command: "make", machine: "box", outputPath: join(folder, "there.txt") },
    });
    expect(await jobs.look(id, 100)).toMatchObject({ tail: "", alive: null });
    await expect(jobs.stop(id, alice)).rejects.toThrow("only a process there can end it");
    expect(await store.jobs.job(id)).toMatchObject({ state: "running" });
  });
});

describe("a member whose command runs", () => {
  let team: HostedTeam;
  afterEach(() => team.close());
  const start = (command: string) => ({
    calls: [{ tool: "bash", input: { command, run_in_background: true } }],
  });

  it("rests with its task in hand, unreminded and unreplaced, until the mail wakes it", async () => {
    const clock = new ManualClock();
    const pass = async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 1_000) await clock.advance(1_000);
    };
    team = await hostedTeam({
      clock,
      settings: { idleTimeoutMs: 20_000, idlePollMs: 5_000 },
      says: {
        alice: [
          { when: "auto-claimed", ...start("until [ -e gate ]; do sleep 0.02; done; echo built") },
          { text: "Building." },
          { when: "built", calls: [{ tool: "complete_task", input: { result: "built" } }] },
          { text: "Done." },
        ],
      },
    });
    await team.store.board.add({ subject: "Build" }, LEAD);
    await team.join("alice");
    await team.until("teammate.phase", { who: "alice", phase: "idle" });
    await pass(100_000); // five times the idle timeout
    expect(await team.store.roster.member(alice)).toMatchObject({ activity: { phase: "idle" }, task: 1 });
    writeFileSync(join(team.folder, "gate"), "");
    await team.until("task.completed", { by: "alice", attempt: 1 });
    const stopped = team.until("teammate.phase", { who: "alice", phase: "shutdown", reason: "timeout" });
    await until(async () => {
      await pass(5_000);
      return (await team.store.roster.member(alice))?.activity.phase === "shutdown";
    });
    await stopped;
    team.models.get("alice")?.finish();
  });

  it("takes it along when it leaves, and the team ends it when it is suspended", async () => {
    team = await hostedTeam({
      says: {
        alice: [start("exec sleep 60"), { text: "ok" }],
        bob: [start("exec sleep 60"), { text: "ok" }],
      },
    });
    await team.join("alice", { prompt: "go" });
    await team.join("bob", { prompt: "go" });
    await team.until("teammate.phase", { who: "alice", phase: "idle" });
    await team.until("teammate.phase", { who: "bob", phase: "idle" });
    const [first, second] = await team.store.jobs.list(null);
    await team.team.askToStop(alice, "enough", LEAD);
    await team.until("job.ended", { who: "alice", state: "stopped" });
    const [alices, bobs] = first?.owner === "alice" ? [first, second] : [second, first];
    expect([isAlive(alices?.pid ?? null), isAlive(bobs?.pid ?? null)]).toEqual([false, true]);
    await team.team.suspend();
    expect(isAlive(bobs?.pid ?? null)).toBe(false);
    expect((await team.store.mail.box(name("bob"))).at(-1)?.body).toMatchObject({
      kind: "job_done",
      isError: true,
    });
  });
});
