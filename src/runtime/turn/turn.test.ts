/** One turn: what it stores with the reply, whom it reports to, and whether the member continues. */
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { type AgentOptions, agentOf, calling, modelOf, saying } from "../../../test/fixtures/member.ts";
import { claimed, held, name, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { type Entry, heard, INVALID_INPUT, textOf } from "../../core/conversation/chat.ts";
import { CUT_OFF, NOTHING_SAID } from "../../core/conversation/prompt.ts";
import { LEAD, type Name, PERSON } from "../../core/ids.ts";
import type { Reply, Store } from "../../ports/index.ts";
import { defineTool } from "../../tools/define.ts";
import { readMail, turn } from "./turn.ts";

const here = stage("sqlite");
const alice = name("alice");
const never = new AbortController().signal;
let store: Store;
let seats: { readonly lead: Seat; readonly alice: Seat; readonly bob: Seat };
beforeEach(async () => {
  const crew = await here.crew(["alice", "bob"]);
  store = crew.store;
  seats = { lead: crew.lead, alice: crew.seats[0] as Seat, bob: crew.seats[1] as Seat };
});

const idle = defineTool({
  ...{ name: "idle", description: "", access: "team" as const },
  input: () => z.object({}),
  run: async (_, { rest }) => {
    rest("asked_to_idle");
    return "ok";
  },
});
const look = defineTool({
  ...{ name: "look", description: "", access: "read" as const },
  input: () => z.object({}),
  run: async () => "seen",
});

function taken(reply: Partial<Reply>, options: AgentOptions = {}, seat = seats.alice) {
  const model = modelOf(() => {
    here.clock.stall(40);
    return reply;
  });
  const agent = agentOf(store, seat, here.clock, model, {
    tools: [idle, look],
    entries: [heard("go")],
    ...options,
  });
  return { agent, outcome: turn(agent, never) };
}
const reports = async (to: Name): Promise<unknown[]> =>
  (await store.mail.box(to)).map(({ body }) => body).filter(({ kind }) => kind === "result");
const said = (text: string, ...more: readonly string[]): Entry => ({
  kind: "said",
  message: { role: "assistant", content: [text, ...more].map((one) => ({ type: "text", text: one })) },
});

it.each([
  ["calls a tool", calling("look"), "acted", "no_tool_use", 1],
  ["calls idle", calling("idle"), "rested", "asked_to_idle", 1],
  ["says something", saying("Done."), "rested", "no_tool_use", 0],
  ["says nothing", saying(""), "acted", "no_tool_use", 0],
] as const)("after a reply that %s the member %s", async (what, reply, kind, reason, calls) => {
  const { agent, outcome } = taken(reply);
  const { round, ...rest } = await outcome;
  expect(rest).toMatchObject({ kind, reason, tokens: 110, report: [] });
  expect(rest.calls).toHaveLength(calls);
  expect(round.map((entry) => entry.kind)).toEqual(calls === 0 ? ["said"] : ["said", "result"]);
  expect(agent.conversation.news.includes(NOTHING_SAID)).toBe(what === "says nothing");
});

it.each([undefined, name("alice/1")])(
  "records what the reply took and cost, also of a subagent: %s",
  async (subagent) => {
    const usage = { inputTokens: 7, cachedTokens: 3, outputTokens: 2 };
    await taken({ ...saying("Done."), usage, usd: 0.5 }, { subagent }).outcome;
    const [fact] = await journalOf(store).events("turn.taken");
    expect(fact).toMatchObject({
      who: alice,
      model: "test/model",
      ...usage,
      usd: 0.5,
      ms: 40,
      text: "Done.",
    });
    expect((fact as { subagent?: Name } | undefined)?.subagent).toBe(subagent);
    expect(await store.roster.member(alice)).toMatchObject({ turns: 1, usd: 0.5, inputTokens: 7 });
  },
);

it("adds the reminders that are due after a round of calls", async () => {
  const rounds: number[] = [];
  const reminds = {
    afterRound: (round: readonly Entry[]) => {
      rounds.push(round.length);
      return heard("Update your list");
    },
  };
  const { agent, outcome } = taken(calling("look"), { features: [reminds, { afterRound: () => null }] });
  await outcome;
  expect(rounds).toEqual([2]);
  expect(agent.conversation.news).toEqual(["Update your list"]);
  expect(await store.transcript.current(alice)).toHaveLength(4); // with the opening
});

it.each([
  // [who reports, to whom]
  ["lead", PERSON],
  ["alice", LEAD],
] as const)("mails the last words of a stint: %s to %s", async (who, to) => {
  await taken(saying(" It works. "), {}, seats[who]).outcome;
  expect(await reports(to)).toEqual([{ kind: "result", task: null, inHand: false, text: "It works." }]);
});

it.each([
  ["nothing", saying("")],
  ["a call", { ...calling("look") }],
  [
    "a call with words",
    {
      message: {
        role: "assistant",
        content: [...(saying("Now").message?.content ?? []), ...(calling("look").message?.content ?? [])],
      },
    },
  ],
  ["half an answer", { ...saying("It wor"), stop: "length" }],
] as const)("mails no report of %s", async (_, reply) => {
  await taken(reply as Partial<Reply>).outcome;
  expect(await reports(LEAD)).toEqual([]);
});

it("mails no report of a subagent, whose last words are the result of a call", async () => {
  await taken(saying("It works."), { kind: "subagent" }).outcome;
  expect([await reports(LEAD), await reports(PERSON)]).toEqual([[], []]);
});

it.each([
  [true, 1],
  [false, 0],
])("keeps its report until the hooks let it rest, if there are such hooks: %s", async (asksAtStop, kept) => {
  const none = async (): Promise<null> => null;
  const { outcome } = taken(saying("Done."), {
    hooks: { asksAtStop, stop: none, idle: none, compact: none },
  });
  expect((await outcome).report).toHaveLength(kept);
  expect(await reports(LEAD)).toHaveLength(1 - kept);
});

it.each([
  ["in progress", true],
  ["completed", false],
  ["of another owner", false],
  ["that nobody has", false],
] as const)(
  "says whether its report is about an unfinished task of its own: a task %s",
  async (state, inHand) => {
    const { id } = await store.board.add({ subject: "paint" }, PERSON);
    if (state === "of another owner") await claimed(store, seats.bob);
    if (state === "in progress" || state === "completed") {
      const task = await claimed(store, seats.alice);
      if (state === "completed") await store.board.complete(held(seats.alice, task), "done");
    }
    await taken(saying("Done."), { about: () => id }).outcome;
    expect(await reports(LEAD)).toEqual([{ kind: "result", task: id, inHand, text: "Done." }]);
  },
);

it.each([
  // [what was said before, the report]
  ["one part before", [said("It wo"), heard(CUT_OFF)], "It works."],
  ["two parts before", [said("I say"), heard(CUT_OFF), said(": it wo"), heard(CUT_OFF)], "I say: it works."],
  [
    "an answer before it that was whole",
    [said("Hello"), heard("go on"), said("It wo"), heard(CUT_OFF)],
    "It works.",
  ],
  ["other news with the cut", [said("It wo"), heard(CUT_OFF), heard("mail")], "It works."],
  ["no cut", [said("It wo"), heard("go on")], "rks."],
  ["several texts in a part", [said("It", "wo"), heard(CUT_OFF)], "It\nworks."],
] as const)("joins a report that the output limit cut into parts: %s", async (_, before, text) => {
  await taken(saying("rks."), { entries: [heard("go"), ...before] }).outcome;
  expect(await reports(LEAD)).toEqual([{ kind: "result", task: null, inHand: false, text }]);
});

it("joins nothing to a reply that made calls before the cut", async () => {
  const message = {
    role: "assistant",
    content: [
      { type: "text", text: "Let me see" },
      { type: "call", id: "c1", tool: "look", input: {} },
    ],
  } as const;
  const result = { type: "result", id: "c1", tool: "look", text: "seen", isError: false } as const;
  const entries: Entry[] = [
    heard("go"),
    { kind: "said", message },
    { kind: "result", result },
    heard(CUT_OFF),
  ];
  const { agent, outcome } = taken(saying("It works."), { entries });
  expect((await outcome).text).toBe("It works.");
  expect(textOf(agent.conversation.lastSaid as never)).toBe("It works.");
});

it.each([
  ["length", "the output limit cut your answer off"],
  ["calls", "was not a JSON object"],
] as const)("tells a half call from a wrong one by the end of the reply: %s", async (stop, text) => {
  const { outcome } = taken({ ...calling("look", { [INVALID_INPUT]: "{" }), stop });
  expect(JSON.stringify((await outcome).round[1])).toContain(text);
});

it("reads unread mail into the conversation, once", async () => {
  const { agent } = taken(saying("Done."), { entries: [] });
  await store.mail.send(PERSON, { to: alice, body: { kind: "note", text: "Look" } });
  expect([(await readMail(agent)).length, (await readMail(agent)).length]).toEqual([1, 0]);
  expect(agent.conversation.news.join()).toContain("Look");
});
