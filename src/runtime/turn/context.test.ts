import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { FUZZ } from "../../../test/fixtures/fuzz.ts";
import {
  type AgentOptions,
  type Answer,
  agentOf,
  calling,
  endLives,
  failing,
  identityOf,
  living,
  modelOf,
  saying,
} from "../../../test/fixtures/member.ts";
import { conversationFaults } from "../../../test/fixtures/model-server/check.ts";
import { soon } from "../../../test/fixtures/soon.ts";
import { host, name, profile, stage } from "../../../test/fixtures/stage.ts";
import { type Entry, heard, type Message } from "../../core/conversation/chat.ts";
import { Conversation } from "../../core/conversation/conversation.ts";
import { prefixBreaks } from "../../core/conversation/prefix.ts";
import { claimed } from "../../core/conversation/prompt.ts";
import { messageOf } from "../../core/errors.ts";
import { LEAD, PERSON } from "../../core/ids.ts";
import { DEFAULT_SETTINGS } from "../../core/settings/settings.ts";
import type { Model, ModelRequest } from "../../ports/index.ts";
import { compact as compactOf } from "../../tools/compact.ts";
import type { Agent } from "../agent/agent.ts";
import { budgeted } from "../wraps/result-size.ts";
import { Context } from "./context.ts";
import { ProviderBackoff } from "./provider-backoff.ts";
import { appendNote } from "./record.ts";
import { ReplyRecovery } from "./reply-recovery.ts";
import { readMail, turn } from "./turn.ts";

const compact = compactOf(() => Number.POSITIVE_INFINITY);

const here = stage("sqlite");
const never = new AbortController().signal;
const alice = name("alice");
const SMALL = { ...DEFAULT_SETTINGS, contextShare: 0.8, contextTokens: 4_000, trimTokens: 1_000 };

afterEach(endLives);

async function member(model: Model, rest: AgentOptions = {}): Promise<Agent> {
  const { store, seats } = await here.crew(["alice"]);
  const [seat] = seats;
  if (!seat) throw new Error("no seat");
  return agentOf(store, seat, here.clock, model, { tools: [compact], context: SMALL, ...rest });
}
const asked = (request: ModelRequest): boolean => request.tools.length === 0;
const words = (messages: readonly Message[] | undefined): string => JSON.stringify(messages);
const count = (text: string, part: string): number => text.split(part).length - 1;
/** A conversation of about `characters`, written as entries of the agent's own transcript. */
async function talk({ store, seat, conversation }: Agent, characters: number): Promise<void> {
  const entries: Entry[] = [
    heard(`the goal ${"g".repeat(characters / 2)}`),
    {
      kind: "said",
      message: { role: "assistant", content: [{ type: "text", text: "s".repeat(characters / 2) }] },
    },
  ];
  await store.transcript.record(seat, entries);
  for (const entry of entries) conversation.add(entry);
}
const compactions = async ({ store }: Agent) =>
  (await store.journal.read(store.journal.from(0), { types: ["context.compacted"] })).events;

it("puts notes in the place of a long conversation and loses neither who it is, nor its task, nor mail", async () => {
  const model = modelOf((request) =>
    asked(request) ? { ...saying("Goal: ship\nDone: half"), usd: 0.25 } : saying("on it"),
  );
  const agent = await member(model);
  const { store, seat, conversation } = agent;
  await store.board.add({ subject: "ship it", description: "with all the lights on" }, LEAD);
  const task = await store.board.claimNext(seat, claimed);
  if (task) conversation.add(claimed(task));
  await talk(agent, 20_000);
  await store.mail.send(LEAD, { to: alice, body: { kind: "note", text: "hurry up" } });
  await readMail(agent);
  await store.mail.send(LEAD, { to: alice, body: { kind: "note", text: "not read yet" } });

  expect(await turn(agent, never)).toMatchObject({ text: "on it", tokens: 220, usd: 0.25 });
  const [summary, next] = model.requests;
  const id = identityOf(agent);
  expect([count(summary?.system ?? "", id), count(words(summary?.messages), id)]).toEqual([1, 0]);
  expect(summary?.messages).toHaveLength(1);
  expect([
    count(next?.system ?? "", id),
    count(words(next?.messages), JSON.stringify(id).slice(1, -1)),
  ]).toEqual([0, 1]);
  const text = words(next?.messages);
  for (const part of [
    "Goal: ship",
    "with all the lights on",
    'attempt=\\"1\\"',
    "hurry up",
    "Unread mail: 1",
  ])
    expect(text).toContain(part);
  expect(text).not.toContain("not read yet");
  expect(text).not.toContain("ggggg");

  const me = await store.roster.member(alice);
  expect(me).toMatchObject({ turns: 2, inputTokens: 200, usd: 0.25 });
  expect(await compactions(agent)).toMatchObject([{ who: alice, layer: "summary" }]);
  const all = await store.transcript.all(alice);
  expect(words(all.map((row) => row.entry) as never)).toContain("ggggg"); // still there for whoever reads it back
  const again = new Conversation(await store.transcript.current(alice));
  expect(again.messages()).toEqual(conversation.messages());
});

it.each([
  [300, 300],
  [8_000, 1_000], // a quarter of the limit
])("asks for notes of at most the %i tokens of the setting", async (notesTokens, wanted) => {
  const model = modelOf((request) => (asked(request) ? saying("Goal: ship") : saying("on it")));
  const agent = await member(model, { context: { ...SMALL, notesTokens } });
  await talk(agent, 20_000);
  await turn(agent, never);
  expect(model.requests.find(asked)?.maxOutputTokens).toBe(wanted);
});

it("keeps what the person said word for word: the goal, and of the rest the newest", async () => {
  const model = modelOf((request) =>
    asked(request) ? saying("Goal: something with lights") : saying("on it"),
  );
  const agent = await member(model);
  const { store } = agent;
  const say = async (text: string): Promise<void> => {
    await store.mail.send(PERSON, { to: alice, body: { kind: "note", text } });
    await readMail(agent);
  };
  await say("Ship it with <mail> and lights on.");
  await say(`A long story. ${"x".repeat(3_000)}`);
  await say("Never touch the keel.");
  await talk(agent, 20_000);
  await turn(agent, never);
  await say("Hurry.");
  await talk(agent, 20_000);
  await turn(agent, never);
  const text = words(model.requests.at(-1)?.messages);
  for (const part of ["Ship it with &lt;mail> and lights on.", "Never touch the keel.", "Hurry."])
    expect(count(text, part)).toBe(1);
  expect(text).not.toContain("xxxxx");
});

it("sends old results as lines long before that, decides it once, and finds it decided after a restart", async () => {
  const model = modelOf(() => saying("."));
  const agent = await member(model);
  const { store, seat, conversation } = agent;
  const step = (n: number): Entry[] => [
    {
      kind: "said",
      message: {
        role: "assistant",
        content: [{ type: "call", id: `c${n}`, tool: "bash", input: { command: `run ${n}` } }],
      },
    },
    {
      kind: "result",
      result: { type: "result", id: `c${n}`, tool: "bash", text: `${n}`.repeat(1_500), isError: false },
    },
  ];
  const entries = [heard("go"), ...[1, 2, 3, 4, 5, 6].flatMap(step)];
  await store.transcript.record(seat, entries);
  for (const entry of entries) conversation.add(entry);
  const replies = new ReplyRecovery(agent);
  await turn(agent, never, replies);
  conversation.add(heard("and?"));
  await turn(agent, never, replies);
  const [first, second] = model.requests;
  expect(words(first?.messages)).toContain("[left out: bash run 3, 1500 characters");
  expect(words(first?.messages)).toContain("4".repeat(1_500));
  expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
  expect(await compactions(agent)).toMatchObject([{ layer: "micro" }]);
  const again = new Conversation(await store.transcript.current(alice));
  expect(again.messages().slice(0, 13)).toEqual(conversation.messages().slice(0, 13));
});

it("ends a member whose summaries fail three times in a row, with the reason", async () => {
  const model = modelOf((request) => (asked(request) ? {} : saying("never")));
  const agent = await member(model);
  await talk(agent, 20_000);
  agent.conversation.add(heard("go on"));
  const lived = living(agent);
  expect(await lived.end).toMatchObject({
    kind: "left",
    reason: "failed",
    error: { code: "context_overflow" },
  });
  expect(model.requests).toHaveLength(3);
  expect(model.requests.every(asked)).toBe(true);
  const lengths = model.requests.map((request) => words(request.messages).length);
  expect(lengths[1]).toBeLessThan(lengths[0] ?? 0); // each attempt with less
});

it("names the setting when that is what a conversation does not fit into, else the model's window", async () => {
  const summing = modelOf((request) => (asked(request) ? {} : saying("never")));
  const agent = await member({ ...summing, window: 100_000 } as Model);
  const refusal = async (context: object, model: Partial<Model>): Promise<string> => {
    const small = { ...agent, context: { ...SMALL, ...context } } as Agent;
    agent.conversation.add(heard("go on"));
    return await new Context(small, new ProviderBackoff(small))
      .fit({ ...summing, ...model } as Model, never)
      .then(() => "", messageOf);
  };
  await talk(agent, 20_000);
  expect(await refusal({ contextTokens: 4_000 }, { window: 100_000 })).toMatch(
    /does not fit into the 4000 tokens of the setting contextTokens: .* Raise contextTokens, or/,
  );
  expect(await refusal({ contextTokens: 90_000 }, { window: 5_000 })).toMatch(
    /does not fit into the 5000 tokens of .* Use a model with a larger window, or/,
  );
});

it("does not sum up for ever when the rest is what fills the window", async () => {
  const model = modelOf((request) => (asked(request) ? saying("notes") : saying("s".repeat(200))));
  const agent = await member(model, { system: `You are "alice".\n\n${"r".repeat(20_000)}` });
  const replies = new ReplyRecovery(agent);
  await talk(agent, 1_000);
  const turns = async (): Promise<void> => {
    for (let n = 0; n < 10; n += 1) {
      agent.conversation.add(heard("next"));
      await turn(agent, never, replies);
    }
  };
  await expect(turns()).rejects.toMatchObject({ code: "context_overflow" });
  expect(model.requests.length).toBeLessThan(8);
});

it("cuts mail that alone would fill the window, and says where the whole of it is", async () => {
  const files = new Map<string, string>();
  const model = modelOf(() => saying("read"));
  const agent = await member(model, {
    spool: (label, text) => {
      files.set(label, text);
      return Promise.resolve(`/out/${label}`);
    },
  });
  await agent.store.mail.send(LEAD, {
    to: alice,
    body: { kind: "note", text: `begin ${"m".repeat(90_000)} end` },
  });
  await readMail(agent);
  await turn(agent, never);
  expect(model.requests).toHaveLength(1);
  expect(words(model.requests[0]?.messages)).toMatch(
    /begin m+.*left out; all of it is in \/out\/alice-news.*m+ end/,
  );
  expect(files.get("alice-news")).toContain("m".repeat(90_000));
});

it("sums up when the model asks for it, before its next turn", async () => {
  const model = modelOf((request, nth) =>
    asked(request) ? saying("Goal: x") : nth === 1 ? calling("compact") : saying("fresh"),
  );
  const agent = await member(model);
  agent.conversation.add(heard("go"));
  const replies = new ReplyRecovery(agent);
  await turn(agent, never, replies);
  await turn(agent, never, replies);
  expect(model.requests.map(asked)).toEqual([false, true, false]);
  const last = model.requests[2]?.messages ?? [];
  expect(conversationFaults(last)).toEqual([]);
  expect(words(last)).toContain("[result of compact]");
});

it("sums up an idle member by hand, which wakes nobody, also not after a restart", async () => {
  const model = modelOf((request) => (asked(request) ? saying("Goal: x") : saying("hello")));
  const agent = await member(model);
  await agent.store.mail.send(LEAD, { to: alice, body: { kind: "note", text: "hi" } });
  const lived = living(agent);
  const phase = async () => (await agent.store.roster.member(alice))?.activity.phase;
  await soon(async () => expect(await phase()).toBe("idle"));
  const done = await lived.life.compact();
  expect(done?.after).toBeGreaterThan(0);
  expect(model.requests.map(asked)).toEqual([false, true]);
  expect(await lived.life.compact()).toBeNull();
  await lived.suspend();
  const conversation = new Conversation(await agent.store.transcript.current(alice));
  expect(conversation.awaitsReply).toBe(false);
  expect(count(words(conversation.messages(agent.loadout.opening)), 'You are \\"alice\\"')).toBe(1);
  expect(await lived.life.compact()).toBeNull();
});

it("begins again by hand without a model call, and no later summary brings back what the person said before", async () => {
  const model = modelOf((request) => (asked(request) ? saying("Goal: y") : saying("hello")));
  const agent = await member(model);
  const { store } = agent;
  const told = (text: string) => store.mail.send(PERSON, { to: alice, body: { kind: "note", text } });
  await told(`the first secret plan${" and more".repeat(100)}`);
  const lived = living(agent);
  const phase = async () => (await store.roster.member(alice))?.activity.phase;
  await soon(async () => expect(await phase()).toBe("idle"));
  const done = await lived.life.compact(true);
  expect(done?.after).toBeLessThan(done?.before ?? 0);
  expect(model.requests.map(asked)).toEqual([false]);
  expect(await compactions(agent)).toMatchObject([{ layer: "clear" }]);
  expect(await lived.life.compact(true)).toBeNull();
  await told("a second plan");
  await soon(() => expect(model.requests).toHaveLength(2));
  const second = words(model.requests[1]?.messages);
  expect(second).toContain("a second plan");
  expect(second).toContain("The person has begun a new conversation with you.");
  expect(second).not.toMatch(/first secret|hello/);
  await soon(async () => expect(await phase()).toBe("idle"));
  for (const goes of ["live", "after a restart"] as const) {
    if (goes === "live") await lived.life.compact();
    const now = new Conversation(await store.transcript.current(alice));
    expect(now.awaitsReply).toBe(false);
    expect(words(now.messages())).toContain("a second plan");
    expect(words(now.messages())).not.toContain("first secret");
    expect(count(words(now.messages(agent.loadout.opening)), 'You are \\"alice\\"')).toBe(1);
  }
  await lived.suspend();
  expect((await store.transcript.all(alice)).map(({ entry }) => JSON.stringify(entry)).join("\n")).toContain(
    "first secret",
  );
});

it("tells who asked by hand that it failed, and leaves the member alone", async () => {
  const model = modelOf((request) => (asked(request) ? failing("model_refused") : saying("hello")));
  const agent = await member(model);
  await agent.store.mail.send(LEAD, { to: alice, body: { kind: "note", text: "hi" } });
  const lived = living(agent);
  await soon(() => expect(model.requests.length).toBeGreaterThan(0));
  const why = /did not sum up the conversation of alice: .* It stays as it is, and still fits\.$/;
  await expect(lived.life.compact()).rejects.toMatchObject({
    code: "context_overflow",
    message: expect.stringMatching(why),
  });
  expect((await agent.store.roster.member(alice))?.activity.phase).not.toBe("shutdown");
});

it("puts a result that is too long for the window into a file when it comes", async () => {
  const big = { ...compact, run: () => Promise.resolve(`start ${"z".repeat(100_000)} finish`) };
  const labels: string[] = [];
  const intoFile = budgeted(10_000, (label) => {
    labels.push(label);
    return Promise.resolve("/out/it");
  });
  const model = modelOf((_, nth) => (nth === 1 ? calling("compact") : saying("ok")));
  const agent = await member(model, { tools: [big], wraps: [intoFile] });
  agent.conversation.add(heard("go"));
  await turn(agent, never);
  const result = agent.conversation.unanswered?.content[0];
  expect(result?.type === "result" && result.text).toMatch(
    /^start z+\n\[… \d+ characters left out; all of it is in \/out\/it …\]\nz+ finish$/,
  );
  expect(result?.type === "result" && result.text.length).toBeLessThan(8_200);
  expect(labels[0]).toMatch(/^alice-compact-call-\d+$/);
});

it("keeps every request fit, whoever it is and what it holds in it, through random histories with restarts", async () => {
  const action = fc.oneof(
    fc.record({ do: fc.constant("mail" as const), size: fc.nat(6_000) }),
    fc.record({
      do: fc.constant("call" as const),
      size: fc.nat(5_000),
      tool: fc.constantFrom("read_file", "bash"),
    }),
    fc.record({ do: fc.constant("say" as const), size: fc.nat(1_500) }),
    fc.record({ do: fc.constantFrom("compact" as const, "restart" as const), size: fc.constant(0) }),
  );
  let team = 0;
  let summaries = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40 }), async (actions) => {
      team += 1;
      const store = await here.open({ team: name(`random-${team}`) });
      await store.roster.open(host("here"), "this machine", process.pid);
      await store.roster.join(profile("lead", { kind: "lead" }), host("here"), LEAD);
      const seat = await store.roster.join(profile("alice"), host("here"), LEAD);
      await store.board.add({ subject: "the lighthouse", description: "the lamp must stay lit" }, LEAD);
      await store.board.claimNext(seat, claimed);

      let answer: Answer = saying("x");
      let fresh: string[] = [];
      const faults: string[] = [];
      const model = modelOf((request) => {
        const text = request.messages
          .flatMap(({ content }) => content.map((c) => ("text" in c ? c.text : "")))
          .join("\n");
        faults.push(...conversationFaults(request.messages));
        if (asked(request)) {
          summaries += 1;
          if (count(request.system, id) !== 1) faults.push("a question for notes does not say who asks");
          if (text.includes(id)) faults.push("who it is stands in what is summed up");
          return saying(`${id} Goal: light.`);
        }
        if (count(text, id) !== 1) faults.push("who it is, not once");
        if (!text.includes("the lamp must stay lit")) faults.push("the task is lost");
        for (const mark of fresh) if (!text.includes(mark)) faults.push(`mail ${mark} is lost`);
        return answer;
      });
      const echo = (tool: string) => ({
        ...compact,
        name: tool,
        run: () => Promise.resolve("r".repeat(size)),
      });
      let size = 0;
      const tools = ["read_file", "bash"].map(echo);
      const born = async (): Promise<Agent> =>
        agentOf(store, seat, here.clock, model, {
          tools,
          context: SMALL,
          entries: await store.transcript.current(alice),
        });
      let agent = await born();
      const id = identityOf(agent);
      let replies = new ReplyRecovery(agent);
      for (const [n, next] of actions.entries()) {
        size = next.size;
        if (next.do === "restart") {
          agent = await born();
          replies = new ReplyRecovery(agent);
          continue;
        }
        if (next.do === "compact") {
          replies.context.ask();
          continue;
        }
        if (next.do === "mail") {
          await store.mail.send(LEAD, {
            to: alice,
            body: { kind: "note", text: `mail-${n}-mark ${"m".repeat(size)}` },
          });
          fresh.push(`mail-${n}-mark`);
        }
        answer = next.do === "call" ? calling(next.tool, { path: `f${n}` }) : saying(`s${"y".repeat(size)}`);
        await readMail(agent);
        if (!agent.conversation.awaitsReply) await appendNote(agent, heard("next"));
        await turn(agent, never, replies);
        fresh = [];
      }
      expect(faults).toEqual([]);
      const all = await store.transcript.all(alice, 0, 10_000);
      expect(prefixBreaks(all.map(({ entry }) => entry))).toEqual([]);
    }),
    { ...FUZZ, numRuns: 12 },
  );
  expect(summaries).toBeGreaterThan(12);
});

it("estimates by what the provider counted", async () => {
  const agent = await member(modelOf(() => saying("ok")));
  await talk(agent, 20_000);
  const context = new Context(agent, new ProviderBackoff(agent));
  const before = context.tokens;
  const counted = { inputTokens: before * 2, cachedTokens: 0, outputTokens: 1 };
  for (let nth = 0; nth < 20; nth += 1)
    context.learn({ usage: counted } as Parameters<Context["learn"]>[0], context.characters);
  expect(context.tokens / (before * 2)).toBeGreaterThan(0.8);
});

it("remembers that a provider refused a length: it is not sent again", async () => {
  let refused = 0;
  const model = modelOf((request) => {
    if (asked(request)) return saying("notes");
    if (words(request.messages).length < 30_000) return saying("ok");
    refused += 1;
    return failing("context_overflow");
  });
  const agent = await member(model, {
    context: { ...SMALL, contextTokens: 50_000, trimTokens: 50_000 },
  });
  const replies = new ReplyRecovery(agent);
  for (let nth = 0; nth < 3; nth += 1) {
    await talk(agent, 40_000);
    expect(await turn(agent, never, replies)).toMatchObject({ text: "ok" });
  }
  expect(refused).toBe(1);
});

it("says with what words the provider refused to sum up", async () => {
  const model = modelOf(() => failing("context_overflow"));
  const agent = await member(model);
  await talk(agent, 20_000);
  await expect(turn(agent, never)).rejects.toThrow(
    /summaries failed, the last because: the test says context_overflow/,
  );
});
