/** These tests check what an idle member looks for, in which order, what it then does, and how long it waits. */
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { type AgentOptions, agentOf, failing, modelOf } from "../../../test/fixtures/member.ts";
import { claimed, held, host, name, profile, stage } from "../../../test/fixtures/stage.ts";
import { IDLE, type IdleReason, type Signal } from "../../core/board/lifecycle.ts";
import type { Seat } from "../../core/board/member.ts";
import { heard, textOf } from "../../core/conversation/chat.ts";
import { asTaskId, LEAD, later, type Name, PERSON, type TaskId } from "../../core/ids.ts";
import { LoopDetector } from "../../core/progress/loop.ts";
import type { JobControl, Store } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { Interruption } from "../agent/interruption.ts";
import { ProviderBackoff } from "../turn/provider-backoff.ts";
import { CurrentTask } from "./current-task.ts";
import { IdleLoop } from "./idle-loop.ts";
import { Interrupts } from "./interrupts.ts";

const here = stage("sqlite");
const [alice, bob, carol] = [name("alice"), name("bob"), name("carol")];
const POLL = 60_000;
const TIMEOUT = 10_000;

let store: Store;
let seats: { readonly lead: Seat; readonly alice: Seat; readonly bob: Seat };
let outer: AbortController;
beforeEach(async () => {
  const crew = await here.crew(["alice", "bob"]);
  store = crew.store;
  seats = { lead: crew.lead, alice: crew.seats[0] as Seat, bob: crew.seats[1] as Seat };
  outer = new AbortController();
});
afterEach(async () => {
  outer.abort(new Interruption("suspend"));
  await told();
});

/** Watchers are told in a later turn of the event loop. */
const told = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns += 1) await setImmediate();
};

type Placed = {
  readonly agent: Agent;
  readonly idle: IdleLoop;
  readonly interrupts: Interrupts;
  readonly loop: LoopDetector;
  readonly backoff: ProviderBackoff;
  /** What it did besides: "refresh" begins a stint, "end" ends one, "quiet?" asks whether the board is quiet. */
  readonly did: string[];
  says: "look again" | "wait";
  isConcluding: boolean;
  isWanted: boolean;
  look(reason?: IdleReason, since?: number): Promise<Signal | "waits">;
};

function place(seat: Seat = seats.alice, options: AgentOptions = {}): Placed {
  const did: string[] = [];
  const features = [
    { refresh: async () => void did.push("refresh"), onStintEnd: async () => void did.push("end") },
  ];
  const model = modelOf(() => ({}));
  const agent = agentOf(store, seat, here.clock, model, { features, ...options });
  const interrupts = new Interrupts(agent, outer.signal);
  const loop = new LoopDetector();
  const backoff = new ProviderBackoff(agent);
  const settings = { idleTimeoutMs: TIMEOUT, idlePollMs: POLL, turnsPerStint: 20 };
  const current = new CurrentTask(agent, loop);
  const idle = new IdleLoop({
    ...{ agent, settings, interrupts, current, loop, backoff, outer: outer.signal },
    onIdle: async () => {
      did.push("quiet?");
      return placed.says;
    },
    isConcluding: () => placed.isConcluding,
    isWanted: () => placed.isWanted,
  });
  const placed: Placed = {
    ...{ agent, idle, interrupts, loop, backoff, did },
    ...{ says: "wait", isConcluding: false, isWanted: false },
    look: (reason = "no_tool_use", since = here.clock.now()) =>
      within(idle.poll({ at: "idle", since: since as never, reason })),
  };
  return placed;
}
let polling: Promise<Signal>;
/** The signal, or "waits"; `polling` is the rest. */
async function within(poll: Promise<Signal>): Promise<Signal | "waits"> {
  polling = poll;
  return await Promise.race([poll, told().then(() => "waits" as const)]);
}
/** Whether the wait that began has ended. */
const after = (): Promise<Signal | "waits"> => within(polling);
const FOUND = { kind: "found" };
const waited = () => ({ kind: "waited", now: here.clock.now() });

const add = (...subjects: string[]): Promise<unknown> =>
  store.board.addAll(
    subjects.map((subject) => ({ subject })),
    PERSON,
  );
const note = (to: Name, text = "Look", from = PERSON): Promise<unknown> =>
  store.mail.send(from, { to, body: { kind: "note", text } });
const notices = async (): Promise<unknown[]> =>
  (await store.mail.box(LEAD)).map(({ body }) => body).filter(({ kind }) => kind === "idle_notice");
const shown = async (who: Name = alice): Promise<unknown> => (await store.roster.member(who))?.activity;
const heardBy = ({ agent }: Placed): string => agent.conversation.messages().map(textOf).join("\n");
const ask = (ms = POLL) =>
  store.requests.ask(LEAD, alice, { kind: "shutdown", reason: "enough" }, later(here.clock.now(), ms));

it("shows that it is idle, tells the lead once, and waits", async () => {
  const placed = place();
  expect(await placed.look("asked_to_idle")).toBe("waits");
  expect(await shown()).toEqual({ phase: "idle", reason: "asked_to_idle" });
  expect(await notices()).toEqual([{ kind: "idle_notice", reason: "asked_to_idle", completed: [] }]);
  expect(placed.did).toEqual(["end", "quiet?"]);
  placed.idle.pollAgain();
  expect(await after()).toEqual(waited());
  expect(await placed.look("asked_to_idle")).toBe("waits");
  expect(placed.did).toEqual(["end", "quiet?", "quiet?"]);
  expect(await notices()).toHaveLength(1);
});

it("shows an idle lead without a notice", async () => {
  expect(await place(seats.lead).look()).toBe("waits");
  expect([await shown(LEAD), await notices()]).toEqual([{ phase: "idle", reason: "no_tool_use" }, []]);
});

it("ends nothing but its own wait when it is to look again", async () => {
  const placed = place();
  const before = placed.interrupts.step();
  placed.idle.pollAgain();
  expect(before.aborted).toBe(false);
  await placed.look();
  placed.idle.pollAgain();
  await after();
  const next = placed.interrupts.step();
  placed.idle.pollAgain();
  expect(next.aborted).toBe(false);
});

it("hears of a stop request during the step after its wait", async () => {
  const placed = place();
  await placed.interrupts.watch();
  await placed.look();
  placed.idle.pollAgain();
  await after();
  await ask();
  await told();
  expect(placed.interrupts.asked).toBe(true);
  placed.interrupts.close();
});

it("looks no more once its stay here has ended", async () => {
  const placed = place();
  await note(alice);
  outer.abort(new Interruption("suspend"));
  await expect(placed.look()).rejects.toThrow("interrupted: suspend");
});

it("begins a stint for mail, and shows the next idle phase again", async () => {
  const placed = place();
  await placed.look();
  await note(alice);
  expect(await after()).toEqual(waited());
  expect(await placed.look()).toEqual(FOUND);
  expect(placed.did).toEqual(["end", "quiet?", "refresh"]);
  expect(await shown()).toEqual({ phase: "work" });
  expect(await store.mail.unread(alice)).toHaveLength(1); // the turn reads it
  await store.mail.take(alice);
  expect(await placed.look()).toBe("waits");
  expect(await notices()).toHaveLength(2);
});

it("stops for a request, also when its mail was read before", async () => {
  const placed = place();
  const request = await ask();
  await note(alice);
  expect(await placed.look()).toEqual({ kind: "ended", reason: "asked" });
  expect((await store.requests.request(request.id))?.answer).toMatchObject({ yes: true, by: alice });
  expect(heardBy(placed)).toContain("enough");
  expect(await placed.look()).toEqual({ kind: "ended", reason: "asked" });
});

it("does not wake for a request that was withdrawn", async () => {
  const placed = place();
  await placed.look();
  const { id } = await ask();
  expect(await after()).toEqual(waited());
  await store.requests.withdraw(id);
  expect(await placed.look()).toBe("waits");
});

it.each([
  ["a task", "awaiting_messages", false],
  ["a task", "no_tool_use", true],
  ["mail", "awaiting_messages", true],
] as const)("a teammate hears of %s while it idles (%s): %s", async (what, reason, hears) => {
  const placed = place();
  await placed.look(reason);
  await (what === "mail" ? note(alice) : add("paint"));
  expect(await after()).toEqual(hears ? waited() : "waits");
});

it("a lead hears of the board in any case", async () => {
  const placed = place(seats.lead);
  await placed.look("awaiting_messages");
  await add("paint");
  expect(await after()).toEqual(waited());
});

it("waits for its provider as long as the pause lasts, then tries again", async () => {
  const placed = place();
  placed.backoff.begin(failing("model_overloaded"));
  expect(await placed.look("rate_limited")).toBe("waits");
  await here.clock.advance(4_999);
  expect(await after()).toBe("waits");
  expect(placed.did).toEqual([]); // its stint continues
  await here.clock.advance(1);
  expect(await after()).toEqual(waited());
  expect(await placed.look("rate_limited")).toEqual(FOUND);
  expect(placed.did).toEqual([]);
});

it("rests when the person ended the pause, before or during the wait", async () => {
  const rested = () => ({ kind: "rested", now: here.clock.now(), reason: "no_tool_use" });
  const placed = place();
  placed.backoff.begin(failing("model_overloaded"));
  await placed.look("rate_limited");
  placed.backoff.givenUp = true;
  placed.interrupts.interrupt("person");
  expect(await after()).toEqual(rested());
  expect(await placed.look("rate_limited")).toEqual(rested());
});

/** A task of alice that an order gave to bob. */
const takenTask = async (): Promise<TaskId> => {
  await add("paint");
  const { id } = await claimed(store, seats.alice);
  await store.board.assign(id, bob, PERSON);
  return id;
};

it.each(["no_tool_use", "rate_limited", "awaiting_plan"] as const)(
  "reads without a turn that its task was taken (%s), so that the next owner does not wait",
  async (reason) => {
    const placed = place();
    await placed.look();
    const id = await takenTask();
    if (reason === "rate_limited") placed.backoff.begin(failing("model_overloaded"));
    await placed.look(reason);
    expect(await store.board.hasOtherHands(id, bob)).toBe(false);
    expect(heardBy(placed)).toContain("You no longer own it");
    expect(placed.did).not.toContain("refresh");
  },
);

it("does not lose the stop request that comes while it lets a task go", async () => {
  const jobs = { has: () => true, endAll: async () => void (await ask()) };
  const placed = place(seats.alice, { jobs: jobs as unknown as JobControl });
  await takenTask();
  expect(await placed.look()).toEqual(FOUND);
  expect(await placed.look()).toEqual({ kind: "ended", reason: "asked" });
});

it("continues after a restart with what it has not answered, once", async () => {
  const placed = place(seats.alice, { entries: [heard("Do it")] });
  expect(await placed.look()).toEqual(FOUND);
  expect(await placed.look()).toBe("waits");
});

it("waits for the answer to its plan, after a restart and after its stint", async () => {
  await add("paint");
  const task = await claimed(store, seats.alice);
  const plan = { kind: "plan", task: task.id, attempt: task.attempt, plan: "First." } as const;
  await store.requests.ask(alice, LEAD, plan, later(here.clock.now(), POLL));
  const placed = place(seats.alice, { entries: [heard("Do it")] });
  const rested = { kind: "rested", now: here.clock.now(), reason: "awaiting_plan" };
  expect(await placed.look("no_tool_use")).toEqual(rested);
  expect(await placed.look("awaiting_plan")).toBe("waits");
  await here.clock.advance(TIMEOUT); // the answer has a deadline of its own
  expect(await after()).toBe("waits");
  placed.idle.pollAgain();
  await after();
  expect(await placed.look("no_tool_use")).toEqual(FOUND); // it is asked for only where it may matter
  await store.board.takeBack(task.id, LEAD);
  await store.mail.take(alice);
  expect(await placed.look("awaiting_plan")).toEqual(FOUND); // it lost the task, and took one again
  expect((await store.board.mine(alice))?.attempt).toBe(2);
});

it("shows that a stint ended at its limit, even when the next one begins at once", async () => {
  await note(alice);
  expect(await place().look("turn_limit")).toEqual(FOUND);
  expect(JSON.stringify(await journalOf(store).events("teammate.phase"))).toContain("turn_limit");
  expect(await notices()).toEqual([]);
});

it.each([
  ["repeating", "Look", "waits"],
  ["repeating", "Look elsewhere", FOUND],
  ["no_tool_use", "Look", FOUND],
] as const)('a member that rests (%s) after "Look" is woken by "%s"', async (reason, text, outcome) => {
  const placed = place();
  await note(alice, "Look", bob);
  placed.loop.read(await store.mail.take(alice));
  await note(alice, text, bob);
  expect(await placed.look(reason)).toEqual(outcome);
  expect(await store.mail.unread(alice)).toHaveLength(outcome === "waits" ? 0 : 1);
});

it("looks whether the board is quiet before a lead reads that a teammate idles, but not before other mail", async () => {
  const body = { kind: "idle_notice", reason: "no_tool_use", completed: [asTaskId(1)] } as const;
  const lead = place(seats.lead);
  await store.mail.send(alice, { to: LEAD, body });
  expect(await lead.look()).toEqual(FOUND);
  expect(lead.did).toEqual(["quiet?", "refresh"]);
  await note(LEAD);
  expect(await lead.look()).toEqual(FOUND);
  expect(lead.did).toEqual(["quiet?", "refresh", "refresh"]);
});

it("looks once more, without a wait, when its lead was just told something", async () => {
  const placed = place();
  placed.says = "look again";
  expect(await placed.look()).toEqual(waited());
  placed.says = "wait";
  placed.isWanted = true; // somebody wants a summary
  expect(await placed.look()).toEqual(waited());
});

it("only waits for its end once the team concludes", async () => {
  const placed = place();
  await note(alice);
  await add("paint");
  placed.isConcluding = true;
  expect(await placed.look()).toBe("waits");
  await here.clock.advance(POLL - 1);
  expect(await after()).toBe("waits");
  await here.clock.advance(1);
  expect(await after()).toEqual(waited());
  expect(placed.did).toEqual([]);
});

it("continues with its own task before it takes another one", async () => {
  await add("paint", "sweep");
  const placed = place();
  expect(await placed.look()).toEqual(FOUND);
  expect(await placed.look()).toEqual(FOUND);
  expect((await store.board.mine(alice))?.id).toBe(1);
  expect(heardBy(placed)).toContain("<own-task");
});

it.each([
  // [who, its reason, whether its hooks are asked]
  ["alice", "no_tool_use", true],
  ["alice", "awaiting_messages", false],
  ["lead", "no_tool_use", false],
] as const)("asks the hooks of %s (%s) once whether it may idle: %s", async (who, reason, asks) => {
  const asked: string[] = [];
  let says: string | null = "Test it";
  const hooks = {
    asksAtStop: false,
    stop: async () => null,
    compact: async () => null,
    idle: async (why: string) => {
      asked.push(why);
      return says;
    },
  };
  const placed = place(seats[who], { hooks });
  expect(await placed.look(reason)).toEqual(asks ? FOUND : "waits");
  expect(heardBy(placed).includes("Test it")).toBe(asks);
  if (!asks) return expect(asked).toEqual([]);
  says = null;
  expect(await placed.look(reason)).toBe("waits");
  placed.idle.pollAgain();
  await after();
  await placed.look(reason);
  expect(asked).toEqual([reason, reason]); // not again in the same idle phase
});

const OTHERS = ["rate_limited", "cannot_work", "at_limit", "awaiting_plan", "awaiting_answer"]; // these have tests of their own
it.each((Object.keys(IDLE) as IdleReason[]).filter((reason) => !OTHERS.includes(reason)))(
  "waits for its idle timeout, or longer if it waits for an answer: %s",
  async (reason) => {
    const placed = place();
    expect(await placed.look(reason, here.clock.now() - 4_000)).toBe("waits");
    await here.clock.advance((IDLE[reason].hasWork ? POLL : TIMEOUT - 4_000) - 1);
    expect(await after()).toBe("waits");
    await here.clock.advance(1);
    expect(await after()).toEqual(waited());
  },
);

it.each([
  // [what there is, why it idles, whether its timeout starts again]
  ["nothing", "no_tool_use", false],
  ["a running command", "no_tool_use", true],
  ["a blocked task", "no_tool_use", true],
  ["an unanswered question", "awaiting_messages", true],
  ["a second question", "awaiting_messages", true],
  ["an unanswered question", "no_tool_use", false],
  ["an answered question", "awaiting_messages", false],
  ["mail of the person", "awaiting_messages", false],
  ["nothing", "awaiting_messages", false],
] as const)("at its idle timeout, with %s (%s), it starts to wait again: %s", async (what, reason, again) => {
  const placed = place();
  const job = { command: "serve", machine: "box", outputPath: "out/j.txt" };
  if (what === "a running command") await store.jobs.add(seats.alice, job);
  if (what === "a blocked task") {
    await store.board.addAll([{ subject: "paint" }, { subject: "sweep", blockedBy: [{ nth: 0 }] }], PERSON);
    await claimed(store, seats.bob);
  }
  if (what === "a second question") await note(PERSON, "Which size?", alice);
  if (what === "an answered question" || what === "a second question") await note(alice, "Large");
  if (what.endsWith("question")) await note(PERSON, "Which colour?", alice);
  if (what === "an answered question" || what === "mail of the person") await note(alice, "Red");
  await store.mail.take(alice);
  await placed.look(reason);
  await here.clock.advance(TIMEOUT);
  const now = here.clock.now();
  expect(await after()).toEqual(again ? { kind: "rested", now, reason } : waited());
});

it("does not count a wait of less than its idle timeout", async () => {
  const placed = place();
  await store.jobs.add(seats.alice, { command: "serve", machine: "box", outputPath: "out/j.txt" });
  await placed.look();
  await here.clock.advance(TIMEOUT - 1);
  placed.idle.pollAgain();
  expect(await after()).toEqual(waited());
});

it.each([
  // [what the others do, whether the lead can leave the notice for later]
  ["nothing is left", false],
  ["a pending task waits for nobody at work", false],
  ["bob works, and another task waits", true],
  ["bob works", false],
  ["bob works, carol idles", true],
  ["bob works, carol waits for an answer", false],
  ["bob works, carol idled in a process that ended", false],
  ["bob works, the lead idles", false],
] as const)("after a finished task, when %s, others continue: %s", async (what, goesOn) => {
  await add("paint");
  const placed = place();
  await placed.look();
  const own = await store.board.mine(alice);
  if (!own) throw new Error("no task");
  await store.board.complete(held(seats.alice, own), "done");
  if (what.startsWith("bob works")) {
    await add("sweep");
    await claimed(store, seats.bob);
  }
  if (what.endsWith("another task waits") || what.startsWith("a pending"))
    await store.board.add({ subject: "wash", role: "washer" }, PERSON);
  if (what.includes("carol")) {
    const where = host(what.endsWith("ended") ? "there" : "here");
    if (what.endsWith("ended")) await store.roster.open(where, "that machine", 1);
    const seat = await store.roster.join(profile("carol"), where, LEAD);
    const reason = what.endsWith("answer") ? "awaiting_messages" : "no_tool_use";
    await store.roster.setActivity(seat, { phase: "idle", reason });
    if (what.endsWith("ended")) await store.roster.suspend(where);
    expect(seat.name).toBe(carol);
  }
  if (what.endsWith("lead idles"))
    await store.roster.setActivity(seats.lead, { phase: "idle", reason: "no_tool_use" });
  await placed.look("asked_to_idle"); // shown as idle itself, which does not count
  expect(await notices()).toEqual([
    { kind: "idle_notice", reason: "asked_to_idle", completed: [1], ...(goesOn && { goesOn }) },
  ]);
});

it("says nothing about others when it finished no task", async () => {
  await add("sweep", "wash");
  await claimed(store, seats.bob);
  await store.board.assign(asTaskId(2), bob, LEAD);
  await place().look();
  expect(await notices()).toEqual([{ kind: "idle_notice", reason: "no_tool_use", completed: [] }]);
});

it("shows that it no longer waits for an answer once the question is withdrawn", async () => {
  await add("paint");
  const { id } = await claimed(store, seats.alice);
  const question = { kind: "question", task: id, question: "Red?", options: [], waits: true } as const;
  const asked = await store.requests.ask(alice, PERSON, question, later(here.clock.now(), POLL));
  const placed = place();
  expect(await placed.look("awaiting_answer")).toBe("waits");
  expect(await shown()).toMatchObject({ phase: "idle", reason: "awaiting_answer" });
  await store.requests.withdraw(asked.id);
  placed.idle.pollAgain();
  await after();
  expect(await placed.look("awaiting_answer")).toMatchObject({ kind: "rested", reason: "awaiting_tasks" });
  expect(await shown()).toMatchObject({ phase: "idle", reason: "awaiting_tasks" });
});
