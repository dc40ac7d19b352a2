/** These tests check which task a member works on, when it continues with it, and when the task goes back to the board. */
import { beforeEach, expect, it } from "vitest";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { type AgentOptions, agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { claimed, held, name, stage } from "../../../test/fixtures/stage.ts";
import { IDLE, type IdleReason } from "../../core/board/lifecycle.ts";
import type { Seat } from "../../core/board/member.ts";
import { heard, textOf } from "../../core/conversation/chat.ts";
import { STILL_YOURS, WENT_ON } from "../../core/conversation/prompt.ts";
import { asTaskId, LEAD, later, PERSON } from "../../core/ids.ts";
import { LoopDetector } from "../../core/progress/loop.ts";
import type { Store } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { CurrentTask } from "./current-task.ts";

const here = stage("sqlite");
const alice = name("alice");
const REASONS = Object.keys(IDLE) as IdleReason[];
const REMINDED = REASONS.filter((reason) => IDLE[reason].reminded);
const [FIRST, SECOND] = [asTaskId(1), asTaskId(2)];

type Placed = {
  readonly agent: Agent;
  readonly current: CurrentTask;
};
let store: Store;
let seats: { readonly lead: Seat; readonly alice: Seat; readonly bob: Seat };
beforeEach(async () => {
  const crew = await here.crew(["alice", "bob"]);
  store = crew.store;
  seats = { lead: crew.lead, alice: crew.seats[0] as Seat, bob: crew.seats[1] as Seat };
});

function place(seat: Seat = seats.alice, options: AgentOptions = {}): Placed {
  const agent = agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => ({})),
    options,
  );
  const loop = new LoopDetector();
  return { agent, current: new CurrentTask(agent, loop) };
}
const add = (...subjects: string[]): Promise<unknown> =>
  store.board.addAll(
    subjects.map((subject) => ({ subject, description: `How to ${subject}` })),
    PERSON,
  );
const heardBy = ({ agent }: Placed): string => agent.conversation.messages().map(textOf).join("\n");
const warnings = async (): Promise<string[]> => {
  const raised = await journalOf(store).events("warning.raised");
  return raised.flatMap((event) => (event.type === "warning.raised" ? [event.text] : []));
};
const taskOf = async (id = FIRST) => (await store.board.task(id)) as unknown as Record<string, unknown>;

it.each(REASONS)("claims a ready task only when it stopped by itself: %s", async (reason) => {
  await add("paint");
  const placed = place();
  const takes = REMINDED.includes(reason);
  expect(await placed.current.claim(reason)).toBe(takes);
  expect(placed.current.task).toBe(takes ? FIRST : null);
  expect(heardBy(placed).includes("How to paint")).toBe(takes);
  expect(await store.transcript.current(alice)).toHaveLength(takes ? 1 : 0);
  expect((await store.board.mine(alice))?.id ?? null).toBe(placed.current.task);
});

it("claims nothing for a lead, nor from an empty board", async () => {
  expect(await place().current.claim("no_tool_use")).toBe(false);
  await add("paint");
  const lead = place(seats.lead);
  expect(await lead.current.claim("no_tool_use")).toBe(false);
  expect([lead.current.task, await store.board.mine(LEAD)]).toEqual([null, null]);
});

it("tells where the tools work during a task, where tasks have folders of their own", async () => {
  await add("paint");
  const placed = place(seats.alice, { workspaceOf: ({ id }) => `/trees/${id}` });
  await placed.current.claim("no_tool_use");
  expect(heardBy(placed)).toContain('workspace="/trees/1"');
  const again = place(seats.alice, { workspaceOf: ({ id }) => `/other/${id}` });
  await again.current.resume("no_tool_use");
  expect(heardBy(again)).toContain('workspace="/other/1"');
});

it.each([
  { after: "two repetitions", times: 2, reason: "repeating", takes: true },
  { after: "three repetitions", times: 3, reason: "repeating", takes: false },
  { after: "three, and another end", times: 3, reason: "no_tool_use", takes: true },
] as const)("after $after it takes a further task: $takes", async ({ times, reason, takes }) => {
  await add("paint", "sweep");
  const { current } = place();
  for (let i = 0; i < times; i += 1) await current.repeated({ text: "looked again" });
  expect(await current.claim(reason)).toBe(takes);
  expect(await warnings()).toEqual(
    Array(times).fill("The turn of alice was ended, because it repeated itself: it looked again"),
  );
});

it("takes tasks again once it heard news, and counts its repetitions from the start", async () => {
  await add("paint");
  const { current } = place();
  for (let i = 0; i < 3; i += 1) await current.repeated({ text: "looked" });
  expect(await current.claim("repeating")).toBe(false);
  current.heardNews();
  await current.repeated({ text: "looked" });
  await current.repeated({ text: "looked" });
  expect(await current.claim("repeating")).toBe(true);
});

it("forgets its repetitions when a stint ended in another way", async () => {
  await add("paint");
  const { current } = place();
  await current.repeated({ text: "looked" });
  await current.repeated({ text: "looked" });
  await store.board.assign(FIRST, name("bob"), LEAD);
  expect(await current.claim("no_tool_use")).toBe(false); // nothing for it, but a stint without a repetition
  await store.board.assign(FIRST, null, LEAD);
  await current.repeated({ text: "looked" });
  await current.repeated({ text: "looked" });
  expect(await current.claim("repeating")).toBe(true);
});

it("gives a task back with what it repeated, and one that was taken away without an error", async () => {
  await add("paint");
  const placed = place();
  const { current } = placed;
  await current.claim("no_tool_use");
  await current.repeated({ text: "called look 8 times in a row." });
  expect(await current.resume("repeating")).toBe(false);
  // It hears it, now and after a restart: a runbook would continue with its block.
  expect(heardBy(placed)).toContain('<claim-lost task="1" attempt="1">');
  expect(JSON.stringify(await store.transcript.current(alice))).toContain("claim-lost");
  expect(await taskOf()).toMatchObject({
    status: "pending",
    lastFailure: expect.stringContaining("alice called look 8 times in a row."),
  });

  const takesAway = { beforeRelease: () => store.board.takeBack(FIRST, LEAD) };
  const late = place(seats.alice, { features: [takesAway] });
  await late.current.claim("no_tool_use");
  await late.current.repeated({ text: "called look" });
  expect(await late.current.resume("repeating")).toBe(false);
  expect(await store.board.mine(alice)).toBeNull();
  expect(heardBy(late)).not.toContain("claim-lost");
});

it("is not reminded while a command of its task runs, but one of an earlier task does not keep it waiting", async () => {
  await add("paint", "sweep");
  const { current } = place();
  const start = () =>
    store.jobs.add(seats.alice, { command: "serve", machine: "box", outputPath: "out/j.txt" });
  await current.claim("no_tool_use");
  await start();
  expect(await current.resume("no_tool_use")).toBe(false);
  expect((await mine()).id).toBe(FIRST);
  await store.board.complete(held(seats.alice, await mine()), "done");
  await current.claim("no_tool_use");
  expect(await current.resume("no_tool_use")).toBe(true);
  await start();
  // After a whole stint of calls it does not only wait for the command.
  expect(await current.resume("turn_limit")).toBe(true);
  expect((await mine()).subject).toBe("sweep");
});

it("continues with its task after each full stint: money and judgement end work that gets nowhere", async () => {
  await add("paint");
  const { current } = place();
  await current.claim("no_tool_use");
  for (let i = 0; i < 30; i += 1) expect(await current.resume("turn_limit")).toBe(true);
  expect(await warnings()).toEqual([]);
});

it("continues without a task after a full stint, as the lead and as a teammate", async () => {
  for (const seat of [seats.lead, seats.alice]) {
    const { current } = place(seat, { entries: [heard("Do it")] });
    for (let i = 0; i < 30; i += 1) expect(await current.resume("turn_limit")).toBe(true);
  }
});

it("continues alone only after its turn limit, and only while it has something to answer", async () => {
  for (const reason of REASONS.filter((one) => one !== "turn_limit")) {
    const lead = place(seats.lead, { entries: [heard("Do it")] });
    expect([reason, await lead.current.resume(reason)]).toEqual([reason, false]);
  }
  const silent = place(seats.lead);
  expect(await silent.current.resume("turn_limit")).toBe(false);
  expect(await warnings()).toEqual([]);
});

it.each(REASONS)("reminds a lead of a task of its own only after its stint was ended: %s", async (reason) => {
  await add("paint");
  const lead = place(seats.lead);
  await store.board.claim(seats.lead, FIRST);
  const goesOn = reason === "turn_limit";
  expect(await lead.current.resume(reason)).toBe(goesOn);
  expect(heardBy(lead).includes(STILL_YOURS)).toBe(goesOn);
  expect((await taskOf()).status).toBe(reason === "repeating" ? "pending" : "in_progress");
});

it("continues after a restart with its task, or with what it has not answered", async () => {
  const said = {
    kind: "said",
    message: { role: "assistant", content: [{ type: "text", text: "Done." }] },
  } as const;
  expect(await place().current.resumeAfterRestart()).toBe(false);
  expect(await place(seats.alice, { entries: [heard("Do it")] }).current.resumeAfterRestart()).toBe(true);
  expect(await place(seats.alice, { entries: [heard("Do it"), said] }).current.resumeAfterRestart()).toBe(
    false,
  );
  await add("paint");
  await claimed(store, seats.alice);
  const placed = place(seats.alice, { entries: [heard("Do it"), said] });
  expect(await placed.current.resumeAfterRestart()).toBe(true);
  expect(heardBy(placed)).toContain(WENT_ON);
  expect(placed.current.task).toBe(FIRST);
  expect(await store.transcript.current(alice)).toHaveLength(1);
});

it("tells after a restart why a completion was refused, unless the member has read it", async () => {
  await add("paint");
  await claimed(store, seats.alice);
  const refusal = {
    why: "branch",
    evidence: "The worktree was removed.\nDo it again.",
    failure: "",
  } as const;
  await store.board.refuse({ seat: seats.alice, task: FIRST, attempt: 1 }, refusal);
  const unread = place(seats.alice, { entries: [heard("Do it")] });
  expect(await unread.current.resumeAfterRestart()).toBe(true);
  expect(heardBy(unread)).toContain("<refusal>\nThe worktree was removed.\nDo it again.\n</refusal>");
  const read = place(seats.alice, { entries: [heard(`#1 is not completed: ${refusal.evidence}`)] });
  expect(await read.current.resumeAfterRestart()).toBe(true);
  expect(heardBy(read)).not.toContain("<refusal>");
});

it("does not continue after a restart where its stint had ended", async () => {
  const placed = place(seats.alice, { entries: [heard("Do it")] });
  await placed.agent.activity.idle("repeating", []);
  expect(await placed.current.resumeAfterRestart()).toBe(false);
});

it("idles for the answer to a plan of its present attempt, whatever it did after submitting it", async () => {
  await add("paint", "sweep");
  const { current, agent } = place();
  const plan = (task = FIRST, attempt = 1) =>
    store.requests.ask(
      alice,
      LEAD,
      { kind: "plan", task, attempt, plan: "First." },
      later(here.clock.now(), 60_000),
    );
  expect(await current.idleReason("no_tool_use")).toBe("no_tool_use");
  expect(await current.idleReason("awaiting_plan")).toBe("awaiting_tasks"); // it has no open plan
  await plan(); // without the task it waits for nothing
  expect(await current.idleReason("no_tool_use")).toBe("no_tool_use");
  const first = await claimed(store, seats.alice);
  expect(await current.idleReason("no_tool_use")).toBe("awaiting_plan");
  expect(await place(seats.lead).current.idleReason("awaiting_plan")).toBe("awaiting_plan");
  await store.board.release(held(agent.seat, first), "given_back", "no");
  const second = await claimed(store, seats.alice);
  expect([second.id, second.attempt]).toEqual([FIRST, 2]);
  expect(await current.idleReason("no_tool_use")).toBe("no_tool_use"); // the plan was for the first attempt
  await plan(SECOND, 2);
  expect(await current.idleReason("no_tool_use")).toBe("no_tool_use"); // and this one for another task
});

it("names each task that it completed itself once", async () => {
  await add("paint", "sweep", "wash");
  const { current } = place();
  expect(await current.finished()).toEqual([]);
  await current.claim("no_tool_use");
  await store.board.complete(held(seats.alice, await mine()), "done");
  await current.claim("no_tool_use");
  await store.board.fail(held(seats.alice, await mine()), "cannot");
  await current.claim("no_tool_use");
  await store.board.takeBack(asTaskId(3), LEAD);
  await store.board.complete(held(seats.bob, await claimed(store, seats.bob)), "done by bob");
  expect(await current.finished()).toEqual([FIRST]);
  expect(await current.finished()).toEqual([]);
});

async function mine() {
  const task = await store.board.mine(alice);
  if (!task) throw new Error("alice has no task");
  return task;
}

it("leaves tasks in prose that are not of its runbook to others, where its member only runs blocks", async () => {
  const description = "Think about it.";
  await store.board.addAll(
    [
      { subject: "of the person", description },
      { subject: "of another runbook", description, runbook: "other" },
      { subject: "of its own", description, runbook: "mine" },
    ],
    PERSON,
  );
  const placed = place(seats.alice, {
    model: modelOf(() => ({}), { spec: "runbook" }),
    runbook: () => "mine",
  });
  expect(await placed.current.claim("no_tool_use")).toBe(true);
  expect((await store.board.mine(alice))?.subject).toBe("of its own");
  expect((await store.board.tasks()).map(({ status }) => status)).toEqual([
    "pending",
    "pending",
    "in_progress",
  ]);
});
