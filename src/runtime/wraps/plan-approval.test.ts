/** These tests check what a member may do before its plan is approved, and before it holds a task again. */
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { claimed, held, name, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { NO_CLAIM } from "../../core/conversation/lost-claim.ts";
import { asTaskId, LEAD, later, PERSON } from "../../core/ids.ts";
import type { Access, Effect, Request, Store, ToolContext } from "../../ports/index.ts";
import { defineTool } from "../../tools/define.ts";
import type { Run, Wrap } from "../agent/call.ts";
import { untilClaimed } from "./held-claim.ts";
import { planGate } from "./plan-approval.ts";

const here = stage("sqlite");
const alice = name("alice");
const DONE = "done";
let store: Store;
let seat: Seat;
beforeEach(async () => {
  const crew = await here.crew(["alice"]);
  store = crew.store;
  seat = crew.seats[0] as Seat;
});

/** Calls a tool with this access and effect; gives its answer. */
function through(wrap: Wrap): (access: Access, effect?: Effect) => Promise<string> {
  const agent = agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => ({})),
  );
  const run: Run = wrap(async () => DONE);
  return async (access, effect) => {
    const tool = defineTool({
      ...{ name: "do", description: "", access, ...(effect && { effect }) },
      input: () => z.object({}),
      run: async () => "",
    });
    const ctx = {
      ...agent,
      self: alice,
      currentTask: () => store.board.mine(alice),
    } as unknown as ToolContext;
    const call = { type: "call", id: "c", tool: "do", input: {} } as const;
    return await run({ tool, call, input: {}, access, ctx }).catch((error: Error) => error.message);
  };
}
const gate = (needsPlan: boolean, kind: "lead" | "teammate" = "teammate") =>
  through(planGate({ kind, needsPlan }));
async function take(needsPlan: boolean): Promise<void> {
  await store.board.add({ subject: "paint", needsPlan }, PERSON);
  await claimed(store, seat);
}
const plan = (attempt = 1): Promise<Request> =>
  store.requests.ask(
    alice,
    LEAD,
    { kind: "plan", task: asTaskId(1), attempt, plan: "First." },
    later(here.clock.now(), 1_000),
  );

it.each([
  ["read", undefined, true],
  ["team", undefined, true],
  ["team", "completes", false],
  ["write", undefined, false],
  ["exec", undefined, false],
] as const)("before its plan, a call (%s, %s) is permitted: %s", async (access, effect, permitted) => {
  await take(true);
  const said = await gate(false)(access, effect);
  if (permitted) expect(said).toBe(DONE);
  else {
    expect(said).toMatch(/^do is not permitted yet: #1 \(attempt 1\) needs an approved plan\. /);
  }
});

it.each([
  // [the member must plan all tasks, the task needs a plan, the kind of the member, permitted]
  [false, false, "teammate", true],
  [true, false, "teammate", false],
  [false, true, "teammate", false],
  [true, true, "lead", true],
] as const)(
  "a plan is needed by the member %s or by the task %s, for a %s",
  async (member, task, kind, permitted) => {
    await take(task);
    expect((await gate(member, kind)("write")) === DONE).toBe(permitted);
  },
);

it("a member that must plan needs a task for it", async () => {
  expect(await gate(true)("write")).toBe(
    "do is not permitted yet: you must plan first, and you have no task to plan. Claim one, then submit_plan.",
  );
  expect(await gate(false)("write")).toBe(DONE);
});

const answer = (request: Request, yes: boolean, text = ""): Promise<unknown> =>
  store.requests.answer(LEAD, request.id, "plan", { yes, text });
const REJECTED = "do is not permitted yet: your plan for #1 (attempt 1) was rejected:";
it.each([
  [
    "open",
    "do is not permitted yet: your plan for #1 (attempt 1) waits for its answer, which comes as mail. End your turn.",
  ],
  ["approved", DONE],
  ["rejected", `${REJECTED} Too long. Change it and submit_plan again.`],
  ["rejected without a word", `${REJECTED} no reason was given. Change it and submit_plan again.`],
  [
    "expired",
    "do is not permitted yet: nobody answered your plan for #1 (attempt 1) in time. submit_plan again, or release_task.",
  ],
  ["withdrawn", expect.stringContaining("needs an approved plan")],
] as const)("says how its plan stands: %s", async (state, said) => {
  await take(true);
  const request = await plan();
  if (state === "approved") await answer(request, true);
  if (state.startsWith("rejected")) await answer(request, false, state === "rejected" ? "Too long." : "");
  if (state === "withdrawn") await store.requests.withdraw(request.id);
  if (state === "expired") {
    here.clock.stall(2_000);
    await store.requests.expire("too late");
  }
  expect(await gate(false)("write")).toEqual(said);
});

it("asks about an approved plan once, and again for the next attempt", async () => {
  await take(true);
  await answer(await plan(), true);
  let asked = 0;
  const planFor = store.requests.planFor;
  store.requests.planFor = (...args) => {
    asked += 1;
    return planFor.apply(store.requests, args);
  };
  const call = gate(false);
  expect([await call("write"), await call("exec"), asked]).toEqual([DONE, DONE, 1]);
  const task = await store.board.mine(alice);
  if (task) await store.board.release(held(seat, task), "given_back");
  await claimed(store, seat);
  expect(await call("write")).toContain("#1 (attempt 2) needs an approved plan");
});

it("changes nothing after a lost claim before it holds a task again", async () => {
  let isLost = true;
  const call = through(untilClaimed(() => isLost));
  expect([await call("read"), await call("team")]).toEqual([DONE, DONE]);
  expect([await call("write"), await call("exec")]).toEqual([NO_CLAIM, NO_CLAIM]);
  await take(false);
  isLost = false;
  expect([await call("write"), await call("exec")]).toEqual([DONE, DONE]);
  const task = await store.board.mine(alice);
  if (task) await store.board.complete(held(seat, task), "done");
  expect(await call("write")).toBe(DONE); // it completed that task itself
});

it("changes nothing from the moment on in which its task was taken, before it has read so", async () => {
  const call = through(untilClaimed(() => false));
  await take(false);
  expect(await call("write")).toBe(DONE);
  const task = await store.board.mine(alice);
  if (task) await store.board.takeBack(task.id, PERSON);
  expect([await call("write"), await call("exec"), await call("read")]).toEqual([NO_CLAIM, NO_CLAIM, DONE]);
});
