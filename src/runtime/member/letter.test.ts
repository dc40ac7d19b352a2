/** These tests check what a letter costs: how often a member looks into its mailbox until the model has read it. */
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { agentOf, endLives, living, modelOf, saying } from "../../../test/fixtures/member.ts";
import { soon } from "../../../test/fixtures/soon.ts";
import { stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { LEAD, later, PERSON } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";

const here = stage("sqlite");
afterEach(endLives);

/** The store, which notes each look into a mailbox. */
function counted(store: Store, looks: string[]): Store {
  const { mail } = store;
  const noted =
    <A extends unknown[], R>(what: string, look: (...args: A) => R) =>
    (...args: A): R => {
      looks.push(what);
      return look(...args);
    };
  const unread = noted("unread", (...args: Parameters<typeof mail.unread>) => mail.unread(...args));
  const waking = noted("waking", (...args: Parameters<typeof mail.waking>) => mail.waking(...args));
  const deliver = noted("deliver", (...args: Parameters<typeof mail.deliver>) => mail.deliver(...args));
  const { wake } = store;
  return {
    ...store,
    mail: { ...mail, unread, waking, deliver },
    wake: {
      mark: () => wake.mark(),
      watch: (topic, on) => wake.watch(topic, on),
      changed: noted("wait", (...args: Parameters<typeof wake.changed>) => wake.changed(...args)),
    },
  };
}

it("a letter to an idle member costs two looks: one finds it, one delivers it", async () => {
  const { store, seats } = await here.crew(["alice"]);
  const seat = seats[0] as Seat;
  const looks: string[] = [];
  const model = modelOf(() => saying("Noted."));
  living(agentOf(counted(store, looks), seat, here.clock, model));
  await soon(() => expect(looks.at(-1)).toBe("wait"));
  looks.length = 0;
  await store.mail.send(PERSON, { to: seat.name, body: { kind: "note", text: "Hello" } });
  await soon(() => expect(looks.at(-1)).toBe("wait"));
  for (let turns = 0; turns < 3; turns += 1) await setImmediate(); // watchers are told in a later turn of the event loop
  expect(model.requests).toHaveLength(1);
  expect(looks).toEqual(["waking", "deliver", "waking", "wait"]); // the last look finds the mailbox empty
});

it("a stop request behind sixty letters ends an idle member without a model call", async () => {
  const { store, seats } = await here.crew(["alice"]);
  const seat = seats[0] as Seat;
  for (let n = 0; n < 60; n += 1)
    await store.mail.send(PERSON, { to: seat.name, body: { kind: "note", text: `${n}` } });
  const deadline = later(here.clock.now(), 60_000);
  await store.requests.ask(LEAD, seat.name, { kind: "shutdown", reason: "done" }, deadline);
  const model = modelOf(() => saying("Noted."));
  const { end } = living(agentOf(store, seat, here.clock, model));
  expect(await end).toMatchObject({ kind: "left", reason: "asked" });
  expect(model.requests).toHaveLength(0);
});
