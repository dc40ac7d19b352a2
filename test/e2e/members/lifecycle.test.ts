/** WORK → IDLE → SHUTDOWN with real members: what wakes them, what stops them, what reaches the lead. */
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../../src/adapters/clock.ts";
import type { Mail } from "../../../src/core/board/mail.ts";
import { LEAD, later, name, PERSON } from "../../../src/core/ids.ts";
import { defineTool } from "../../../src/tools/define.ts";
import { type HostedOptions, type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";
import { soon } from "../../fixtures/soon.ts";

const alice = name("alice");
const bob = name("bob");
let team: HostedTeam;
afterEach(() => team.close());
const open = async (options: HostedOptions): Promise<HostedTeam> => {
  team = await hostedTeam(options);
  return team;
};
const kinds = (mail: readonly Mail[]): string[] => mail.map((m) => m.body.kind);
/**
 * Only a wake-up can wake a member. A test whose limit is 50 ms is tried until it holds: it is about the waits of the program, not
 * about the load of the machine.
 */
const NO_POLL = { idlePollMs: 3_600_000 };
const complete = (result = "ok") => ({ calls: [{ tool: "complete_task", input: { result } }] });
/** Never ends by itself; says when it runs and how it was ended. */
const gate = () => {
  let started = (): void => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const tool = defineTool({
    name: "wait_forever",
    description: "waits",
    access: "exec",
    input: () => z.object({}),
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        started();
      }),
  });
  return { tool, running };
};

describe("work", () => {
  it("is pulled: a task is claimed by itself, its description reaches the model, its result the lead", async () => {
    const { store, models, join, until } = await open({
      says: { alice: [{ when: "auto-claimed", ...complete("42 lines") }, { text: "Counted." }] },
    });
    await store.board.add({ subject: "Count", description: "Count the lines of a.txt" }, PERSON);
    await join("alice");
    await until("teammate.phase", { who: alice, phase: "idle" });
    const heard = JSON.stringify(models.get("alice")?.requests[0]?.messages);
    expect(heard).toContain("Count the lines of a.txt");
    expect(heard).toContain('task=\\"1\\"');
    expect(await store.board.task(1 as never)).toMatchObject({
      status: "completed",
      owner: alice,
      result: "42 lines",
      attempt: 1,
    });
    const mail = await store.mail.box(LEAD);
    expect(kinds(mail)).toEqual(["result", "idle_notice"]);
    expect(mail[0]?.body).toMatchObject({ text: "Counted.", task: 1 });
    expect(mail[1]?.body).toMatchObject({ completed: [1] });
    models.get("alice")?.finish();
  });

  it("done task by task costs the lead one turn at the end, with all reports in it", async () => {
    const { store, models, join, until } = await open({
      says: {
        lead: [
          { when: "keep an eye on it", text: "Waiting." },
          { when: "board_quiet", text: "All seven are done." },
        ],
        alice: [
          { times: 7, when: "auto-claimed", ...complete() },
          { times: 7, text: "one more" },
        ],
      },
    });
    await join("lead", { prompt: "keep an eye on it" });
    await store.board.addAll(
      Array.from({ length: 7 }, (_, i) => ({ subject: `task ${i}` })),
      PERSON,
    );
    await join("alice");
    await until("mail.sent", { from: LEAD, to: PERSON });
    await until("mail.delivered", { to: LEAD, kind: "board_quiet" });
    await soon(() => expect(models.get("lead")?.requests).toHaveLength(2));
    const last = JSON.stringify(models.get("lead")?.requests[1]?.messages.at(-1));
    expect(last.match(/kind=\\"result\\"/g)).toHaveLength(7);
    expect(last).toContain("completed #1, #2, #3, #4, #5, #6, #7");
    expect(models.get("lead")?.requests).toHaveLength(2);
    models.get("lead")?.finish();
  });

  it("that becomes ready wakes an idle teammate within 50 ms", async () => {
    const { store, join, until } = await open({
      says: {
        alice: [
          { times: "any", when: "auto-claimed", ...complete() },
          { times: "any", text: "done" },
        ],
      },
      settings: NO_POLL,
    });
    await join("alice");
    const took: number[] = [];
    await until("teammate.phase", { who: alice, phase: "idle" });
    for (let i = 0; Math.min(...took) >= 50 && i < 100; i += 1) {
      const { id, createdAt } = await store.board.add({ subject: `late ${i}` }, PERSON);
      took.push((await until("task.claimed", { task: id })).at - createdAt);
      await until("task.completed", { task: id });
    }
    expect(Math.min(...took)).toBeLessThan(50);
  });

  it("comes after mail", async () => {
    const { store, models, join, until } = await open({
      says: {
        alice: [
          { when: "read this first", text: "read" },
          { when: "auto-claimed", ...complete() },
          { text: "done" },
        ],
      },
    });
    await store.board.add({ subject: "task" }, PERSON);
    await join("alice", { prompt: "read this first" });
    await until("task.completed");
    expect(JSON.stringify(models.get("alice")?.requests[0]?.messages)).not.toContain("auto-claimed");
  });

  it("is taken in order of its dependencies, the diamond once", async () => {
    const done = { times: "any", when: "auto-claimed", ...complete() } as const;
    const rest = { times: "any", text: "done" } as const;
    const { store, join, until, events } = await open({ says: { alice: [done, rest], bob: [done, rest] } });
    await store.board.addAll(
      [
        { subject: "top" },
        { subject: "left", blockedBy: [{ nth: 0 }] },
        { subject: "right", blockedBy: [{ nth: 0 }] },
        { subject: "bottom", blockedBy: [{ nth: 1 }, { nth: 2 }] },
      ],
      PERSON,
    );
    await Promise.all([join("alice"), join("bob")]);
    await until("task.completed", { task: 4 });
    const order = (await events("task.completed")).map((e) => (e as { task: number }).task);
    expect(order).toHaveLength(4);
    expect([order[0], order[3]]).toEqual([1, 4]);
    expect((await events("task.unblocked")).filter((e) => (e as { task: number }).task === 4)).toHaveLength(
      1,
    );
  });

  it.each([
    ["has made a call for it", [{ calls: [{ tool: "list_tasks", input: {} }] }], "given_back"],
    ["has done nothing at all", [], "unable"],
  ] as const)(
    "in hand is not forgotten: a member that ends its turns is reminded, then it goes back; who %s",
    async (_, first, why) => {
      const { store, join, until } = await open({
        says: { alice: [...first, { times: "any", text: "hm" }] },
        settings: { idlePollMs: 20 },
      });
      await store.board.add({ subject: "hard" }, PERSON);
      await join("alice");
      expect(await until("task.released", { task: 1 })).toMatchObject({ why, from: alice });
    },
  );

  it("of one member never enters another's request", async () => {
    const secret = "alice-only-7f3a";
    const { store, models, join, until } = await open({
      says: {
        alice: [
          { calls: [{ tool: "bash", input: { command: `echo ${secret}` } }] },
          complete(),
          { text: "done" },
        ],
        bob: [complete(), { text: "done" }],
      },
    });
    await store.board.addAll(
      [{ subject: "a" }, { subject: "b", role: "second", blockedBy: [{ nth: 0 }] }],
      PERSON,
    );
    await join("alice");
    await join("bob", { role: "second" });
    await until("task.completed", { task: 2, by: bob });
    expect(JSON.stringify(models.get("alice")?.requests)).toContain(secret);
    expect(JSON.stringify(models.get("bob")?.requests)).not.toContain(secret);
  });

  it("several create_task in one reply, with edges by the ids just given", async () => {
    const { store, join, until } = await open({
      says: {
        lead: [
          {
            calls: [
              { tool: "create_task", input: { subject: "one" } },
              { tool: "create_task", input: { subject: "two", blocked_by: ["#1"] } },
              { tool: "create_task", input: { subject: "three", blocked_by: [1, 2] } },
            ],
          },
          { text: "planned" },
          { times: "any", text: "" },
        ],
      },
    });
    await store.mail.send(PERSON, { to: LEAD, body: { kind: "note", text: "plan" } });
    await join("lead");
    await until("teammate.phase", { who: LEAD, phase: "idle" });
    expect((await store.board.tasks()).map((t) => [t.subject, t.blockedBy, t.openBlockers])).toEqual([
      ["one", [], 0],
      ["two", [1], 1],
      ["three", [1, 2], 2],
    ]);
  });
});

describe("stopping", () => {
  it("an idle member takes at most 50 ms and no model call", async () => {
    const { store, team: control, join, until } = await open({ settings: NO_POLL });
    const took: number[] = [];
    for (let i = 0; Math.min(...took) >= 50 && i < 100; i += 1) {
      const who = name(`mate-${i}`);
      await join(who);
      await until("teammate.phase", { who, phase: "idle" });
      const asked = performance.now();
      await control.askToStop(who, "enough", PERSON);
      await control.ended(who);
      took.push(performance.now() - asked);
      expect(await store.roster.member(who)).toMatchObject({
        activity: { phase: "shutdown", reason: "asked" },
        turns: 0,
      });
    }
    expect(Math.min(...took)).toBeLessThan(50);
    expect(kinds(await store.mail.box(PERSON))).toContain("shutdown_response");
  });

  it("goes before a hundred messages, and none of them is lost", async () => {
    const {
      store,
      team: control,
      join,
      until,
    } = await open({ says: { alice: [{ times: "any", text: "noted" }] } });
    await join("alice");
    await until("teammate.phase", { who: alice, phase: "idle" });
    const notes = Array.from({ length: 100 }, (_, i) =>
      store.mail.send(PERSON, { to: alice, body: { kind: "note", text: `note ${i}` } }),
    );
    const stop = control.askToStop(alice, "enough", PERSON);
    const delivered = (await Promise.allSettled(notes)).filter((note) => note.status === "fulfilled").length;
    await stop;
    await control.ended(alice);
    const entries = JSON.stringify(await store.transcript.all(alice));
    const unread = (await store.mail.unread(alice, 1_000)).length;
    const inTranscript = (entries.match(/kind=\\"note\\"/g) ?? []).length;
    expect(inTranscript + unread).toBe(delivered);
    expect(entries).toContain("shutdown_request");
  });

  it("at the deadline cuts a running call short; the task goes back, the lead hears of it", async () => {
    const { tool, running } = gate();
    const {
      store,
      team: control,
      join,
    } = await open({
      tools: [tool],
      says: { alice: [{ text: "On it.", calls: [{ tool: "wait_forever" }] }] },
    });
    await store.board.add({ subject: "long" }, PERSON);
    await join("alice");
    await running;
    await control.askToStop(alice, "now", PERSON, 100);
    await control.ended(alice);
    expect(await store.board.task(1 as never)).toMatchObject({ status: "pending", attempt: 1 });
    const stopped = (await store.mail.box(LEAD)).find((m) => m.body.kind === "stopped");
    expect(stopped?.body).toMatchObject({ reason: "asked", text: "On it.", released: [1] });
  });

  it("may be refused with a reason; the member continues working", async () => {
    const { tool, running } = gate();
    const {
      store,
      team: control,
      join,
      until,
    } = await open({
      tools: [tool],
      says: {
        alice: [
          { calls: [{ tool: "wait_forever" }] },
          (request) => {
            const id = /request="([^"]+)"/.exec(
              JSON.stringify(request.messages.at(-1)).replaceAll("\\", ""),
            )?.[1];
            return {
              calls: [
                { tool: "respond_shutdown", input: { request: id, accept: false, reason: "one minute" } },
              ],
            };
          },
          complete("after all"),
          { text: "done" },
        ],
      },
    });
    await store.board.add({ subject: "long" }, PERSON);
    await join("alice");
    await running;
    await control.askToStop(alice, "please", PERSON, 60_000);
    await store.mail.send(PERSON, { to: alice, body: { kind: "note", text: "look here" }, urgent: true });
    await until("task.completed", { task: 1 });
    const answer = (await store.mail.box(PERSON)).find((m) => m.body.kind === "shutdown_response");
    expect(answer?.body).toMatchObject({ accepted: false, reason: "one minute" });
    expect(await store.roster.member(alice)).not.toMatchObject({ activity: { phase: "shutdown" } });
  });

  it("urgent mail interrupts a running call at once and is the next thing read", async () => {
    const { tool, running } = gate();
    const { store, join, until, models } = await open({
      tools: [tool],
      says: {
        alice: [
          { calls: [{ tool: "wait_forever" }] },
          { when: "drop everything", text: "dropped" },
          complete(),
          { text: "done" },
        ],
      },
    });
    await store.board.add({ subject: "long" }, PERSON);
    await join("alice");
    await running;
    await store.mail.send(PERSON, {
      to: alice,
      body: { kind: "note", text: "drop everything" },
      urgent: true,
    });
    await until("task.completed", { task: 1 });
    expect(JSON.stringify(models.get("alice")?.requests[1]?.messages.at(-1))).toMatch(
      /Interrupted by an urgent message before it was done[\s\S]*drop everything/,
    );
  });

  it("a member whose model is gone fails, its task goes back and its name is free", async () => {
    const {
      store,
      join,
      team: control,
      until,
    } = await open({ says: { alice: [{ fail: { code: "model_auth", message: "bad key" } }] } });
    await store.board.add({ subject: "task" }, PERSON);
    await join("alice");
    await control.ended(alice);
    expect(await store.board.task(1 as never)).toMatchObject({ status: "pending" });
    expect((await store.mail.box(LEAD)).map((m) => m.body)).toContainEqual(
      expect.objectContaining({
        kind: "stopped",
        reason: "failed",
        text: expect.stringContaining("bad key"),
      }),
    );
    await until("teammate.phase", { who: alice, phase: "shutdown" });
    await expect(join("alice")).resolves.toBeUndefined();
  });
});

describe("the idle timeout", () => {
  it("ends a teammate once, with its last words; work at the last moment starts it again", async () => {
    const clock = new ManualClock();
    const {
      store,
      join,
      until,
      team: control,
      events,
    } = await open({
      clock,
      says: { alice: [complete(), { text: "my summary" }] },
      settings: { idleTimeoutMs: 60_000, leaseMs: 10_000_000 },
    });
    await join("alice");
    await until("teammate.phase", { who: alice, phase: "idle" });
    await clock.advance(59_000);
    await store.board.add({ subject: "at the last moment" }, PERSON);
    await until("task.completed", { task: 1 });
    await until("teammate.phase", { who: alice, phase: "idle", reason: "no_tool_use" });
    await clock.advance(59_000);
    expect(await store.roster.member(alice)).toMatchObject({ activity: { phase: "idle" } });
    const end = control.ended(alice);
    await clock.advance(2_000);
    await end;
    expect(
      (await events("teammate.phase")).filter((e) => (e as { phase: string }).phase === "shutdown"),
    ).toHaveLength(1);
    const stopped = (await store.mail.box(LEAD)).find((m) => m.body.kind === "stopped");
    expect(stopped?.body).toMatchObject({ reason: "timeout", text: "my summary" });
  });
});

describe("a restart", () => {
  it("continues with the same conversation, claim and unread mail", async () => {
    const { tool, running } = gate();
    const first = await hostedTeam({
      tools: [tool],
      says: { alice: [{ text: "Started.", calls: [{ tool: "wait_forever" }] }] },
    });
    await first.store.board.addAll(
      [{ subject: "mine" }, { subject: "other", priority: 9, blockedBy: [{ nth: 0 }] }],
      PERSON,
    );
    await first.join("alice");
    await running;
    await first.store.mail.send(PERSON, { to: alice, body: { kind: "note", text: "unread so far" } });
    await first.team.suspend();
    await first.store.close();

    const second = await open({
      folder: first.folder,
      says: {
        alice: [{ when: "own-task", ...complete() }, { text: "done" }, complete("second"), { text: "done" }],
      },
    });
    expect(await second.team.adoptAll()).toEqual([alice]);
    await second.until("task.completed", { task: 2 });
    const [request] = second.models.get("alice")?.requests ?? [];
    const heard = JSON.stringify(request?.messages);
    expect(heard).toContain("Started.");
    expect(heard).toContain("may or may not have taken effect");
    expect(heard).toContain("unread so far");
    expect(await second.store.board.task(1 as never)).toMatchObject({
      status: "completed",
      attempt: 1,
      owner: alice,
    });
  });
});

it("a member that holds a request open longer than its deadline is ended, also when it never reads mail", async () => {
  const { tool, running } = gate();
  const {
    store,
    team: control,
    join,
  } = await open({ tools: [tool], says: { bob: [{ calls: [{ tool: "wait_forever" }] }] } });
  await store.board.add({ subject: "x" }, PERSON);
  await join("bob");
  await running;
  await store.requests.ask(PERSON, bob, { kind: "shutdown", reason: "now" }, later(Date.now() as never, 50));
  await control.ended(bob);
  expect(await store.requests.open({ of: bob })).toEqual([]);
});

it("a question that the person interrupted waits for a message, also in the next process", async () => {
  let answer = (_: { text: string }): void => {};
  const late = new Promise<{ text: string }>((resolve) => {
    answer = resolve;
  });
  const first = await open({ says: { lead: [() => late] } });
  await first.join("lead");
  await first.store.mail.send(PERSON, { to: LEAD, body: { kind: "note", text: "What is this?" } });
  await soon(() => expect(first.models.get("lead")?.requests).toHaveLength(1));
  first.team.interrupt(LEAD, "person");
  answer({ text: "Too late." });
  await first.until("teammate.phase", { who: "lead", phase: "idle", reason: "no_tool_use" });
  await first.team.suspend();
  await first.store.close();
  const second = await open({ folder: first.folder, says: { lead: [{ text: "Here." }] } });
  expect(await second.team.adoptAll()).toEqual(["lead"]);
  // It has the time to ask, if it does so by itself.
  for (let i = 0; i < 50; i += 1) await new Promise(setImmediate);
  await second.store.mail.send(PERSON, { to: LEAD, body: { kind: "note", text: "Continue." } });
  await second.until("turn.taken", { text: "Here." });
  const [request] = second.models.get("lead")?.requests ?? [];
  expect(JSON.stringify(request?.messages)).toContain("Continue.");
});
