/** These tests check which task a member works on, when it goes on with it, and when the task goes back to the board. */
import { beforeEach, expect, it } from "vitest";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { type AgentOptions, agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { claimed, held, name, stage } from "../../../test/fixtures/stage.ts";
import { IDLE, type IdleReason } from "../../core/board/lifecycle.ts";
import type { Seat } from "../../core/board/member.ts";
import { heard, textOf } from "../../core/conversation/chat.ts";
import { STILL_YOURS, WENT_ON } from "../../core/conversation/prompt.ts";
import { asTaskId, LEAD, later, PERSON } from "../../core/ids.ts";
import type { Round } from "../../core/progress/gains.ts";
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
  /** The member makes a call that it did not make before, or the `nth` one. The calls differ in letters, because digits do not count. */
  progress(nth?: number): void;
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
  let steps = 0;
  return {
    agent,
    current: new CurrentTask(agent, loop, { turnsPerStint: 20, stintsPerAttempt: 3 }),
    progress: (nth) => {
      steps = nth ?? steps + 1;
      const call = { type: "call", id: "c", tool: "look", input: { at: "x".repeat(steps) } } as const;
      const round: Round = [{ kind: "said", message: { role: "assistant", content: [call] } }];
      const traits = { aboutTeam: false, createsTasks: false, completes: false, looks: true, writes: false };
      loop.observe(round, [
        { tool: "look", input: call.input, text: "y".repeat(steps), isError: false, traits },
      ]);
    },
  };
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
  { after: "two repetitions", floods: [false, false], reason: "repeating", takes: true },
  { after: "three repetitions", floods: [false, false, false], reason: "repeating", takes: false },
  { after: "one flood of the board", floods: [true], reason: "repeating", takes: false },
  { after: "three, and another end", floods: [false, false, false], reason: "no_tool_use", takes: true },
] as const)("after $after it takes a further task: $takes", async ({ floods, reason, takes }) => {
  await add("paint", "sweep");
  const { current } = place();
  for (const one of floods) await current.repeated({ text: "looked again", floods: one });
  expect(await current.claim(reason)).toBe(takes);
  expect(await warnings()).toEqual(
    floods.map(() => "The turn of alice was ended, because it repeated itself: it looked again"),
  );
});

it("takes tasks again once it heard news, and counts its repetitions from the start", async () => {
  await add("paint");
  const { current } = place();
  for (let i = 0; i < 3; i += 1) await current.repeated({ text: "looked", floods: false });
  expect(await current.claim("repeating")).toBe(false);
  current.heardNews();
  await current.repeated({ text: "looked", floods: false });
  await current.repeated({ text: "looked", floods: false });
  expect(await current.claim("repeating")).toBe(true);
});

it("forgets its repetitions when a stint ended in another way", async () => {
  await add("paint");
  const { current } = place();
  await current.repeated({ text: "looked", floods: false });
  await current.repeated({ text: "looked", floods: false });
  await store.board.assign(FIRST, name("bob"), LEAD);
  expect(await current.claim("no_tool_use")).toBe(false); // nothing for it, but a stint without a repetition
  await store.board.assign(FIRST, null, LEAD);
  await current.repeated({ text: "looked", floods: false });
  await current.repeated({ text: "looked", floods: false });
  expect(await current.claim("repeating")).toBe(true);
});

it("gives a task back with what it repeated, and one that was taken away without an error", async () => {
  await add("paint");
  const placed = place();
  const { current } = placed;
  await current.claim("no_tool_use");
  await current.repeated({ text: "called look 8 times in a row.", floods: false });
  expect(await current.resume("repeating")).toBe(false);
  // It hears it, now and after a restart: a runbook would go on with its block.
  expect(heardBy(placed)).toContain('<claim-lost task="1" attempt="1">');
  expect(JSON.stringify(await store.transcript.current(alice))).toContain("claim-lost");
  expect(await taskOf()).toMatchObject({
    status: "pending",
    lastFailure: expect.stringContaining("alice called look 8 times in a row."),
  });

  const takesAway = { beforeRelease: () => store.board.takeBack(FIRST, LEAD) };
  const late = place(seats.alice, { features: [takesAway] });
  await late.current.claim("no_tool_use");
  await late.current.repeated({ text: "called look", floods: false });
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
  // Nothing new in that stint: it waits for the command, which costs nothing, and keeps its task.
  expect(await current.resume("turn_limit")).toBe(false);
  expect((await mine()).subject).toBe("sweep");
});

it("has as many stints for one attempt as the settings say, if each made progress", async () => {
  await add("paint");
  const placed = place();
  await placed.current.claim("no_tool_use");
  for (const goesOn of [true, true, false]) {
    placed.progress();
    expect(await placed.current.resume("turn_limit")).toBe(goesOn);
  }
  expect((await taskOf()).lastFailure).toContain(
    "alice used 3 stints of 20 model calls without finishing it",
  );
  // Another attempt counts from the start.
  await placed.current.claim("no_tool_use");
  for (const goesOn of [true, true, false]) {
    placed.progress();
    expect(await placed.current.resume("turn_limit")).toBe(goesOn);
  }
});

it("ends an attempt after a stint without anything new", async () => {
  await add("paint");
  const placed = place();
  await placed.current.claim("no_tool_use");
  placed.progress();
  expect(await placed.current.resume("turn_limit")).toBe(true);
  expect(await placed.current.resume("turn_limit")).toBe(false);
  expect((await taskOf()).lastFailure).toContain(
    "alice used 20 model calls, the limit of one stint, without a new result or content of a file",
  );
  await placed.current.claim("no_tool_use");
  expect(await placed.current.resume("turn_limit")).toBe(false); // nor does the first stint go on with nothing
});

it("goes on after a stint in which its commands wrote new lines into files", async () => {
  await add("paint");
  const written = [true, false];
  const { current } = place(seats.alice, { hasWritten: async () => written.shift() ?? false });
  await current.claim("no_tool_use");
  expect(await current.resume("turn_limit")).toBe(true);
  expect(await current.resume("turn_limit")).toBe(false);
});

it("counts the calls of an earlier task as new in the next one", async () => {
  await add("paint", "sweep");
  const placed = place();
  for (let task = 0; task < 2; task += 1) {
    await placed.current.claim("no_tool_use");
    placed.progress(1);
    expect(await placed.current.resume("turn_limit")).toBe(true);
    await store.board.complete(held(seats.alice, await mine()), "done");
  }
});

it("has all stints for a task that it claimed itself, and the claim counts as progress", async () => {
  await add("paint", "sweep");
  const placed = place();
  const stint = (): Promise<boolean> => {
    placed.progress();
    return placed.current.resume("turn_limit");
  };
  await placed.current.claim("no_tool_use");
  expect([await stint(), await stint()]).toEqual([true, true]);
  await store.board.complete(held(seats.alice, await mine()), "done");
  await claimed(store, seats.alice); // as claim_task does, in the middle of a stint
  expect([await stint(), await stint(), await stint()]).toEqual([true, true, false]);
});

it.each(["completed", "given back"])(
  "counts the stints of a lead from the start after a task that was %s",
  async (end) => {
    await add("paint");
    const lead = place(seats.lead, { entries: [heard("Do it")] });
    const stint = (): Promise<boolean> => {
      lead.progress();
      return lead.current.resume("turn_limit");
    };
    await store.board.claim(seats.lead, FIRST);
    expect([await stint(), await stint()]).toEqual([true, true]);
    if (end === "completed") {
      await store.board.completeFor(FIRST, PERSON, "done");
      expect(await lead.current.resume("no_tool_use")).toBe(false);
    } else expect(await stint()).toBe(false);
    lead.current.heardNews();
    expect([await stint(), await stint(), await stint()]).toEqual([true, true, false]);
  },
);

it("lets a lead without a task go on for some stints, then warns once and waits for news", async () => {
  const lead = place(seats.lead, { entries: [heard("Do it")] });
  const stint = (): Promise<boolean> => {
    lead.progress();
    return lead.current.resume("turn_limit");
  };
  expect([await stint(), await stint(), await stint(), await stint()]).toEqual([true, true, false, false]);
  const limit = "lead used 3 stints of 20 model calls without finishing it. It waits for news.";
  expect(await warnings()).toEqual([limit]);
  lead.current.heardNews();
  expect([await stint(), await stint(), await stint()]).toEqual([true, true, false]);
  expect(await warnings()).toEqual([limit, limit]);
});

it("stops a lead without a task after a stint without anything new", async () => {
  const lead = place(seats.lead, { entries: [heard("Do it")] });
  expect(await lead.current.resume("turn_limit")).toBe(false);
  expect(await warnings()).toEqual([
    "lead used 20 model calls, the limit of one stint, without a new result or content of a file. It waits for news.",
  ]);
});

it("goes on alone only after its turn limit, and only while it has something to answer", async () => {
  for (const reason of REASONS.filter((one) => one !== "turn_limit")) {
    const lead = place(seats.lead, { entries: [heard("Do it")] });
    lead.progress();
    expect([reason, await lead.current.resume(reason)]).toEqual([reason, false]);
  }
  const silent = place(seats.lead);
  silent.progress();
  expect(await silent.current.resume("turn_limit")).toBe(false);
  expect(await warnings()).toEqual([]);
});

it("stops a teammate without a task at its turn limit", async () => {
  const placed = place(seats.alice, { entries: [heard("Do it")] });
  placed.progress();
  expect(await placed.current.resume("turn_limit")).toBe(false);
  expect(await warnings()).toEqual([
    "alice used 20 model calls, the limit of one stint, without a task. It waits for news.",
  ]);
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

it("goes on after a restart with its task, or with what it has not answered", async () => {
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

it("does not go on after a restart where its stint had ended", async () => {
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
