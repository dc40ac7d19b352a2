/** These tests check what ends the step of a member: urgent mail, the deadline of a stop request, and what the process says. */
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { agentOf, modelOf, saying } from "../../../test/fixtures/member.ts";
import { name, stage } from "../../../test/fixtures/stage.ts";
import type { Mail } from "../../core/board/mail.ts";
import type { Seat } from "../../core/board/member.ts";
import { heard } from "../../core/conversation/chat.ts";
import { instant, LEAD, later, PERSON } from "../../core/ids.ts";
import type { Request, Store } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { Interruption, interruptionOf } from "../agent/interruption.ts";
import { Interrupts } from "./interrupts.ts";

const here = stage("sqlite");
const alice = name("alice");

let store: Store;
let seat: Seat;
let outer: AbortController;
let interrupts: Interrupts;
let agent: Agent;
beforeEach(async () => {
  const crew = await here.crew(["alice"]);
  store = crew.store;
  seat = crew.seats[0] as Seat;
  outer = new AbortController();
  const model = modelOf(() => saying("done"));
  agent = agentOf(store, seat, here.clock, model);
  interrupts = new Interrupts(agent, outer.signal);
});
afterEach(() => interrupts.close());

const askToStop = (ms = 30_000): Promise<Request> =>
  store.requests.ask(LEAD, alice, { kind: "shutdown", reason: "enough" }, later(here.clock.now(), ms));
const answer = (request: Request, yes: boolean): Promise<unknown> =>
  store.requests.answer(alice, request.id, "shutdown", { yes, text: "my reason" });
const send = (urgent = false): Promise<unknown> =>
  store.mail.send(PERSON, { to: alice, body: { kind: "note", text: "Look" }, urgent });
/** Watchers are told in a later turn of the event loop. */
const told = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns += 1) await setImmediate();
};
const asked = async (ms?: number): Promise<Request> => {
  const request = await askToStop(ms);
  await interrupts.read(await store.mail.unread(alice));
  return request;
};

it("ends a step at the deadline of the store, not at that of a mail from a machine whose clock differs", async () => {
  await askToStop();
  const [letter] = await store.mail.unread(alice, 1);
  if (letter?.body.kind !== "shutdown_request") throw new Error("no stop request");
  await interrupts.read([{ ...letter, body: { ...letter.body, deadline: instant(0) } }]);
  const step = interrupts.step();
  await here.clock.advance(29_999);
  expect([interrupts.asked, step.aborted]).toEqual([true, false]);
  await here.clock.advance(1);
  expect(interruptionOf(step)).toBe("stop");
});

it("waits for no deadline once the member has left", async () => {
  await askToStop();
  const before = here.clock.sleeping;
  await interrupts.watch();
  expect(here.clock.sleeping).toBe(before + 1);
  const step = interrupts.step();
  interrupts.close();
  expect(here.clock.sleeping).toBe(before);
  await told();
  expect(step.aborted).toBe(false);
});

it("waits for the deadline of a request once, however often it reads it", async () => {
  const before = here.clock.sleeping;
  await asked();
  await interrupts.read(await store.mail.unread(alice));
  expect(here.clock.sleeping).toBe(before + 1);
});

it("ends the running step at once when the deadline is over already", async () => {
  const step = interrupts.step();
  const request = await askToStop(0);
  await interrupts.read(await store.mail.unread(alice));
  await told();
  expect([request.deadline, interruptionOf(step)]).toEqual([here.clock.now(), "stop"]);
});

it("begins no step at or after the deadline", async () => {
  await asked(10);
  here.clock.stall(9);
  expect(interrupts.step().aborted).toBe(false);
  here.clock.stall(1);
  expect(interruptionOf(interrupts.step())).toBe("stop");
});

it("forgets the deadline of a request that was withdrawn", async () => {
  const { id } = await asked(10);
  await store.requests.withdraw(id);
  expect(await interrupts.accepted()).toBe(false);
  const step = interrupts.step();
  await here.clock.advance(20);
  expect(step.aborted).toBe(false);
});

it("ends a step for urgent mail, and for no other", async () => {
  await interrupts.watch();
  const step = interrupts.step();
  await send();
  await told();
  expect(step.aborted).toBe(false);
  await send(true);
  await told();
  expect(interruptionOf(step)).toBe("urgent");
});

it("ends the running step for urgent mail that came before it began to watch", async () => {
  await send(true);
  const step = interrupts.step();
  await interrupts.watch();
  expect(interruptionOf(step)).toBe("urgent");
});

it("leaves mail to the caller during an idle wait, and looks again after it", async () => {
  await interrupts.watch();
  const wait = interrupts.step(true);
  await send(true);
  await told();
  expect(wait.aborted).toBe(false);
  interrupts.endStep();
  await askToStop();
  await told();
  expect(interrupts.asked).toBe(true);
});

it("looks for stop requests before its first step, also for one that was delivered to an earlier life", async () => {
  await interrupts.watch();
  await askToStop();
  await told();
  expect(interrupts.asked).toBe(true);

  await store.mail.deliver(seat, () => [heard("mail")]);
  const agent = agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => saying("done")),
  );
  const next = new Interrupts(agent, outer.signal);
  await next.watch();
  expect(next.asked).toBe(true);
  next.close();
});

it("does not look any more once it is closed", async () => {
  await interrupts.watch();
  const step = interrupts.step();
  interrupts.close();
  await send(true);
  outer.abort(new Interruption("suspend"));
  await told();
  expect(step.aborted).toBe(false);
});

it("ends the step, and begins no other, when the stay in this process ends", () => {
  const step = interrupts.step();
  outer.abort(new Interruption("suspend"));
  expect(interruptionOf(step)).toBe("suspend");
  expect(() => interrupts.step()).toThrow("interrupted: suspend");
});

it("interrupts only the step that runs", () => {
  const first = interrupts.step();
  interrupts.interrupt("person");
  const second = interrupts.step();
  interrupts.endStep();
  interrupts.interrupt("budget");
  const third = interrupts.step();
  expect([first, second, third].map(interruptionOf)).toEqual(["person", null, null]);
});

it("gives a signal that any number of calls may listen to", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): number => warnings.push(warning);
  process.on("warning", note);
  const step = interrupts.step();
  for (let i = 0; i < 20; i += 1) step.addEventListener("abort", () => i);
  await told();
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

it("takes no other mail for a stop request", async () => {
  await asked();
  await send();
  await interrupts.read((await store.mail.unread(alice)).filter(({ body }: Mail) => body.kind === "note"));
  expect(interrupts.asked).toBe(true);
});

const ENDS: Record<string, (request: Request) => Promise<unknown>> = {
  open: async () => {},
  late: async () => here.clock.stall(30_000),
  agreed: (request) => answer(request, true),
  refused: (request) => answer(request, false),
  withdrawn: (request) => store.requests.withdraw(request.id),
  expired: () => {
    here.clock.stall(30_001);
    return store.requests.expire("too late");
  },
};

it.each([
  // [how the request stands, whether a working member stops, whether the request still counts]
  ["open", false, true],
  ["agreed", true, true],
  ["refused", false, false],
  ["withdrawn", false, false],
  ["expired", false, true], // it ends the member at its deadline
] as const)("after a turn, a request that is %s stops the member: %s", async (state, stops, counts) => {
  await ENDS[state]?.(await asked());
  expect(await interrupts.accepted()).toBe(stops);
  expect(interrupts.asked).toBe(counts);
});

it.each([
  // [how the request stands, whether an idle member stops, its answer, whether the request still counts]
  ["open", true, "idle", true],
  ["late", true, null, true], // nobody may answer any more
  ["agreed", true, "my reason", true],
  ["refused", false, "my reason", false],
  ["withdrawn", false, null, false],
] as const)("an idle member stops for a request that is %s: %s", async (state, stops, text, counts) => {
  const request = await asked();
  await ENDS[state]?.(request);
  expect(await interrupts.acceptIdle()).toBe(stops);
  expect(interrupts.asked).toBe(counts);
  const { answer } = (await store.requests.request(request.id)) ?? {};
  expect(answer ? answer.text : null).toBe(text);
  if (answer) expect([answer.yes, answer.by]).toEqual([state !== "refused", alice]);
});

it("agrees to nothing that it was not asked", async () => {
  expect([await interrupts.accepted(), await interrupts.acceptIdle()]).toEqual([false, false]);
});

it.each([
  ["before the wait", true],
  ["in the wait", false],
])("takes back a question that waits when the member is asked to stop %s", async (_, before) => {
  await interrupts.watch();
  const step = interrupts.step();
  if (before) await askToStop();
  await told();
  expect(step.aborted).toBe(false);
  const end = await agent.activity.waitFor("awaiting_permission");
  if (!before) await askToStop();
  await told();
  expect(interruptionOf(step)).toBe("urgent");
  await end();
  // A model that asks again waits for the deadline, and is not called again and again.
  const next = interrupts.step();
  await agent.activity.waitFor("awaiting_permission");
  await told();
  expect(next.aborted).toBe(false);
  await here.clock.advance(30_000);
  expect(interruptionOf(next)).toBe("stop");
});
