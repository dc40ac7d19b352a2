/** The files that an owner wrote until an order took its task, on every database. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import type { Fact } from "../../src/core/event.ts";
import type { TaskId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { cancelTask, completeTask, editTask, failTask, releaseTask } from "../../src/team/actions/tasks.ts";
import { BACKENDS, name, stage } from "../fixtures/stage.ts";

const one = 1 as TaskId;
const person = name("person");

describe.each(BACKENDS)("files of an owner that is stopped, on %s", (backend) => {
  const at = stage(backend);
  let store: Store;
  let [alice, bob]: Seat[] = [];
  beforeEach(async () => {
    const crew = await at.crew(["alice", "bob"]);
    store = crew.store;
    [alice, bob] = crew.seats;
    await store.board.add({ subject: "a" }, person);
  });
  const wrote = (who: string, more: Partial<Extract<Fact, { type: "tool.called" }>> = {}): Promise<void> =>
    store.journal.note([
      {
        ...{ type: "tool.called", who: name(who), tool: "write_file", subject: "", ms: 1, isError: false },
        ...more,
      } as Fact,
    ]);

  it("are named to the next owner, in the journal and to the person", async () => {
    await wrote("alice", { wrote: ["earlier.txt"] });
    await at.clock.advance(1_000);
    await store.board.claimNext(alice as Seat);
    await wrote("alice", { wrote: ["a.txt", "b.txt"] });
    await wrote("alice", { wrote: ["a.txt"], subagent: name("alice/1") });
    await wrote("alice", { wrote: ["refused.txt"], isError: true });
    await wrote("bob", { wrote: ["other.txt"] });
    const { text } = await releaseTask(store, person, one);
    const files = "Until then alice wrote a.txt, b.txt.";
    expect(text).toBe(`#1 is back on the board; alice was told to stop. ${files}`);
    const task = await store.board.claimNext(bob as Seat);
    expect(task?.lastFailure).toBe(`The person took it back from alice. ${files}`);
    const { events } = await store.journal.read(store.journal.from(0), { types: ["task.released"] });
    expect(events).toMatchObject([{ from: "alice", why: "person", note: files }]);
  });

  it("are named when the task is cancelled, or given to another, twenty at most", async () => {
    await store.board.claimNext(alice as Seat);
    await wrote("alice", { wrote: Array.from({ length: 25 }, (_, n) => `f${n}.txt`) });
    const { text: said } = await editTask(store, person, one, { assignee: name("bob") });
    expect(said).toMatch(/^#1: changed assignee; alice was told to stop\. Until then alice wrote f0.txt, /);
    const files = /wrote f0.txt, .*, f19.txt and 5 more files\.$/;
    expect((await store.board.task(one))?.lastFailure).toMatch(files);
    await store.board.claimNext(bob as Seat);
    await wrote("bob", { wrote: ["c.txt"] });
    const { id: next } = await store.board.add({ subject: "Next", blockedBy: [one] }, person);
    const { text } = await cancelTask(store, person, one, "enough");
    expect(text).toBe(
      `#1 is cancelled; bob was told to stop. Until then bob wrote c.txt. #${next} waits for it and cannot begin while it is cancelled: ekiden retry 1, ekiden cancel ${next}, or ekiden edit ${next} --after none`,
    );
    expect(await store.board.task(one)).toMatchObject({ reason: "enough. Until then bob wrote c.txt." });
  });

  it("are named when the person completes the task or ends it as failed", async () => {
    const files = "Until then alice wrote a.txt.";
    await store.board.claimNext(alice as Seat);
    await wrote("alice", { wrote: ["a.txt"] });
    const done = await completeTask(store, person, one, "Painted");
    expect(done.text).toBe(`#1 is completed; alice was told to stop. ${files}`);
    expect(await store.board.task(one)).toMatchObject({ result: `Painted. ${files}` });
    await store.board.add({ subject: "b" }, person);
    await store.board.claimNext(alice as Seat);
    await wrote("alice", { wrote: ["a.txt"] });
    const failed = await failTask(store, person, 2 as TaskId, "No");
    expect(failed.text).toBe(`#2 has failed; alice was told to stop. ${files}`);
    expect(await store.board.task(2 as TaskId)).toMatchObject({ reason: `No. ${files}` });
  });

  it("are not mentioned where there are none", async () => {
    await store.board.claimNext(alice as Seat);
    const { text } = await releaseTask(store, person, one);
    expect(text).toBe("#1 is back on the board; alice was told to stop");
    expect((await cancelTask(store, person, one, "no")).text).toBe("#1 is cancelled");
    expect(await store.board.task(one)).toMatchObject({ reason: "no" });
  });
});
