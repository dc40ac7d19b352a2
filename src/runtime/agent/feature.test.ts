/** What the features of an agent give together, and how a call passes the wraps. */
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { claimed, name, stage } from "../../../test/fixtures/stage.ts";
import { asTaskId, PERSON } from "../../core/ids.ts";
import type { Seat } from "../../core/member.ts";
import type { Shell, Store, Tool, ToolContext } from "../../ports/index.ts";
import { defineTool } from "../../tools/define.ts";
import type { Agent } from "./agent.ts";
import { type Call, completedBy, permitted, type Run, type Verdict, type Wrap, wrapped } from "./call.ts";
import { beginStint, collect, type Feature, offerTools } from "./feature.ts";

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
    { section: () => "First.", tools: () => [toolOf("a", "old"), toolOf("b")], wrap: marks("outer") },
    { section: () => "", readable: () => ["/out"] },
    { section: () => "Second.", tools: async () => [toolOf("a", "new")], wrap: marks("inner") },
  );
  await collect(agent);
  const { system, readable, specs, run, tools } = agent.loadout;
  expect([system, readable, names(agent)]).toEqual(["First.\n\nSecond.", ["/out"], ["a", "b"]]);
  expect(specs.map(({ description }) => description)).toEqual(["new", "b"]);
  let began = 0;
  const onRun = (): void => {
    began += 1;
  };
  expect(await run(callOf(agent, tools.get("a") as Tool, { onRun }))).toBe("outer(inner(new))");
  expect(began).toBe(1);
});

it("reads the features anew at the start of a stint, and only adds tools in the middle of it", async () => {
  let version = 0;
  let needed: Tool[] = [];
  const agent = agentWith(
    {
      refresh: async () => {
        version += 1;
      },
      section: () => `Version ${version}.`,
      tools: () => [toolOf(`tool${version}`)],
    },
    { toolsOnceNeeded: () => needed, narrow: (tools) => tools.filter((tool) => tool.name !== "banned") },
  );
  await beginStint(agent);
  expect([agent.loadout.system, names(agent)]).toEqual(["Version 1.", ["tool1"]]);
  needed = [toolOf("late"), toolOf("banned")];
  version = 7;
  await offerTools(agent);
  expect([agent.loadout.system, names(agent)]).toEqual(["Version 1.", ["tool1", "late"]]);
  needed = []; // it stays on offer
  await beginStint(agent);
  expect([agent.loadout.system, names(agent)]).toEqual(["Version 8.", ["tool8", "late"]]);
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
