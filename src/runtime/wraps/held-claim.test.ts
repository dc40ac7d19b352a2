/** The owner of a task after an order: when it begins, and that one without a task changes nothing. */
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { claimed, name, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { NO_CLAIM } from "../../core/conversation/lost-claim.ts";
import { LEAD } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { defineTool } from "../../tools/define.ts";
import { act } from "../turn/act.ts";
import { untilClaimed } from "./held-claim.ts";

const here = stage("sqlite");
const never = new AbortController().signal;
let store: Store;
let alice: Seat;
let bob: Seat;
beforeEach(async () => {
  const crew = await here.crew(["alice", "bob"]);
  store = crew.store;
  [alice, bob] = crew.seats as [Seat, Seat];
  await store.board.add({ subject: "paint" }, LEAD);
});

function caller(seat: Seat): { writes(): Promise<string>; readonly did: string[] } {
  const did: string[] = [];
  const write = defineTool({
    ...{ name: "write", description: "", access: "write" as const },
    input: () => z.object({}),
    run: async () => {
      did.push("wrote");
      return "ok";
    },
  });
  const agent = agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => ({})),
    {
      tools: [write],
      wraps: [untilClaimed(() => false)],
    },
  );
  let nth = 0;
  const writes = async (): Promise<string> => {
    nth += 1;
    const call = { type: "call", id: `c${nth}`, tool: "write", input: {} } as const;
    agent.conversation.add({ kind: "said", message: { role: "assistant", content: [call] } });
    const [entry] = await act(agent, [call], never, { rest: () => {} });
    return entry?.kind === "result" ? entry.result.text : "";
  };
  return { writes, did };
}

const told = async (): Promise<void> => {
  for (let turns = 0; turns < 60; turns += 1) await setImmediate();
};

it("begins when the hands of the owner before it are closed", async () => {
  const { id } = await claimed(store, alice);
  await store.board.assign(id, name("bob"), LEAD);
  await claimed(store, bob);
  const { writes, did } = caller(bob);
  const writing = writes();
  await told();
  expect(did).toEqual([]);
  await store.mail.deliver(alice, () => []);
  await here.clock.advance(1_000);
  expect(await writing).toBe("ok");
});

it("begins in any case when the owner before it does not answer", async () => {
  const { id } = await claimed(store, alice);
  await store.board.assign(id, name("bob"), LEAD);
  await claimed(store, bob);
  const { writes, did } = caller(bob);
  const writing = writes();
  for (let second = 0; second < 14; second += 1) {
    await told();
    await here.clock.advance(1_000);
  }
  expect(did).toEqual([]);
  for (let second = 0; second < 3; second += 1) {
    await told();
    await here.clock.advance(1_000);
  }
  expect(await writing).toBe("ok");
});

it("changes nothing once its task was taken away", async () => {
  const { id } = await claimed(store, alice);
  const { writes, did } = caller(alice);
  expect(await writes()).toBe("ok");
  await store.board.takeBack(id, LEAD);
  expect(await writes()).toContain(NO_CLAIM);
  expect(did).toEqual(["wrote"]);
});
