import { afterEach, expect, it } from "vitest";
import {
  type AgentOptions,
  type Answer,
  agentOf,
  calling,
  endLives,
  failing,
  type Lived,
  living,
  modelOf,
  saying,
  TEAM,
} from "../../../test/fixtures/member.ts";
import { soon } from "../../../test/fixtures/soon.ts";
import { host, name, stage } from "../../../test/fixtures/stage.ts";
import { Budget } from "../../core/budget.ts";
import { heard, textOf } from "../../core/conversation/chat.ts";
import { Conversation } from "../../core/conversation/conversation.ts";
import { CUT_OFF, NOTHING_SAID, REFUSED } from "../../core/conversation/prompt.ts";
import { EkidenError } from "../../core/errors.ts";
import { instant, LEAD, PERSON } from "../../core/ids.ts";
import type { Cursor, Model, ModelRequest, Reply } from "../../ports/index.ts";
import { completeTask } from "../../tools/team/claims.ts";
import type { Agent } from "../agent/agent.ts";
import { ProviderTimeout } from "../team/provider-timeout.ts";
import { ReplyRecovery } from "./reply-recovery.ts";
import { turn } from "./turn.ts";

const here = stage("sqlite");
const never = new AbortController().signal;
const alice = name("alice");

afterEach(endLives);

async function member(model: Model, rest: AgentOptions = {}): Promise<Agent> {
  const { store, seats } = await here.crew(["alice"]);
  const [seat] = seats;
  if (!seat) throw new Error("no seat");
  return agentOf(store, seat, here.clock, model, { tools: [completeTask], entries: [heard("go")], ...rest });
}
const lastText = (request: ModelRequest | undefined): string => {
  const last = request?.messages.at(-1);
  return last ? textOf(last) : "";
};

it("asks once more with a longer limit, then says continue three times, then lets it rest", async () => {
  const cut: Partial<Reply> = { ...saying("half a"), stop: "length" };
  const model = modelOf(() => cut, { longestReply: 64_000 });
  const agent = await member(model);
  const replies = new ReplyRecovery(agent);
  const first = await turn(agent, never, replies);
  expect(first).toMatchObject({ kind: "acted", tokens: 220 }); // the reply that was thrown away was paid for too
  expect(model.requests.map((r) => r.maxOutputTokens)).toEqual([undefined, 64_000]);
  expect(textOf(model.requests[1]?.messages[0] as never)).toMatch(/\ngo$/); // and left no trace
  for (const kind of ["acted", "acted", "rested"])
    expect(await turn(agent, never, replies)).toMatchObject({ kind, tokens: 110 });
  expect(lastText(model.requests.at(-1))).toBe(CUT_OFF);
  expect((await agent.store.roster.member(alice))?.turns).toBe(5);
});

const warnings = async ({ store }: Agent): Promise<string[]> =>
  (await store.journal.read("" as Cursor)).events.flatMap((event) =>
    event.type === "warning.raised" ? [event.text] : [],
  );

it("tells the provider which parts of the beginning others share", async () => {
  const model = modelOf(() => saying("ok"));
  const agent = await member(model);
  await turn(agent, never);
  const opening = { ...agent.loadout.opening, shared: "The project" };
  const conversation = new Conversation([heard("go")]);
  await turn({ ...agent, conversation, loadout: { ...agent.loadout, opening } }, never);
  expect(model.requests.map(({ cache }) => cache?.sharedParts)).toEqual([0, 1]);
});

it("tells the provider that a lead waits long between its requests, and a subagent does not", async () => {
  const model = modelOf(() => saying("ok"));
  const teammate = await member(model);
  await turn(teammate, never);
  for (const kind of ["lead", "subagent"] as const)
    await turn({ ...teammate, kind, conversation: new Conversation([heard("go")]) }, never);
  expect(model.requests.map(({ cache }) => cache?.waits)).toEqual([true, true, false]);
});

it("has no warning for the built-in model, which says nothing to a message", async () => {
  const agent = await member(modelOf(() => ({}), { spec: "runbook" }));
  const replies = new ReplyRecovery(agent);
  for (const kind of ["acted", "rested"]) expect((await turn(agent, never, replies)).kind).toBe(kind);
  expect(await warnings(agent)).toEqual([]);
});

it("nudges an empty reply once, and a refusal in other words", async () => {
  const model = modelOf((_, nth) => (nth === 4 ? { stop: "refused" } : nth === 3 ? saying("here I am") : {}));
  const agent = await member(model);
  const replies = new ReplyRecovery(agent);
  expect((await turn(agent, never, replies)).kind).toBe("acted");
  expect(agent.conversation.news).toContain(NOTHING_SAID);
  expect(await warnings(agent)).toEqual([]);
  expect((await turn(agent, never, replies)).kind).toBe("rested");
  expect(await warnings(agent)).toEqual([expect.stringContaining("had no words and no calls, again")]);
  expect((await turn(agent, never, replies)).kind).toBe("rested"); // a proper reply, which ends the counting
  expect((await turn(agent, never, replies)).kind).toBe("acted");
  expect(agent.conversation.news).toContain(REFUSED);
});

it("sums up once when the provider says the conversation is too long, and gives up when that does not help", async () => {
  const long = heard("x".repeat(20_000));
  const model = modelOf((request, nth) =>
    request.tools.length === 0 ? saying("Goal: go") : nth < 3 ? failing("context_overflow") : saying("done"),
  );
  const agent = await member(model, {});
  agent.conversation.add(long);
  agent.conversation.add({
    kind: "said",
    message: { role: "assistant", content: [{ type: "text", text: "a" }] },
  });
  agent.conversation.add(heard("and now?"));
  expect((await turn(agent, never)).text).toBe("done");
  expect(model.requests).toHaveLength(3);
  expect(lastText(model.requests[2])).toMatch(/Goal: go[\s\S]*\nand now\?$/);

  const hopeless = modelOf((r) => (r.tools.length > 0 ? failing("context_overflow") : saying("n")));
  await expect(turn({ ...agent, model: hopeless }, never)).rejects.toMatchObject({
    code: "context_overflow",
    message: expect.stringMatching(
      /^The conversation of alice does not fit .* Use a model with a larger window/,
    ),
  });
});

it("does not send a request again that is too long and has nothing to sum up", async () => {
  const model = modelOf(() => failing("context_overflow"));
  const agent = await member(model);
  await expect(turn(agent, never)).rejects.toThrow(
    /^The first request of alice is too large for test\/model: it has about \d+ tokens, \d+ of them tools, rules and project \(the test says context_overflow\)\. Shorten the goal or the rules, or use a model that takes more\.$/,
  );
  expect(model.requests).toHaveLength(1);
});

it.each([
  [402, "from the fallback"],
  [404, "from the fallback"],
  [429, "from the fallback"],
  [400, "model_refused"],
])(
  "continues with the fallback model where the main one is not there or not paid: %i",
  async (status, said) => {
    const fallback = modelOf(() => saying("from the fallback"), { spec: "test/fallback" });
    const agent = await member(
      modelOf(() => failing("model_refused", { status, about: "request" })),
      { fallback },
    );
    const taken = turn(agent, never, new ReplyRecovery(agent));
    expect(await taken.then(({ text }) => text).catch(({ code }: EkidenError) => code)).toBe(said);
  },
);

it("continues with the fallback model for a while, and says so", async () => {
  const fallback = modelOf(() => saying("from the fallback"), { spec: "test/fallback" });
  const main = modelOf((_, nth) => (nth === 1 ? failing("model_overloaded") : saying("from the main one")));
  const agent = await member(main, { fallback });
  const replies = new ReplyRecovery(agent);
  const say = async (): Promise<string> => (await turn(agent, never, replies)).text;
  expect([await say(), await say()]).toEqual(["from the fallback", "from the fallback"]);
  await here.clock.advance(300_000);
  expect(await say()).toBe("from the main one");
  const { events } = await agent.store.journal.read(agent.store.journal.from(0), {
    types: ["warning.raised", "turn.taken"],
  });
  expect(events.map((e) => (e.type === "turn.taken" ? e.model : e.type))).toEqual([
    "warning.raised",
    "test/fallback",
    "test/fallback",
    "test/model",
  ]);
});

// -- a life while the provider is down -----------------------------------------------------------------------------------
type Working = Lived & { readonly agent: Agent; readonly model: Model & { requests: ModelRequest[] } };

async function working(answer: (nth: number) => Answer, idleTimeoutMs = 60_000): Promise<Working> {
  const model = modelOf((_, nth) => answer(nth));
  const agent = await member(model, { conversation: new Conversation() });
  await agent.store.board.add({ subject: "ship it" }, LEAD);
  const lived = living(agent, { idleTimeoutMs });
  return { ...lived, agent, model };
}
const activity = async ({ agent }: Working) => {
  const me = await agent.store.roster.member(alice);
  return { ...me?.activity, task: me?.task };
};
const down = (): Answer => failing("model_overloaded");

it("keeps a teammate and its claim while the provider is down, and continues by itself", async () => {
  const team = await working((nth) =>
    nth <= 3 ? down() : nth === 4 ? calling("complete_task", { result: "ok" }) : saying("done"),
  );
  const waiting = { phase: "idle", reason: "rate_limited", task: 1 };
  await soon(async () => expect(await activity(team)).toEqual(waiting));
  await soon(() => expect(here.clock.sleeping).toBeGreaterThan(0));
  for (const [pause, requests] of [
    [5_000, 2],
    [10_000, 3],
  ] as const) {
    await here.clock.advance(pause - 1);
    expect(team.model.requests).toHaveLength(requests - 1);
    await here.clock.advance(1);
    await soon(() => expect(team.model.requests).toHaveLength(requests));
    await soon(() => expect(here.clock.sleeping).toBeGreaterThan(0));
    expect(await activity(team)).toEqual(waiting);
  }
  await here.clock.advance(20_000);
  await soon(async () => expect((await team.agent.store.board.counts()).completed).toBe(1));
  await soon(async () =>
    expect(await activity(team)).toMatchObject({ phase: "idle", reason: "no_tool_use" }),
  );
  expect((await team.agent.store.board.tasks())[0]).toMatchObject({ attempt: 1, owner: alice });
});

it("waits out a limit that names its end, longer than any idle timeout", async () => {
  const hours = 5 * 3_600_000;
  const team = await working((nth) =>
    nth === 1 ? failing("model_overloaded", { retryAfterMs: hours }) : saying("back"),
  );
  await soon(async () => expect(await activity(team)).toMatchObject({ reason: "rate_limited" }));
  await soon(() => expect(here.clock.sleeping).toBeGreaterThan(0));
  const { events } = await team.agent.store.journal.read("" as Cursor);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "model.retried", attempt: 1, waitMs: hours }),
  );
  await here.clock.advance(hours - 1);
  expect(team.model.requests).toHaveLength(1);
  await here.clock.advance(1);
  await soon(() => expect(team.model.requests.length).toBeGreaterThan(1));
});

it("stops when asked to, also while the provider is down", async () => {
  const team = await working(down);
  await soon(async () => expect(await activity(team)).toMatchObject({ reason: "rate_limited" }));
  const { requests, board } = team.agent.store;
  await requests.ask(LEAD, alice, { kind: "shutdown", reason: "enough" }, instant(here.clock.now() + 30_000));
  expect(await team.end).toMatchObject({ kind: "left", reason: "asked" });
  expect((await board.tasks())[0]?.status).toBe("pending");
});

it.each([
  ["a pause", () => failing("model_overloaded")],
  ["a wait inside of the call", null],
])("makes no call after %s in which another process took the member", async (_, paused) => {
  const { store, seats } = await here.crew(["alice"]);
  const [seat] = seats;
  if (!seat) throw new Error("no seat");
  await store.roster.open(host("other"), "here", 1);
  const lost = () => store.roster.adopt(alice, host("other"), { isAlive: () => false });
  let calls = 0;
  const model: Model = {
    spec: "test/model",
    window: 100_000,
    reply: async (_request, { afterWait }) => {
      calls += 1;
      await lost();
      if (paused) throw paused();
      await afterWait?.();
      calls += 1;
      throw new Error("it asked again");
    },
  };
  const replies = new ReplyRecovery(agentOf(store, seat, here.clock, model, { entries: [heard("go")] }));
  const told = replies.patiently(never, () => replies.next(never)).catch((error: unknown) => error);
  await soon(() => expect(calls).toBe(1));
  if (paused) await soon(() => expect(here.clock.sleeping).toBeGreaterThan(0));
  await here.clock.advance(60_000);
  expect(await told).toMatchObject({ code: "stale_seat" });
  expect(calls).toBe(1);
});

it("makes no call when its process was frozen before it and has lost the member", async () => {
  const { store, seats } = await here.crew(["alice"]);
  const [seat] = seats;
  if (!seat) throw new Error("no seat");
  const model = modelOf(() => saying("hello"));
  const lease = { isFresh: true };
  const options: AgentOptions = { entries: [heard("go")], team: { ...TEAM, lease } };
  const replies = new ReplyRecovery(agentOf(store, seat, here.clock, model, options));
  await store.roster.open(host("other"), "here", 1);
  await store.roster.adopt(alice, host("other"), { isAlive: () => false });
  lease.isFresh = false;
  await expect(replies.next(never)).rejects.toMatchObject({ code: "stale_seat" });
  expect(model.requests).toEqual([]);
});

it("lets the person end the lead's waiting", async () => {
  const { store, lead } = await here.crew([]);
  await store.mail.send(PERSON, { to: LEAD, body: { kind: "note", text: "hello" } });
  const model = modelOf(down);
  const { life, suspend } = living(agentOf(store, lead, here.clock, model));
  const reason = async () => (await store.roster.member(LEAD))?.activity;
  await soon(async () => expect(await reason()).toMatchObject({ reason: "rate_limited" }));
  await soon(() => expect(here.clock.sleeping).toBeGreaterThan(0));
  life.interrupt("person");
  await soon(async () => expect(await reason()).toMatchObject({ reason: "no_tool_use" }));
  await here.clock.advance(600_000);
  expect(model.requests).toHaveLength(1);
  await suspend();
});

it.each(["model_auth", "model_refused"] as const)(
  "fails at once for %s, and gives the task back",
  async (code) => {
    const team = await working(() => failing(code));
    expect(await team.end).toMatchObject({ kind: "left", reason: "failed", error: { code } });
    expect(team.model.requests).toHaveLength(1);
    expect((await team.agent.store.board.tasks())[0]?.status).toBe("pending");
  },
);

it("loses patience with a provider after its time, unless somebody gets an answer", async () => {
  const out: string[] = [];
  const patience = new ProviderTimeout(here.clock, 600_000, (why) => out.push(why));
  patience.down("no route");
  await here.clock.advance(599_999);
  patience.up();
  await here.clock.advance(600_000);
  expect(out).toEqual([]);
  patience.down("busy");
  await here.clock.advance(300_000);
  patience.down("still busy");
  await here.clock.advance(300_000);
  expect(out).toEqual(["still busy"]);
});

it("stops a teammate whose own budget is used up, gives its task back and tells the lead", async () => {
  const { store, seats } = await here.crew(["alice"]);
  const [seat] = seats;
  if (!seat) throw new Error("no seat");
  await store.board.add({ subject: "ship it" }, LEAD);
  const model = modelOf(() => saying("thinking about it"));
  const budget = new Budget({ teammateBudgetTokens: 300 });
  const { end } = living(agentOf(store, seat, here.clock, model), {}, ({ tokens, usd }) => {
    for (const { kind, text } of budget.spend(alice, tokens, usd))
      if (kind === "over") throw new EkidenError("budget", text);
  });
  expect(await end).toMatchObject({ kind: "left", reason: "budget" });
  expect(model.requests).toHaveLength(3);
  expect((await store.board.tasks())[0]?.status).toBe("pending");
  const box = await store.mail.box(LEAD);
  expect(box.at(-1)?.body).toMatchObject({
    kind: "stopped",
    reason: "budget",
    released: [1],
    text: expect.stringContaining("alice's budget of 300 tokens is used up."),
  });
});
