/** The person's hooks with real shells: what they are told, what their exit codes do to calls, tasks and members at rest. */
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ManualClock, systemClock } from "../../../src/adapters/clock.ts";
import { createShell } from "../../../src/adapters/shell/index.ts";
import type { Seat } from "../../../src/core/board/member.ts";
import { HARNESS, LEAD, PERSON } from "../../../src/core/ids.ts";
import type { Hook, HookSettings } from "../../../src/core/project/hooks.ts";
import type { Shell, Store, Tool, ToolContext } from "../../../src/ports/index.ts";
import { permitted, type Wrap, wrapped } from "../../../src/runtime/agent/call.ts";
import { Hooks } from "../../../src/runtime/hooks/hooks.ts";
import { MemberHooks } from "../../../src/runtime/hooks/member-hooks.ts";
import { followNewTasks } from "../../../src/runtime/team/new-tasks.ts";
import { hookedCalls } from "../../../src/runtime/wraps/hooked-calls.ts";
import { defineTool } from "../../../src/tools/define.ts";
import { createTask } from "../../../src/tools/team/board.ts";
import { completeTask } from "../../../src/tools/team/claims.ts";
import { type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";
import { soon } from "../../fixtures/soon.ts";
import { host, name, profile, stage } from "../../fixtures/stage.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const at = stage("sqlite");
const alice = profile("alice", { role: "dev" });
let folder: string;
let shell: Shell;
let store: Store;
let seat: Seat;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ekiden-hooks-"));
  shell = createShell({
    outputDir: join(folder, "output"),
    graceMs: 200,
    env: { ...process.env, MY_API_KEY: "sk-1", EDITOR: "seen" },
  });
  const crew = await at.crew(["alice"], { role: "dev", clock: systemClock });
  store = crew.store;
  seat = crew.seats[0] as Seat;
});
afterEach(async () => {
  await shell.close();
  takeAway(folder);
});

const hook = (command: string, more: Partial<Hook> = {}): Hook => ({
  matcher: "",
  command,
  timeoutMs: 10_000,
  ...more,
});
const make = (hooks: HookSettings): Hooks => new Hooks({ hooks, shell, store, cwd: folder });
const never = new AbortController().signal;
const file = (path: string): string => readFileSync(join(folder, path), "utf8");
const warnings = async (): Promise<string[]> => {
  const { events } = await store.journal.read(store.journal.from(0), { types: ["warning.raised"] });
  return events.map((event) => (event.type === "warning.raised" ? event.text : ""));
};

const shout = defineTool({
  name: "shout",
  description: "shouts",
  access: "read",
  input: () => z.object({ text: z.string() }),
  run: async ({ text }) => text.toUpperCase(),
});
const context = (): ToolContext => ({
  self: seat.name,
  kind: "teammate",
  seat,
  store,
  clock: systemClock,
  shell,
  workspace: folder,
  readable: [],
  signal: never,
  currentTask: () => store.board.mine(seat.name),
  waitingFor: () => Promise.resolve(() => Promise.resolve()),
  rest: () => {},
  compact: () => {},
  answer: (text) => ({ kind: "heard", text }),
  team: { spawn: async () => {}, askToStop: async () => {} },
});
const call = (tool: Tool, input: unknown, ...wraps: Wrap[]): Promise<string> =>
  wrapped(wraps)({
    tool,
    input,
    access: tool.access,
    call: { type: "call", id: "1", tool: tool.name, input },
    ctx: context(),
  });

describe("a hook", () => {
  it("is told what happens on its stdin, runs in the project, and sees no secrets", async () => {
    const hooks = make({ PreToolUse: [hook("cat > told.json; env > env.txt")] });
    expect(await call(shout, { text: "a" }, hookedCalls(hooks, alice))).toBe("A");
    expect(JSON.parse(file("told.json"))).toMatchObject({
      event: "PreToolUse",
      hook_event_name: "PreToolUse",
      team: store.team,
      member: "alice",
      role: "dev",
      kind: "teammate",
      cwd: folder,
      tool: "shout",
      tool_name: "shout",
      input: { text: "a" },
      tool_input: { text: "a" },
    });
    expect(file("env.txt")).toContain("EDITOR=seen");
    expect(file("env.txt")).not.toContain("sk-1");
    expect(file("env.txt")).toContain(`EKIDEN_PROJECT_DIR=${folder}`);
  });

  it("blocks with 2, and its stderr alone is the reason", async () => {
    const hooks = make({
      PreToolUse: [hook("echo chatter; echo 'not on Fridays' >&2; exit 2"), hook("touch second")],
    });
    const refused = call(shout, { text: "a" }, hookedCalls(hooks, alice));
    await expect(refused).rejects.toMatchObject({
      code: "not_permitted",
      message: "A hook refuses this: not on Fridays",
    });
    expect(existsSync(join(folder, "second"))).toBe(false);
  });

  it("that fails otherwise, hangs or is broken is a warning, and work continues", async () => {
    const broken = [hook("echo oops >&2; exit 1"), hook("sleep 60", { timeoutMs: 100 }), hook("kill -9 $$")];
    const hooks = make({ PreToolUse: [...broken, hook("no-such-program")] });
    expect(await call(shout, { text: "a" }, hookedCalls(hooks, alice))).toBe("A");
    expect(await warnings()).toEqual([
      expect.stringMatching(/failed with exit code 1; .* It said: oops$/),
      expect.stringContaining("took longer than 0.1 s"),
      expect.stringContaining("stopped by a signal"),
      expect.stringContaining("exit code 127"),
    ]);
  });

  it("ends with the step it holds up", async () => {
    const control = new AbortController();
    const hooks = make({ PreToolUse: [hook("touch began; sleep 60")] });
    const running = hooks.run({
      event: "PreToolUse",
      subject: "x",
      who: alice,
      details: {},
      signal: control.signal,
    });
    while (!existsSync(join(folder, "began"))) await new Promise((done) => setTimeout(done, 5));
    control.abort(new Error("urgent"));
    await expect(running).rejects.toThrow("urgent");
  });

  it("has ended when its own process has, also when a child of it holds its pipes", async () => {
    const left = "sleep 300 & sleep 300 >/dev/null & echo 'not today' >&2; exit 2";
    const hooks = make({ PreToolUse: [hook(left, { timeoutMs: 60_000 })] });
    await expect(call(shout, { text: "a" }, hookedCalls(hooks, alice))).rejects.toThrow("not today");
    expect(await warnings()).toEqual([]);
  });

  it("that cannot be started refuses the call, because it may be a guard", async () => {
    const guard = { PreToolUse: [hook("exit 0")], PostToolUse: [hook("exit 0")] };
    const gone = new Hooks({ hooks: guard, shell, store, cwd: join(folder, "gone") });
    const refused = call(shout, { text: "a" }, hookedCalls(gone, alice));
    await expect(refused).rejects.toThrow(/could not be started: .*gone/);
    const after = make({ PostToolUse: guard.PostToolUse });
    expect(await call(shout, { text: "a" }, hookedCalls(after, alice))).toBe("A");
  });

  it("only runs where its matcher fits", async () => {
    const hooks = make({ PreToolUse: [hook("exit 2", { matcher: "bash|write_*" })] });
    expect(await call(shout, { text: "a" }, hookedCalls(hooks, alice))).toBe("A");
  });
});

describe("hooks around a call", () => {
  it("cannot override a deny, and are not even asked about what is denied", async () => {
    const hooks = make({ PreToolUse: [hook("touch asked; exit 0")] });
    const deny = permitted(() => ({ allowed: false, reason: "the rule shout is denied" }));
    await expect(call(shout, { text: "a" }, deny, hookedCalls(hooks, alice))).rejects.toThrow("is denied");
    expect(existsSync(join(folder, "asked"))).toBe(false);
    const allow = permitted(() => ({ allowed: true }));
    expect(await call(shout, { text: "a" }, allow, hookedCalls(hooks, alice))).toBe("A");
    expect(existsSync(join(folder, "asked"))).toBe(true);
  });

  it("see what came out and may add a word to it", async () => {
    const hooks = make({ PostToolUse: [hook("cat > told.json; echo 'too loud' >&2; exit 2")] });
    expect(await call(shout, { text: "a" }, hookedCalls(hooks, alice))).toBe(
      "A\n\n[A hook says about this shout: too loud]",
    );
    expect(JSON.parse(file("told.json"))).toMatchObject({ output: "A", tool_response: "A" });
  });

  it("say it by mail when the answer is in the transcript already", async () => {
    const hooks = make({ PostToolUse: [hook("echo 'well done' >&2; exit 2")] });
    const { id } = await store.board.add({ subject: "x" }, LEAD);
    await store.board.claim(seat, id);
    expect(await call(completeTask, { result: "r" }, hookedCalls(hooks, alice))).toBe("Completed #1.");
    const [mail] = await store.mail.unread(name("alice"));
    expect(mail).toMatchObject({
      from: HARNESS,
      body: { kind: "note", text: expect.stringContaining("well done") },
    });
  });
});

describe("hooks on tasks", () => {
  it("may keep one off the board", async () => {
    const hooks = make({ TaskCreated: [hook(`grep -q '"subject":"ok"' || { echo 'say ok' >&2; exit 2; }`)] });
    await expect(call(createTask, { subject: "bad" }, hookedCalls(hooks, alice))).rejects.toThrow("say ok");
    expect(await store.board.tasks()).toEqual([]);
    expect(await call(createTask, { subject: "ok" }, hookedCalls(hooks, alice))).toContain("Created #1");
  });

  it("hear of those that the person and cron jobs put there, and can only warn", async () => {
    const hooks = make({ TaskCreated: [hook("cat >> told.txt; echo objection >&2; exit 2")] });
    const control = new AbortController();
    const following = followNewTasks(hooks, store, host("here"), control.signal);
    await store.board.add({ subject: "by alice" }, name("alice"));
    await store.board.add({ subject: "by the person" }, PERSON);
    for (let mark = store.wake.mark(); (await warnings()).length === 0; mark = store.wake.mark())
      await store.wake.changed(mark, ["journal"], 1_000);
    control.abort();
    await following;
    expect(await warnings()).toEqual(["TaskCreated hooks: #2 of person is on the board, but: objection"]);
    expect(file("told.txt")).toContain("by the person");
    expect(file("told.txt")).not.toContain("by alice");
  });

  it("hear of those that a member's cron jobs put there", async () => {
    const clock = new ManualClock(Date.UTC(2026, 4, 1, 12, 0, 30));
    const timed = await at.open({ clock });
    const control = new AbortController();
    const hooks = make({ TaskCreated: [hook("cat >> told.txt")] });
    const following = followNewTasks(hooks, timed, host("here"), control.signal);
    const every = { expression: "* * * * *", zone: "UTC", once: true, session: null } as const;
    await timed.crons.add({ ...every, text: "by a cron", target: { kind: "task" } }, name("alice"));
    await clock.advance(60_000);
    await timed.crons.fire();
    await soon(() => expect(file("told.txt")).toContain("by a cron"));
    control.abort();
    await following;
  });

  it("refuse a completion three times with their evidence, also across restarts; then the task fails, and the lead is told why", async () => {
    const hooks = make({ TaskCompleted: [hook("cat > told.json; echo '2 tests fail' >&2; exit 2")] });
    const { id } = await store.board.add({ subject: "Make it green", description: "all of it" }, LEAD);
    const next = await store.board.add({ subject: "after", blockedBy: [id] }, LEAD);
    await store.board.claim(seat, id);
    for (let i = 0; i < 2; i += 1) {
      await expect(call(completeTask, { result: "done" }, hookedCalls(hooks, alice))).rejects.toThrow(
        "2 tests fail",
      );
      expect(await store.board.task(id)).toMatchObject({ status: "in_progress", owner: "alice", attempt: 1 });
    }
    expect(JSON.parse(file("told.json"))).toMatchObject({
      task: { id, subject: "Make it green", description: "all of it", attempt: 1 },
      result: "done",
    });
    await expect(call(completeTask, { result: "done" }, hookedCalls(hooks, alice))).rejects.toThrow(
      "#1 has failed",
    );
    expect(await store.board.task(id)).toMatchObject({
      status: "failed",
      reason: "Its completion was refused 3 times. The last time by a hook: 2 tests fail",
    });
    expect(await store.board.task(next.id)).toMatchObject({ status: "pending", openBlockers: 1 });
    const mail = await store.mail.box(LEAD);
    expect(mail.at(-1)?.body).toMatchObject({
      kind: "task_failed",
      reason: expect.stringContaining("2 tests fail"),
    });
  });

  it("count again for each attempt", async () => {
    const hooks = make({ TaskCompleted: [hook("[ -e pass ] || { echo no >&2; exit 2; }")] });
    const wrap = hookedCalls(hooks, alice);
    const { id } = await store.board.add({ subject: "x" }, LEAD);
    for (const attempt of [1, 2]) {
      const claim = await store.board.claim(seat, id);
      expect(claim).toMatchObject({ ok: true, task: { attempt } });
      for (let i = 0; i < 2; i += 1)
        await expect(call(completeTask, { result: "r" }, wrap)).rejects.toThrow("still in progress");
      if (attempt === 1) await store.board.release({ seat, task: id, attempt }, "given_back");
    }
    await shell.run("touch pass", { cwd: folder, signal: never, timeoutMs: 5_000 });
    expect(await call(completeTask, { result: "r" }, wrap)).toBe("Completed #1.");
  });
});

describe("hooks on a member's rest", () => {
  it("that always block end after three", async () => {
    const member = new MemberHooks(
      make({ Stop: [hook("cat >> told.txt; echo >> told.txt; echo more >&2; exit 2")] }),
      store,
      alice,
    );
    const stop = () => member.stop("no_tool_use", "I am done.", never);
    for (let i = 0; i < 3; i += 1)
      expect(await stop()).toBe('<reminder from="Stop hook">\nmore\n</reminder>');
    expect(await stop()).toBeNull();
    expect(await warnings()).toEqual([expect.stringContaining("3 times in a row; it is skipped this time")]);
    const told = file("told.txt")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(told.map((one) => one.stop_hook_active)).toEqual([false, true, true]);
    expect(told[0]).toMatchObject({ last_assistant_message: "I am done.", reason: "no_tool_use" });
    expect(await stop()).not.toBeNull(); // the next stint is another matter
  });

  it("are asked about a summary too, and may add to the prompt", async () => {
    const hooks = make({
      PreCompact: [hook("echo 'not now' >&2; exit 2", { matcher: "auto" })],
      SessionStart: [
        hook("echo 'Today is release day.'"),
        hook("exit 1"),
        hook("echo 'Be careful.'", { matcher: "resume" }),
      ],
    });
    const member = new MemberHooks(hooks, store, alice);
    expect(await member.compact("auto", never)).toBe("not now");
    expect(await member.compact("manual", never)).toBeNull();
    expect(await member.start("startup", never)).toBe("Today is release day.");
    expect(await member.start("resume", never)).toBe("Today is release day.\nBe careful.");
  });
});

it("a member does not wait for ever for the hooks at its start", async () => {
  const member = new MemberHooks(make({ SessionStart: [hook("sleep 60")] }), store, alice);
  expect(await member.start("startup", AbortSignal.timeout(50))).toBe("");
  expect(await warnings()).toEqual([expect.stringContaining("SessionStart hooks took too long")]);
});

it("what the person types may be added to or refused", async () => {
  const adds = make({ UserPromptSubmit: [hook("echo 'Branch: main'")] });
  expect(await adds.submit("Fix it", "lead", never)).toBe("Fix it\n\n[added by a hook]\nBranch: main");
  const refuses = make({
    UserPromptSubmit: [hook("grep -q secret && { echo 'no secrets' >&2; exit 2; }; exit 0")],
  });
  await expect(refuses.submit("my secret is 1", "lead", never)).rejects.toMatchObject({
    code: "not_permitted",
    message: expect.stringContaining("no secrets"),
  });
  expect(await refuses.submit("hello", "lead", never)).toBe("hello");
});

describe("in a team", () => {
  let team: HostedTeam;
  afterEach(() => team.close());

  it("a Stop hook sends a member back to work, three times at most", async () => {
    team = await hostedTeam({
      says: { alice: [{ text: "one" }, { text: "two" }, { text: "three" }, { text: "four" }] },
      hooks: { Stop: [hook("echo 'are you sure?' >&2; exit 2")] },
    });
    await team.join("alice", { prompt: "begin" });
    await team.until("teammate.phase", { who: "alice", phase: "idle" });
    const model = team.models.get("alice");
    expect(model?.requests).toHaveLength(4);
    expect(JSON.stringify(model?.requests.at(-1)?.messages.at(-1))).toContain("are you sure?");
    // one report and not one for each retry
    const reports = (await team.store.mail.box("lead" as never)).filter(({ body }) => body.kind === "result");
    expect(reports.map(({ body }) => "text" in body && body.text)).toEqual(["four"]);
    model?.finish();
  });

  it("urgent mail ends a Stop hook that takes its time, and is read next", async () => {
    team = await hostedTeam({
      says: { alice: [{ text: "one" }, { when: "look here", text: "two" }] },
      hooks: { Stop: [hook("[ -e began ] || { touch began; sleep 600; }")] },
    });
    await team.join("alice", { prompt: "begin" });
    await soon(() => expect(existsSync(join(team.folder, "began"))).toBe(true));
    const body = { kind: "note", text: "look here" } as const;
    await team.store.mail.send(PERSON, { to: alice.name, body, urgent: true });
    await team.until("turn.taken", { who: "alice", text: "two" });
    expect(await team.store.roster.member(alice.name)).not.toMatchObject({ activity: { phase: "shutdown" } });
    team.models.get("alice")?.finish();
  });

  it("a TeammateIdle hook finds work for a teammate that has none", async () => {
    team = await hostedTeam({
      says: { alice: [{ when: "tidy up", text: "tidied" }] },
      hooks: { TeammateIdle: [hook("[ -e tidied ] && exit 0; touch tidied; echo 'tidy up' >&2; exit 2")] },
    });
    await team.join("alice");
    await team.until("teammate.phase", { who: "alice", phase: "idle" });
    team.models.get("alice")?.finish();
  });

  it("a TaskCompleted hook holds up what waits for the task until the evidence is good", async () => {
    team = await hostedTeam({
      says: {
        alice: [
          { when: "auto-claimed", calls: [{ tool: "complete_task", input: { result: "v1" } }] },
          {
            when: "no report",
            calls: [{ tool: "write_file", input: { path: "report", content: "all green" } }],
          },
          { calls: [{ tool: "complete_task", input: { result: "v2" } }] },
          { text: "Done." },
        ],
      },
      hooks: { TaskCompleted: [hook("[ -e report ] || { echo 'there is no report' >&2; exit 2; }")] },
    });
    const { id } = await team.store.board.add({ subject: "Report" }, PERSON);
    await team.join("alice");
    await team.until("teammate.phase", { who: "alice", phase: "idle" });
    expect(await team.store.board.task(id)).toMatchObject({ status: "completed", result: "v2", attempt: 1 });
    team.models.get("alice")?.finish();
  });
});
