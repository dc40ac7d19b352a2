/** The end of a stint: who is asked, what may end it early, and what becomes of errors. */
import { beforeEach, expect, it } from "vitest";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { type AgentOptions, agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { name, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { LEAD, later } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import type { Agent, Feature } from "../agent/agent.ts";
import { Interruption } from "../agent/interruption.ts";
import { Interrupts } from "./interrupts.ts";
import { beforeRelease, continuedByHook, endStint } from "./stint-end.ts";

const here = stage("sqlite");
const alice = name("alice");
let store: Store;
let seat: Seat;
let outer: AbortController;
beforeEach(async () => {
  const crew = await here.crew(["alice"]);
  store = crew.store;
  seat = crew.seats[0] as Seat;
  outer = new AbortController();
});

type Placed = { readonly agent: Agent; readonly interrupts: Interrupts };
function place(options: AgentOptions = {}): Placed {
  const agent = agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => ({})),
    options,
  );
  return { agent, interrupts: new Interrupts(agent, outer.signal) };
}
const warnings = async (): Promise<string[]> =>
  (await journalOf(store).events("warning.raised")).flatMap((event) =>
    event.type === "warning.raised" ? [event.text] : [],
  );
/** Ends when the signal does, with its reason. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
const ended =
  ({ agent, interrupts }: Placed) =>
  (): Promise<void> =>
    endStint(agent, interrupts, outer.signal);

it.each([
  { says: "Test it first", goesOn: true },
  { says: null, goesOn: false },
])("a hook that says $says: it continues $goesOn, with the words as a note", async ({ says, goesOn }) => {
  const { agent, interrupts } = place();
  let asked: AbortSignal | undefined;
  const ask = async (signal: AbortSignal): Promise<string | null> => {
    asked = signal;
    return says;
  };
  expect(await continuedByHook(agent, interrupts, outer.signal, ask)).toBe(goesOn);
  expect(agent.conversation.news).toEqual(says === null ? [] : [says]);
  expect(await store.transcript.current(alice)).toHaveLength(goesOn ? 1 : 0);
  interrupts.interrupt("person"); // the step of the hook is over
  expect(asked?.aborted).toBe(false);
});

it("no hook is asked before a stop request", async () => {
  const { agent, interrupts } = place();
  await store.requests.ask(
    LEAD,
    alice,
    { kind: "shutdown", reason: "enough" },
    later(here.clock.now(), 1_000),
  );
  await interrupts.read(await store.mail.unread(alice));
  const ask = () => Promise.reject(new Error("asked"));
  expect(await continuedByHook(agent, interrupts, outer.signal, ask)).toBe(false);
  interrupts.close();
});

it.each([
  // [what ends the hook, the outcome]
  ["urgent mail", false],
  ["its own fault", "no such command"],
  ["the end of the process", "interrupted: suspend"],
] as const)("a hook that is ended by %s: %s", async (cause, outcome) => {
  const { agent, interrupts } = place();
  const ask = (signal: AbortSignal): Promise<never> => {
    const waits = untilAborted(signal);
    if (cause === "urgent mail") interrupts.interrupt("urgent");
    if (cause === "the end of the process") outer.abort(new Interruption("suspend"));
    return cause === "its own fault" ? Promise.reject(new Error("no such command")) : waits;
  };
  const result = continuedByHook(agent, interrupts, outer.signal, ask);
  if (outcome === false) expect(await result).toBe(false);
  else await expect(result).rejects.toThrow(outcome);
});

it("at the end of a stint each feature does its part, in order", async () => {
  const did: string[] = [];
  const one = (what: string): Feature => ({ onStintEnd: async () => void did.push(what) });
  await ended(place({ features: [one("first"), {}, one("second")] }))();
  expect(did).toEqual(["first", "second"]);
});

it("a stint without anything to do at its end needs no step", async () => {
  outer.abort(new Interruption("suspend")); // a step could not begin
  await ended(place({ features: [{}] }))();
  const feature: Feature = { onStintEnd: async () => {} };
  await expect(ended(place({ features: [feature] }))()).rejects.toThrow("interrupted: suspend");
});

it.each([
  // [what ends the work, the error, the warnings]
  ["a fault", null, ["the disk is full"]],
  ["the person", null, []],
  ["the end of the process", "interrupted: suspend", []],
] as const)("%s ends the work at the end of a stint", async (cause, error, expected) => {
  let step: AbortSignal | undefined;
  const onStintEnd = (_: Agent, signal: AbortSignal): Promise<void> => {
    step = signal;
    const waits = untilAborted(signal);
    if (cause === "the person") placed.interrupts.interrupt("person");
    if (cause === "the end of the process") outer.abort(new Interruption("suspend"));
    return cause === "a fault" ? Promise.reject(new Error("the disk is full")) : waits;
  };
  const placed = place({ features: [{ onStintEnd }] });
  if (error === null) await ended(placed)();
  else await expect(ended(placed)()).rejects.toThrow(error);
  expect(await warnings()).toEqual(expected);
  placed.interrupts.interrupt("urgent"); // its step is over
  expect(step?.aborted).toBe(cause !== "a fault");
});

it("before a release each feature does its part, and may use nothing of it afterwards", async () => {
  const did: string[] = [];
  const signals: AbortSignal[] = [];
  const one = (what: string): Feature => ({
    beforeRelease: async (signal) => {
      expect(signal.aborted).toBe(false);
      signals.push(signal);
      did.push(what);
    },
  });
  const { agent } = place({ features: [one("first"), {}, one("second")] });
  await beforeRelease(agent);
  expect(did).toEqual(["first", "second"]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

it("a fault before a release is a warning, also when the store cannot take it", async () => {
  const fails: Feature = { beforeRelease: () => Promise.reject(new Error("no network")) };
  const { agent } = place({ features: [fails] });
  await beforeRelease(agent);
  expect(await warnings()).toEqual(["no network"]);
  await store.close();
  await beforeRelease(agent);
});
