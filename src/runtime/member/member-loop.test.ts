/** The life of a member in one process: its turns, what ends it, and what it leaves behind. */
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  type Answer,
  agentOf,
  calling,
  failing,
  modelOf,
  saying,
} from "../../../test/fixtures/member.ts";
import { name, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { heard } from "../../core/conversation/chat.ts";
import { LEAD, later, type Name, PERSON } from "../../core/ids.ts";
import type { ModelRequest, ReplyOptions, Store } from "../../ports/index.ts";
import { defineTool } from "../../tools/define.ts";
import { completeTask } from "../../tools/team/claims.ts";
import type { Agent } from "../agent/agent.ts";
import { Interruption, type InterruptionKind } from "../agent/interruption.ts";
import { type End, MemberLoop, type MemberLoopSettings } from "./member-loop.ts";

const here = stage("sqlite");
const alice = name("alice");
let store: Store;
let seats: { readonly lead: Seat; readonly alice: Seat };
let lives: Life[];
beforeEach(async () => {
  const crew = await here.crew(["alice"]);
  store = crew.store;
  seats = { lead: crew.lead, alice: crew.seats[0] as Seat };
  lives = [];
});
afterEach(async () => {
  for (const { control } of lives) control.abort(new Interruption("suspend"));
  await Promise.race([Promise.all(lives.map(({ over }) => over)), told()]);
});

/** All that can happen without a wait has happened. */
const told = async (): Promise<void> => {
  for (let turns = 0; turns < 60; turns += 1) await setImmediate();
};

/** The outcome, or "open": a test that waits for ever says nothing. */
const settled = <T>(outcome: Promise<T>): Promise<T | "open"> =>
  Promise.race([outcome, told().then(() => "open" as const)]);

const look = defineTool({
  ...{ name: "look", description: "", access: "read" as const },
  input: () => z.object({}),
  run: async () => "seen",
});

type Life = {
  readonly agent: Agent;
  readonly life: MemberLoop;
  readonly control: AbortController;
  readonly requests: readonly ModelRequest[];
  /** The kinds of its turns. */
  readonly turns: string[];
  /** The end of its life; null while it lives. */
  end: End | null;
  over: Promise<End> | null;
};
type Script = (request: ModelRequest, nth: number, options: ReplyOptions) => Answer | Promise<Answer>;
type Given = AgentOptions & {
  readonly seat?: Seat;
  readonly settings?: Partial<MemberLoopSettings>;
  readonly isConcluding?: boolean;
};

function start(script: Script, { seat = seats.alice, settings, isConcluding, ...options }: Given = {}): Life {
  const model = modelOf(script);
  const agent = agentOf(store, seat, here.clock, model, { tools: [look, completeTask], ...options });
  const control = new AbortController();
  const limits = { turnsPerStint: 50, idleTimeoutMs: 3_600_000, idlePollMs: 3_600_000 };
  const life = new MemberLoop(
    agent,
    { ...limits, ...settings },
    {
      afterTurn: ({ kind }) => void lived.turns.push(kind),
      onIdle: async () => "wait",
      ...(isConcluding !== undefined && { isConcluding: () => isConcluding }),
    },
    control.signal,
  );
  const lived: Life = { agent, life, control, requests: model.requests, turns: [], end: null, over: null };
  lives.push(lived);
  const failed = (error: Error): End => ({ kind: "left", reason: "failed", error });
  lived.over = life.run().catch(failed);
  void lived.over.then((end) => {
    lived.end = end;
  });
  return lived;
}
const note = (to: Name = alice, text = "Look", urgent = false): Promise<unknown> =>
  store.mail.send(PERSON, { to, body: { kind: "note", text }, urgent });
const lastHeard = ({ requests }: Life): string => JSON.stringify(requests.at(-1)?.messages.at(-1));
const stopped = async () =>
  (await store.mail.box(LEAD)).map(({ body }) => body).find((body) => body.kind === "stopped");
const activity = async (who: Name = alice): Promise<unknown> => (await store.roster.member(who))?.activity;
/** Answers when its signal aborts, as a model that hangs. */
const hangs: Script = (_, __, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

it("works on a task until it rests, and reports each turn", async () => {
  await store.board.add({ subject: "paint" }, PERSON);
  const script: Script = (_, nth) =>
    nth === 1 ? calling("look") : nth === 2 ? calling("complete_task", { result: "ok" }) : saying("Done.");
  const lived = start(script);
  await told();
  expect(lived.turns).toEqual(["acted", "acted", "rested"]);
  expect([lived.life.task, lived.end]).toEqual([1, null]);
  expect((await store.board.tasks())[0]).toMatchObject({ status: "completed", owner: alice });
  expect(await activity()).toEqual({ phase: "idle", reason: "no_tool_use" });
});

it.each([
  ["stop", { kind: "left", reason: "asked", error: null }],
  ["budget", { kind: "left", reason: "budget", error: null }],
  ["replaced", { kind: "left", reason: "replaced", error: null }],
  ["suspend", { kind: "suspended" }],
  ["lost", { kind: "lost" }],
] as const)("ends at once, during a reply and while it idles: %s", async (kind, end) => {
  let released = 0;
  const beforeRelease = async (): Promise<void> => {
    released += 1;
  };
  const features = [{ beforeRelease }];
  await note();
  const busy = start(hangs, { features });
  await told();
  busy.control.abort(new Interruption(kind as InterruptionKind));
  await told();
  expect(busy.end).toEqual(end);
  expect(released).toBe(kind === "lost" ? 0 : 1);
  const left = end.kind === "left";
  expect(await activity()).toMatchObject(
    left ? { phase: "shutdown", reason: end.reason } : { phase: "work" },
  );
  expect((await stopped())?.reason).toBe(left ? end.reason : undefined);
});

it("fails with an error that nobody handles, and names it after its last words", async () => {
  await note();
  const lived = start((_, nth) => (nth === 1 ? { ...calling("look") } : failing("model_auth")), {
    entries: [
      heard("go"),
      { kind: "said", message: { role: "assistant", content: [{ type: "text", text: "I try." }] } },
    ],
  });
  await told();
  expect(lived.end).toMatchObject({ kind: "left", reason: "failed", error: { code: "model_auth" } });
  expect(await stopped()).toMatchObject({ reason: "failed", text: "the test says model_auth" });
});

it.each([
  [failing("budget"), "budget"],
  [failing("stale_seat"), null],
] as const)("ends as the error says: %s", async (error, reason) => {
  await note();
  const lived = start(() => error);
  await told();
  expect(lived.end).toMatchObject(reason ? { kind: "left", reason } : { kind: "lost" });
});

it.each([
  // [its replies, the last words]
  [[saying("All done.")], "All done."],
  [[saying("I begin."), calling("look"), saying("")], "I begin."],
] as const)("leaves its last words to the lead", async (replies, words) => {
  await note();
  let nth = 0;
  const lived = start(() => {
    nth += 1;
    return replies[Math.min(nth, replies.length) - 1] ?? saying("");
  });
  await told();
  for (let more = 1; more < replies.length; more += 1) {
    await note(alice, `Again ${"x".repeat(more)}`);
    await told();
  }
  lived.control.abort(new Interruption("stop"));
  await told();
  expect((await stopped())?.text).toBe(words);
});

it("lets a lead that leaves hear the last mail, and leaves that of a teammate unread", async () => {
  const lead = start(() => saying("Hm."), { seat: seats.lead, isConcluding: true });
  const mate = start(() => saying("Hm."), { isConcluding: true });
  await note(LEAD, "Bye");
  await note(alice, "Bye");
  await told();
  expect([lead.requests.length, mate.requests.length]).toEqual([0, 0]); // the team concludes
  for (const { control } of [mate, lead]) control.abort(new Interruption("stop"));
  await told();
  expect(lead.agent.conversation.news.join()).toContain("Bye");
  expect(mate.agent.conversation.news).toEqual([]);
});

it("continues with urgent mail, and rests when the person interrupts", async () => {
  await note();
  const lived = start((request, nth, options) => (nth < 3 ? hangs(request, nth, options) : saying("Done.")));
  await told();
  await note(alice, "The house burns", true);
  await told();
  expect(lived.requests).toHaveLength(2);
  expect(lastHeard(lived)).toContain("The house burns");
  lived.life.interrupt("person");
  await told();
  expect(lived.requests).toHaveLength(2);
  expect(await activity()).toEqual({ phase: "idle", reason: "no_tool_use" });
  await note(alice, "Continue");
  await told();
  expect(lived.turns).toEqual(["rested"]);
});

it("rests when the person interrupts a call", async () => {
  await note();
  const waits = defineTool({
    ...{ name: "wait", description: "", access: "exec" as const },
    input: () => z.object({}),
    run: async (_, { signal }) =>
      await new Promise<string>((_r, no) => signal.addEventListener("abort", () => no(signal.reason))),
  });
  const lived = start(() => calling("wait"), { tools: [waits] });
  await told();
  lived.life.interrupt("person");
  await told();
  expect([lived.requests.length, lived.turns]).toEqual([1, ["acted"]]);
  expect(await activity()).toEqual({ phase: "idle", reason: "no_tool_use" });
});

it("pauses while its provider does not answer, then repeats the step; the person ends the pause", async () => {
  await note();
  const lived = start((_, nth) => (nth === 2 ? saying("Back.") : failing("model_overloaded")));
  await told();
  expect(await activity()).toEqual({ phase: "idle", reason: "rate_limited" });
  await here.clock.advance(4_999);
  await told();
  expect(lived.requests).toHaveLength(1);
  await here.clock.advance(1);
  await told();
  expect([lived.requests.length, lived.turns]).toEqual([2, ["rested"]]);
  await note(alice, "Once more");
  await told();
  expect(await activity()).toEqual({ phase: "idle", reason: "rate_limited" });
  lived.life.interrupt("person");
  await told();
  await here.clock.advance(60_000);
  await told();
  expect(lived.requests).toHaveLength(3);
});

it.each([true, false])("a lead whose account is not paid waits only while others work: %s", async (works) => {
  await store.roster.setActivity(
    seats.alice,
    works ? { phase: "work" } : { phase: "idle", reason: "no_tool_use" },
    [],
  );
  await note(LEAD);
  const until = later(here.clock.now(), 60_000);
  const unpaid = failing("model_refused", { ownProgram: true, until, isKnown: false, retryAfterMs: 60_000 });
  const lived = start((_, nth) => (nth === 1 ? unpaid : saying("Back.")), { seat: seats.lead, kind: "lead" });
  await told();
  if (!works) return expect(lived.end).toMatchObject({ reason: "failed" });
  expect(await activity(LEAD)).toEqual({ phase: "idle", reason: "rate_limited" });
  await here.clock.advance(60_000);
  await told();
  expect(lived.turns).toEqual(["rested"]);
});

it("stops when asked: an idle member at once, a busy one when it agrees or at the deadline", async () => {
  await note();
  const lived = start(hangs);
  await told();
  const ask = { kind: "shutdown", reason: "enough" } as const;
  await store.requests.ask(LEAD, alice, ask, later(here.clock.now(), 10_000));
  await told();
  expect(lived.end).toBeNull();
  await here.clock.advance(10_000);
  await told();
  expect(lived.end).toEqual({ kind: "left", reason: "asked", error: null });
});

it("stops after the turn in which it agreed, without a further one", async () => {
  await note();
  const lived = start(async () => {
    const [open] = await store.requests.open({ of: alice, kind: "shutdown" });
    if (open) await store.requests.answer(alice, open.id, "shutdown", { yes: true, text: "fine" });
    return calling("look");
  });
  await store.requests.ask(
    LEAD,
    alice,
    { kind: "shutdown", reason: "enough" },
    later(here.clock.now(), 10_000),
  );
  await told();
  expect(lived.end).toMatchObject({ kind: "left", reason: "asked" });
  expect(lived.requests.length).toBeLessThanOrEqual(1);
});

it("advises a member that repeats itself, then ends its stint, and wakes it only for news", async () => {
  await note();
  const lived = start(() => calling("look"));
  await told();
  const advised = lived.requests.findIndex(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes("Nothing changes by it"),
  );
  expect([advised, lived.requests.length]).toEqual([3, 6]);
  const again = lived.requests.filter(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes("Nothing changes by it"),
  );
  expect(again).toHaveLength(1);
  expect(await activity()).toEqual({ phase: "idle", reason: "repeating" });
  await note(alice, "Look elsewhere"); // the person always has news
  await told();
  expect(lived.requests).toHaveLength(12);
});

it.each([
  ["Test it first", 2],
  [null, 1],
] as const)("asks its hooks before it rests, and reports once it may: %s", async (says, turns) => {
  await note();
  const asked: unknown[] = [];
  const none = async (): Promise<null> => null;
  const stop = async (reason: string, words: string): Promise<string | null> => {
    asked.push([reason, words]);
    return asked.length === 1 ? says : null;
  };
  const lived = start((_, nth) => saying(`Done ${nth}.`), {
    hooks: { asksAtStop: true, stop, idle: none, compact: none },
  });
  await told();
  expect(asked).toEqual(Array.from({ length: turns }, (_, i) => ["no_tool_use", `Done ${i + 1}.`]));
  expect(lived.requests).toHaveLength(turns);
  const reports = (await store.mail.box(LEAD)).flatMap(({ body }) =>
    body.kind === "result" ? [body.text] : [],
  );
  expect(reports).toEqual([`Done ${turns}.`]);
});

it("sums up its conversation while it idles, at rest, and continues afterwards", async () => {
  await note();
  const lived = start((request) => saying(request.tools.length === 0 ? "Goal: look" : "Done."));
  await told();
  const done = lived.life.compact();
  await told();
  expect(lived.requests).toHaveLength(2);
  expect(await settled(done)).toMatchObject({});
  expect(lived.agent.conversation.awaitsReply).toBe(false);
  await note(alice, "Continue");
  await told();
  expect(lived.requests).toHaveLength(3);
  lived.control.abort(new Interruption("stop"));
  await told();
  expect(await settled(lived.life.compact())).toBeNull();
});

it("refuses a summary that a hook prevents, and answers a request for one at its end", async () => {
  await note();
  const none = async (): Promise<null> => null;
  const hooks = { asksAtStop: false, stop: none, idle: none, compact: async () => "not now" };
  const lived = start((_, nth, options) => (nth === 1 ? saying("Done.") : hangs(_, nth, options)), { hooks });
  await told();
  await expect(settled(lived.life.compact())).rejects.toThrow("A PreCompact hook refuses it: not now");
  await note(alice, "Continue");
  await told();
  const late = lived.life.compact();
  lived.control.abort(new Interruption("stop"));
  expect(await settled(late)).toBeNull();
});

it("looks for urgent mail at a poll, because its wake-up may come just before the step", async () => {
  const { wake } = store;
  const deaf = { mark: () => wake.mark(), changed: wake.changed.bind(wake), watch: () => () => {} };
  await note();
  const lived = start(hangs, { store: { ...store, wake: deaf } as Store });
  await told();
  await note(alice, "Stop that", true);
  await told();
  expect(lived.requests).toHaveLength(1);
  lived.life.pollAgain();
  await told();
  expect(lived.requests).toHaveLength(2);
  expect(lastHeard(lived)).toContain("Stop that");
});

it("watches its mailbox no longer than it lives", async () => {
  const { wake } = store;
  let watchers = 0;
  const watch: typeof wake.watch = (topic, on) => {
    const end = wake.watch(topic, on);
    watchers += 1;
    return () => {
      watchers -= 1;
      end();
    };
  };
  const counting = {
    ...store,
    wake: { mark: () => wake.mark(), changed: wake.changed.bind(wake), watch },
  } as Store;
  await note();
  const lived = start(() => saying("Done."), { store: counting });
  await told();
  expect(watchers).toBe(1);
  lived.control.abort(new Interruption("stop"));
  await lived.over;
  expect(watchers).toBe(0);
});
