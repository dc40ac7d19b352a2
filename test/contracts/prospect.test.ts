/** These tests check whether an idle member may still get a task of the board, on every database. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import type { TaskId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, held, name, stage } from "../fixtures/stage.ts";

describe.each(BACKENDS)("what a member may still get on %s", (backend) => {
  const at = stage(backend);
  const lead = name("lead");
  let store: Store;
  let alice: Seat;
  beforeEach(async () => {
    const crew = await at.crew(["alice", "bob"]);
    store = crew.store;
    [alice] = crew.seats as [Seat];
  });
  const bob = (): Promise<boolean> => store.board.hasProspect(name("bob"));

  it("is nothing on an empty board, on a finished one and of another role", async () => {
    expect(await bob()).toBe(false);
    await store.board.add({ subject: "a" }, lead);
    expect(await bob()).toBe(true);
    const task = await claimed(store, alice);
    expect(await bob()).toBe(true); // it may come back
    expect(await store.board.hasProspect(name("alice"))).toBe(false);
    await store.board.complete(held(alice, task), "");
    await store.board.add({ subject: "b", role: "tester" }, lead);
    expect(await bob()).toBe(false);
  });

  it("is a task behind one in progress, and none behind a failed one", async () => {
    await store.board.addAll(
      [
        { subject: "a" },
        { subject: "b", blockedBy: [{ nth: 0 }] },
        { subject: "c", blockedBy: [{ nth: 1 }] },
      ],
      lead,
    );
    const task = await claimed(store, alice);
    expect(await bob()).toBe(true);
    await store.board.fail(held(alice, task), "no");
    expect(await bob()).toBe(false);
    await store.board.retry(1 as TaskId, lead);
    expect(await bob()).toBe(true);
  });
});
