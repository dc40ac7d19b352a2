/** These tests check when a member rests because it does nothing, what becomes of its tasks, and when it is able again. */
import { beforeEach, expect, it } from "vitest";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { type AgentOptions, agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { name, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { textOf } from "../../core/conversation/chat.ts";
import { STILL_YOURS } from "../../core/conversation/prompt.ts";
import { asTaskId, LEAD, later, PERSON } from "../../core/ids.ts";
import { LoopDetector } from "../../core/progress/loop.ts";
import type { Store } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { CurrentTask } from "./current-task.ts";

const here = stage("sqlite");
const alice = name("alice");
const FIRST = asTaskId(1);
type Placed = { readonly agent: Agent; readonly current: CurrentTask };
let store: Store;
let seats: { readonly alice: Seat; readonly bob: Seat };
beforeEach(async () => {
  const crew = await here.crew(["alice", "bob"]);
  store = crew.store;
  seats = { alice: crew.seats[0] as Seat, bob: crew.seats[1] as Seat };
});

function place(seat: Seat = seats.alice, options: AgentOptions = {}): Placed {
  const agent = agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => ({})),
    options,
  );
  const current = new CurrentTask(agent, new LoopDetector());
  return { agent, current };
}
const add = (...subjects: string[]): Promise<unknown> =>
  store.board.addAll(
    subjects.map((subject) => ({ subject })),
    PERSON,
  );
const heardBy = ({ agent }: Placed): string => agent.conversation.messages().map(textOf).join("\n");
const taskOf = async (id = FIRST) => (await store.board.task(id)) as unknown as Record<string, unknown>;

/** The member's stint ends, after a turn in which a call succeeded or none did. */
const stint = async ({ current }: Placed, worked = false, text = "Session limit.") => {
  await current.ability.took({ worked, text });
  return await current.mustRest("no_tool_use");
};
const resting = (placed: Placed): number => placed.current.ability.restMs;

it("is reminded of its task, gives it back after three stints without a successful call, and rests", async () => {
  await add("paint");
  const released: string[] = [];
  const features = [{ beforeRelease: async () => void released.push("saved") }];
  const placed = place(seats.alice, { features });
  await placed.current.claim("no_tool_use");
  for (let nth = 1; nth <= 2; nth += 1) {
    expect(await stint(placed)).toBe(false);
    expect(await placed.current.resume("no_tool_use")).toBe(true);
    expect(heardBy(placed).split(STILL_YOURS)).toHaveLength(nth + 1);
  }
  expect(released).toEqual([]);
  expect(await stint(placed)).toBe(true);
  expect(released).toEqual(["saved"]);
  expect(await taskOf()).toMatchObject({
    status: "pending",
    lastFailure: "alice could not work. Session limit.",
  });
  expect((await store.roster.member(alice))?.activity).toEqual({
    ...{ phase: "idle", reason: "cannot_work", note: "Session limit." },
  });
  expect(resting(placed)).toBe(30_000);
});

it("rests longer each time, tries once after each rest, and counts no attempt of any task", async () => {
  await add("paint", "sweep");
  await store.roster.leave(seats.bob, "asked", "");
  const placed = place();
  for (const ms of [30, 60, 120, 240, 480, 960, 1_800, 1_800].map((seconds) => seconds * 1_000)) {
    expect(await placed.current.claim("awaiting_tasks")).toBe(true);
    while (!(await stint(placed))) await placed.current.resume("no_tool_use");
    expect(resting(placed)).toBe(ms);
  }
  expect((await store.board.tasks()).map(({ status }) => status)).toEqual(["pending", "pending"]);
  const phases = (await journalOf(store).events("teammate.phase")).filter(
    (one) => "who" in one && one.who === alice,
  );
  expect(phases).toHaveLength(1);
  await placed.current.claim("awaiting_tasks");
  expect(await stint(placed, true)).toBe(false);
  expect((await store.roster.member(alice))?.activity).toEqual({ phase: "work" });
  for (let nth = 1; nth <= 2; nth += 1) expect(await stint(placed)).toBe(false);
  // A call succeeded for this attempt, so it counts.
  expect(await stint(placed)).toBe(true);
  expect(resting(placed)).toBe(30_000); // it was able in between
  expect((await taskOf()).lastFailure).toBe("alice gave it back. Session limit.");
});

it("is at fault after two stints with different tasks, and leaves both to a member that can work", async () => {
  await add("paint", "sweep", "mow");
  const placed = place();
  await placed.current.claim("no_tool_use");
  expect(await stint(placed)).toBe(false);
  await store.board.assign(FIRST, name("bob"), LEAD);
  await placed.current.claim("no_tool_use");
  expect(await stint(placed)).toBe(true);
  await placed.current.claim("no_tool_use");
  expect((await store.board.mine(alice))?.id).toBe(3); // not the one that it gave back
  expect(await stint(placed)).toBe(true);
  expect(await placed.current.claim("no_tool_use")).toBe(false);
  await store.roster.leave(seats.bob, "asked", "");
  expect(await placed.current.claim("no_tool_use")).toBe(true);
});

it("takes a task again that it left, when nobody who waits for tasks has taken it for a minute", async () => {
  await add("paint");
  await store.roster.setActivity(seats.bob, { phase: "idle", reason: "awaiting_tasks" });
  const placed = place();
  await placed.current.claim("no_tool_use");
  for (let nth = 1; nth <= 3; nth += 1) expect(await stint(placed)).toBe(nth === 3);
  expect(await placed.current.claim("no_tool_use")).toBe(false);
  // Bob may have left it to alice.
  await here.clock.advance(60_000);
  await store.roster.setActivity(seats.bob, { phase: "work" });
  expect(await placed.current.claim("no_tool_use")).toBe(false);
  await store.roster.setActivity(seats.bob, { phase: "idle", reason: "awaiting_tasks" });
  expect(await placed.current.claim("no_tool_use")).toBe(true);
});

it("rests at once when its program failed, also without a task; a wait for mail or a command shows nothing", async () => {
  await add("paint");
  const placed = place();
  placed.current.ability.broke("It ended (exit code 1).");
  expect(await placed.current.mustRest("no_tool_use")).toBe(true);
  expect(resting(placed)).toBe(30_000);
  await placed.current.claim("no_tool_use");
  for (let nth = 0; nth < 5; nth += 1) {
    await placed.current.ability.took({ worked: false, text: "" });
    expect(await placed.current.mustRest("awaiting_messages")).toBe(false);
  }
  await store.jobs.add(seats.alice, { command: "serve", machine: "box", outputPath: "out/j.txt" });
  for (let nth = 0; nth < 5; nth += 1) expect(await stint(placed)).toBe(false);
});

it("keeps its task until the limit of its login ends, unless somebody else can take it", async () => {
  await add("paint");
  const placed = place();
  await placed.current.claim("no_tool_use");
  const meetsLimit = async (): Promise<boolean> => {
    const until = later(here.clock.now(), 90_000);
    placed.current.ability.broke("Session limit.", { until, isKnown: true });
    return await placed.current.mustRest("no_tool_use");
  };
  await store.roster.setActivity(seats.bob, { phase: "idle", reason: "at_limit" });
  expect(await meetsLimit()).toBe(true);
  expect(resting(placed)).toBe(90_000);
  expect((await store.roster.member(alice))?.activity).toMatchObject({ reason: "at_limit" });
  expect(await store.board.mine(alice)).toMatchObject({ id: FIRST });
  await store.roster.setActivity(seats.bob, { phase: "idle", reason: "awaiting_tasks" });
  expect(await meetsLimit()).toBe(true);
  expect(await taskOf()).toMatchObject({ status: "pending" });
});

it("is shown as unable where nobody has said when the limit of its login ends", async () => {
  await add("paint");
  const placed = place();
  await placed.current.claim("no_tool_use");
  const until = later(here.clock.now(), 60_000);
  placed.current.ability.broke("Pay first.", { until, isKnown: false });
  expect(await placed.current.mustRest("no_tool_use")).toBe(true);
  expect(resting(placed)).toBe(60_000);
  expect((await store.roster.member(alice))?.activity).toMatchObject({ reason: "cannot_work" });
});

it("leaves a task for a while to a member with a better login", async () => {
  await add("paint");
  await store.roster.setActivity(seats.bob, { phase: "idle", reason: "awaiting_tasks" });
  const bare = { isKept: false, isStrong: false };
  const own = { ...bare, name: alice, login: "a", resetsAt: Number.POSITIVE_INFINITY };
  const others = [{ ...bare, name: name("bob"), login: "b", resetsAt: 1 }];
  const placed = place(seats.alice, { logins: () => ({ own, others }) });
  expect(await placed.current.claim("awaiting_tasks")).toBe(false);
  await here.clock.advance(9_999);
  expect(await placed.current.claim("awaiting_tasks")).toBe(false);
  // Bob does not come.
  await here.clock.advance(1);
  expect(await placed.current.claim("awaiting_tasks")).toBe(true);
});
