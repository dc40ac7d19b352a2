/** The idle timeout is about the board: who stays, who leaves, and what the lead pays for it. */
import { afterEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../src/adapters/clock.ts";
import { LEAD, name, PERSON } from "../../../src/core/ids.ts";
import { type HostedOptions, type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const bob = name("bob");
let team: HostedTeam | undefined;
afterEach(async () => {
  await team?.close();
  team = undefined;
});
const clock = { current: new ManualClock() };
const open = async (options: HostedOptions): Promise<HostedTeam> => {
  clock.current = new ManualClock();
  team = await hostedTeam({
    clock: clock.current,
    ...options,
    settings: { idleTimeoutMs: 60_000, leaseMs: 10_000_000, ...options.settings },
  });
  return team;
};
const complete = { calls: [{ tool: "complete_task", input: { result: "ok" } }] };
/** Never answers before it is let go. */
const gate = () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, step: () => opened.then(() => complete) };
};
const phaseOf = async (who: string) => (await team?.store.roster.member(name(who)))?.activity;
const idle = async (who: string): Promise<void> => {
  await team?.until("teammate.phase", { who, phase: "idle" });
};

describe("a teammate stays", () => {
  it("while tasks wait for one that is in progress, and takes them", async () => {
    const { open: let_go, step } = gate();
    const { join, store, until } = await open({
      says: { alice: [step, { text: "done" }], bob: [{ text: "hello" }, complete, { text: "done" }] },
    });
    await store.board.addAll([{ subject: "long" }, { subject: "next", blockedBy: [{ nth: 0 }] }], PERSON);
    await join("alice");
    await until("task.claimed", { task: 1 });
    await join("bob", { prompt: "Hello" });
    await idle("bob");
    await clock.current.advance(200_000);
    expect(await phaseOf("bob")).toMatchObject({ phase: "idle" });
    let_go();
    await until("task.completed", { task: 2 });
  });

  it("while the person has not answered its question, and keeps its task", async () => {
    const { join, store, until } = await open({
      says: {
        bob: [
          { calls: [{ tool: "send_message", input: { to: "person", text: "Which port?" } }] },
          { calls: [{ tool: "idle", input: { waiting_for: "messages" } }] },
          complete,
          { text: "done" },
        ],
      },
    });
    await store.board.add({ subject: "serve" }, PERSON);
    await join("bob");
    await until("teammate.phase", { who: "bob", phase: "idle", reason: "awaiting_messages" });
    await clock.current.advance(200_000);
    expect(await store.roster.member(bob)).toMatchObject({ activity: { phase: "idle" }, task: 1 });
    await store.mail.send(PERSON, { to: bob, body: { kind: "note", text: "80" } });
    await until("task.completed", { task: 1 });
  });
});

describe("a teammate leaves", () => {
  it("when only tasks of another role, or behind a failed one, are left; the lead is not woken for it", async () => {
    const { join, store, models } = await open({
      says: { lead: [{ text: "ok", times: "any" }], bob: [{ text: "hello" }] },
    });
    await store.board.addAll([{ subject: "test", role: "tester" }], PERSON);
    await join("lead");
    await join("bob", { prompt: "Hello" });
    await idle("bob");
    await soon(async () => {
      await clock.current.advance(100);
      expect((await store.mail.box(LEAD)).map(({ body }) => body.kind)).toContain("board_quiet");
      expect(await store.roster.member(LEAD)).toMatchObject({ unread: 0, activity: { phase: "idle" } });
    });
    const before = models.get("lead")?.requests.length;
    await clock.current.advance(61_000);
    await soon(async () => expect(await phaseOf("bob")).toEqual({ phase: "shutdown", reason: "timeout" }));
    await clock.current.advance(20_000);
    expect(models.get("lead")?.requests).toHaveLength(before ?? -1);
    expect((await store.mail.box(LEAD)).map(({ body }) => body.kind)).toContain("stopped");
  });
});

it("does not wake the lead for each task of a chain while others idle", async () => {
  const run = async (length: number): Promise<number> => {
    const worker = Array.from({ length }, () => [complete, { text: "done" }]).flat();
    const program = await programTeam({
      says: { lead: [{ text: "I see.", times: "any" }], alice: worker, bob: worker, carol: worker },
      settings: {
        teammates: ["alice", "bob", "carol"].map((who) => ({ name: name(who), role: "" })),
      },
    });
    const tasks = Array.from({ length }, (_, n) => ({
      subject: `step ${n}`,
      ...(n > 0 && { blockedBy: [{ nth: n - 1 }] }),
    }));
    await program.host.start({ runbook: { goal: "Go", tasks } });
    expect(await program.host.done).toMatchObject({ completed: length });
    return program.requests("lead").length;
  };
  expect(await run(20)).toBeLessThanOrEqual((await run(5)) + 1);
});

it("is not for teammates that the person has asked for, in a conversation", async () => {
  const { host, store, until } = await programTeam({
    says: {
      lead: [
        { when: "Go", calls: [{ tool: "spawn_teammate", input: { name: "carol" } }] },
        { text: "I see.", times: "any" },
      ],
      bob: [{ text: "I see.", times: "any" }],
      carol: [{ text: "I see.", times: "any" }],
      dave: [{ text: "I see.", times: "any" }],
    },
    settings: { teammates: [{ name: bob, role: "" }], idleTimeoutMs: 100 },
    host: { interactive: true },
  });
  await host.start({ interactive: true });
  await until("teammate.phase", { who: "bob", phase: "idle" });
  await host.order({ kind: "spawn", spawn: "dave", who: LEAD });
  await until("teammate.phase", { who: "dave", phase: "idle" });
  await host.tellLead("Go");
  await until("teammate.phase", { who: "carol", phase: "shutdown", reason: "timeout" });
  for (const who of [bob, name("dave")])
    expect((await store.roster.member(who))?.activity).toMatchObject({ phase: "idle" });
});
