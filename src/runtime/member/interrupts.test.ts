/** The deadline of a stop request, which the mail gives by the clock of the asker's machine. */
import { expect, it } from "vitest";
import { agentOf, modelOf, saying } from "../../../test/fixtures/member.ts";
import { name, stage } from "../../../test/fixtures/stage.ts";
import { instant, LEAD, later } from "../../core/ids.ts";
import { Interrupts } from "./interrupts.ts";

const here = stage("sqlite");
const alice = name("alice");

it("ends a step at the deadline of the store, not at that of a mail from a machine whose clock differs", async () => {
  const { store, seats } = await here.crew(["alice"]);
  const [seat] = seats;
  if (!seat) throw new Error("no seat");
  const end = new AbortController();
  const agent = agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => saying("done")),
  );
  const interrupts = new Interrupts(agent, end.signal);
  await store.requests.ask(
    LEAD,
    alice,
    { kind: "shutdown", reason: "enough" },
    later(here.clock.now(), 30_000),
  );
  const [letter] = await store.mail.unread(alice, 1);
  if (letter?.body.kind !== "shutdown_request") throw new Error("no stop request");
  await interrupts.read([{ ...letter, body: { ...letter.body, deadline: instant(0) } }]);
  const step = interrupts.step();
  await here.clock.advance(29_999);
  expect([interrupts.asked, step.aborted]).toEqual([true, false]);
  await here.clock.advance(1);
  expect(step.aborted).toBe(true);
  interrupts.close();
});

it("waits for no deadline once the member has left", async () => {
  const { store, seats } = await here.crew(["alice"]);
  const [seat] = seats;
  if (!seat) throw new Error("no seat");
  const model = modelOf(() => saying("done"));
  const interrupts = new Interrupts(agentOf(store, seat, here.clock, model), new AbortController().signal);
  const ask = { kind: "shutdown", reason: "enough" } as const;
  await store.requests.ask(LEAD, alice, ask, later(here.clock.now(), 30_000));
  const before = here.clock.sleeping;
  await interrupts.watch();
  expect(here.clock.sleeping).toBe(before + 1);
  interrupts.close();
  expect(here.clock.sleeping).toBe(before);
});
