/** These tests check what the features of an agent give together, and how a call passes the wraps. */
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { claimed, name, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { heard, type Message, type Text, textOf } from "../../core/conversation/chat.ts";
import { Conversation } from "../../core/conversation/conversation.ts";
import { asTaskId, PERSON } from "../../core/ids.ts";
import type { Shell, Store, Tool, ToolContext } from "../../ports/index.ts";
import { defineTool } from "../../tools/define.ts";
import type { Agent, Feature, Section } from "./agent.ts";
import { type Call, completedBy, permitted, type Run, type Verdict, type Wrap, wrapped } from "./call.ts";
import { beginStint, collect } from "./feature.ts";

const here = stage("sqlite");
const alice = name("alice");
let store: Store;
let seat: Seat;
beforeEach(async () => {
  const crew = await here.crew(["alice"]);
  store = crew.store;
  seat = crew.seats[0] as Seat;
});

const toolOf = (named: string, says = named): Tool =>
  defineTool({
    ...{ name: named, description: says, access: "read" as const },
    input: () => z.object({}),
    run: async () => says,
  });
const agentWith = (...features: Feature[]): Agent =>
  agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => ({})),
    { features },
  );
const section = (text: string, place: Section["place"] = "system", about = ""): Section => ({
  place,
  about,
  text,
});
const callOf = (agent: Agent, tool: Tool, rest: Partial<Call> = {}): Call => ({
  ...{ tool, input: {}, access: "read" },
  call: { type: "call", id: "c", tool: tool.name, input: {} },
  ctx: { ...agent, self: alice, currentTask: () => store.board.mine(alice) } as unknown as ToolContext,
  ...rest,
});
const names = ({ loadout }: Agent): string[] => [...loadout.tools.keys()];
const marks =
  (mark: string): Wrap =>
  (next) =>
  async (call) =>
    `${mark}(${await next(call)})`;

it("collects the features in their order: sections, folders, tools and wraps, the first outermost", async () => {
  const agent = agentWith(
    {
      sections: () => [section("First."), section("Who.", "own")],
      tools: () => [toolOf("a", "old"), toolOf("b")],
      wrap: marks("outer"),
    },
    { sections: () => [section("")], readable: () => ["/out"] },
    {
      sections: () => [section("Second."), section("Rules.", "shared")],
      tools: async () => [toolOf("a", "new")],
      wrap: marks("inner"),
    },
  );
  await collect(agent);
  const { opening, readable, run, tools } = agent.loadout;
  expect(opening).toMatchObject({ system: "First.\n\nSecond.", shared: "Rules.", own: "Who." });
  expect([readable, names(agent)]).toEqual([["/out"], ["a", "b"]]);
  expect(opening.tools.map(({ description }) => description)).toEqual(["new", "b"]);
  let began = 0;
  const onRun = (): void => {
    began += 1;
  };
  expect(await run(callOf(agent, tools.get("a") as Tool, { onRun }))).toBe("outer(inner(new))");
  expect(began).toBe(1);
});

it("tells a conversation that has begun what changes, once, and leaves its beginning as it was", async () => {
  let rules = "Rule 1.";
  let tools = [toolOf("a"), toolOf("b")];
  const agent = agentWith({
    sections: () => [section("How to work."), section(rules, "shared", "rules"), section("", "own", "role")],
    tools: () => tools,
  });
  const heardNow = (): string => textOf(agent.conversation.messages().at(-1) as Message);
  await beginStint(agent);
  expect(agent.conversation.isEmpty).toBe(true); // it begins with the rules of now
  const begun = agent.loadout.opening;
  agent.conversation.add({ kind: "opened", ...begun });
  agent.conversation.add(heard("go"));
  await beginStint(agent);
  expect(agent.conversation.news).toEqual(["go"]);

  [rules, tools] = ["Rule 2.", [toolOf("b"), toolOf("c")]];
  await beginStint(agent);
  expect(agent.conversation.opening).toEqual(begun);
  expect(heardNow()).toContain('<update about="rules">\nRule 2.\n</update>');
  expect(heardNow()).toContain("These cannot be called now: a.");
  expect(heardNow()).toContain("came up since this conversation began: c. You have them from your next");
  await beginStint(agent);
  expect(agent.conversation.news).toHaveLength(3); // told once
  const said = agent.conversation.unanswered?.content as Text[];
  expect(said.filter(({ ofProgram }) => ofProgram).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^<update about="tools">/),
  ]);

  [rules, tools] = ["", [toolOf("a"), toolOf("b")]];
  await beginStint(agent);
  expect(agent.conversation.news.slice(-2)).toEqual(
    ["rules", "tools"].map((about) => `<update about="${about}">\n(This no longer applies.)\n</update>`),
  );
  const again = new Conversation(await store.transcript.current(alice));
  expect(again.told).toMatchObject({ rules: agent.conversation.told.rules }); // a restart tells nothing twice
});

const closed = (): null => null;
const inSandbox = { close: async () => {} } as Shell;
it.each([
  [{ allowed: true }, false, false],
  [{ allowed: true, closed }, true, false],
  [{ allowed: true, shell: () => inSandbox }, false, true],
  [{ allowed: true, closed, shell: () => inSandbox }, true, true],
] as [Verdict, boolean, boolean][])(
  "an allowed call has the limits of its verdict: %j",
  async (verdict, closes, confines) => {
    const agent = agentWith();
    const given = callOf(agent, toolOf("a"));
    let seen: Call | undefined;
    const next: Run = async (call) => {
      seen = call;
      return "ran";
    };
    expect(await permitted(() => verdict)(next)(given)).toBe("ran");
    expect(seen?.ctx.closed).toBe(closes ? closed : undefined);
    expect(seen?.ctx.shell).toBe(confines ? inSandbox : agent.shell);
    expect(seen === given).toBe(!closes && !confines);
  },
);

it("a refused call does not run, and its time counts from the decision", async () => {
  let decided = 0;
  const onPermitted = (): void => {
    decided += 1;
  };
  const call = callOf(agentWith(), toolOf("a"), { onPermitted });
  const run = permitted(async () => ({ allowed: false, reason: "Not here." }))(wrapped([]));
  await expect(run(call)).rejects.toMatchObject({ code: "not_permitted", message: "Not here." });
  expect(decided).toBe(1);
  expect(await permitted(() => ({ allowed: true }))(wrapped([]))(call)).toBe("a");
  expect(decided).toBe(2);
});

it.each([
  [undefined, 1],
  [1, 1],
  [2, 2],
  [9, undefined],
])("a completion that names task %s is about task %s", async (id, about) => {
  await store.board.addAll([{ subject: "paint" }, { subject: "sweep" }], PERSON);
  await claimed(store, seat);
  const input = id === undefined ? {} : { id: asTaskId(id) };
  expect((await completedBy(callOf(agentWith(), toolOf("a"), { input })))?.id).toBe(about);
});
