/** These tests check what pruning deletes and what it must keep, on every database. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import type { Event } from "../../src/core/event.ts";
import { type Instant, PERSON } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, claimed, held, host, name, profile, stage } from "../fixtures/stage.ts";

const DAY = 86_400_000;

describe.each(BACKENDS)("pruning on %s", (backend) => {
  const at = stage(backend);
  const lead = name("lead");
  let store: Store;
  let alice: Seat;
  let bob: Seat;
  beforeEach(async () => {
    const crew = await at.crew(["alice", "bob"], { leaseMs: 1_000 * DAY });
    store = crew.store;
    [alice, bob] = crew.seats as [Seat, Seat];
  });

  const done = async (seat: Seat): Promise<void> => {
    const task = await claimed(store, seat);
    await store.board.complete(held(seat, task), "done", () => heard(`did ${task.id}`));
  };
  const events = async (): Promise<readonly Event[]> =>
    (await store.journal.read(store.journal.from(0), { limit: 100_000 })).events;
  const aboutTasks = async (): Promise<string[]> =>
    (await events()).flatMap((event) =>
      event.type.startsWith("task.") && "task" in event ? [`${event.type} ${event.task}`] : [],
    );
  const texts = async (who: string): Promise<string[]> =>
    (await store.transcript.all(name(who))).map(({ entry }) => ("text" in entry ? entry.text : entry.kind));
  const later = async (days: number): Promise<Instant> => {
    await at.clock.advance(days * DAY);
    return at.clock.now();
  };

  it("deletes old facts, keeps young ones and those of unfinished tasks, and changes no state", async () => {
    await store.board.addAll([{ subject: "a" }, { subject: "b" }, { subject: 'says "task":1' }], PERSON);
    await done(alice);
    await claimed(store, bob);
    await store.journal.note([
      {
        type: "note.written",
        by: alice.name,
        kind: "trap",
        text: "It is wet.",
        task: (await store.board.tasks())[0]?.id ?? null,
      },
    ]);
    const noted = (await events()).at(-1);
    const before = await later(40);
    await store.board.add({ subject: "young" }, PERSON);
    const [tasks, members] = [await store.board.tasks(), await store.roster.members()];
    const counted = await store.prune(before, null);
    expect(counted.newest).toBe(before);
    expect(await aboutTasks()).toContain("task.completed 1");
    expect(await store.prune(before, PERSON)).toEqual(counted);
    expect(counted.facts).toBeGreaterThan(3);
    expect(await aboutTasks()).toEqual(["task.added 2", "task.added 3", "task.claimed 2", "task.added 4"]);
    expect((await events()).map(({ type }) => type).filter((type) => !type.startsWith("task."))).toEqual([
      "team.created",
      "note.written",
      "journal.pruned",
    ]);
    expect(await events()).toContainEqual(noted);
    expect([await store.board.tasks(), await store.roster.members()]).toEqual([tasks, members]);
    // Nothing is left to delete, so nothing is written either.
    expect(await store.prune(before, PERSON)).toMatchObject({ facts: 0, entries: 0 });
    expect((await events()).filter(({ type }) => type === "journal.pruned")).toHaveLength(1);
  });

  it("deletes parts of conversations that nobody reads again, and nothing of a member with a task", async () => {
    for (const seat of [alice, bob])
      await store.transcript.record(seat, [heard("one"), { kind: "summary", text: "notes" }, heard("two")]);
    await store.transcript.record(alice, [heard("a subagent's")], { subagent: name("alice/1") });
    await store.board.addAll([{ subject: "a" }, { subject: "b" }], PERSON);
    await claimed(store, bob);
    const before = await later(40);
    await store.prune(before, PERSON);
    expect(await texts("alice")).toEqual(["notes", "two"]);
    expect(await texts("alice/1")).toEqual(["a subagent's"]);
    expect(await texts("bob")).toEqual(["one", "notes", "two"]);

    // A new life under the same name: only the former one goes. A stopped member stays while work is left for which it may come back.
    await store.roster.leave(alice, "asked", "");
    await store.roster.join(profile("alice"), host("here"), lead);
    await store.roster.leave(bob, "asked", "");
    await store.prune(before, PERSON);
    expect(await texts("alice")).toEqual([]);
    expect(await texts("bob")).toEqual(["notes", "two", expect.stringContaining("#1")]); // told that it lost its task
    for (const { id } of await store.board.tasks()) await store.board.cancel(id, PERSON, "");
    await store.prune(await later(40), PERSON);
    expect(await texts("bob")).toEqual([]);
  });

  it("a follower misses nothing, and numbers are not given out again", async () => {
    for (let i = 0; i < 2_500; i += 1000)
      await store.journal.note(
        Array.from(
          { length: 1_000 },
          (_, n) => ({ type: "warning.raised", who: null, text: `${i + n}` }) as const,
        ),
      );
    const end = await store.journal.end();
    const before = await later(1);
    expect((await store.prune(before, PERSON)).facts).toBeGreaterThan(3_000);
    await store.journal.warn(null, "after");
    const { events } = await store.journal.read(end);
    expect(events.map((event) => ("text" in event ? event.text : event.type))).toEqual([
      "journal.pruned",
      "after",
    ]);
  });
});
