/** Reservations of the landing queue, on every database: one at a time where they hold each other up, until they end. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import type { Task } from "../../src/core/board/task.ts";
import type { NewReservation, Store } from "../../src/ports/index.ts";
import { BACKENDS, claimed, name, stage } from "../fixtures/stage.ts";

/** The tests of a file share a database. */
const repositoryOf = (team: string): string => `here:/${team}/.git`;
const LENGTH = 300_000;

describe.each(BACKENDS)("reservations on %s", (backend) => {
  const at = stage(backend);
  let store: Store;
  let seats: readonly Seat[];
  let tasks: Task[];
  beforeEach(async () => {
    ({ store, seats } = await at.crew(["alice", "bob", "carol"], { leaseMs: 10 * LENGTH }));
    tasks = await store.board.addAll([{ subject: "A" }, { subject: "B" }, { subject: "C" }], name("lead"));
    for (const seat of seats) await claimed(store, seat);
  });

  const wanted = (nth: number, more: Partial<NewReservation> = {}): NewReservation => {
    const { id, createdAt } = tasks[nth] as Task;
    const about = { branch: `ekiden/${id}`, target: "main", task: id, createdAt, paths: [`${id}.txt`] };
    return { ...about, why: "conflict", refusals: 1, lengthMs: LENGTH, isOrdered: false, ...more };
  };
  const holding = (nth: number) => ({ seat: seats[nth] as Seat, task: (tasks[nth] as Task).id, attempt: 1 });
  const reserve = (nth: number, more: Partial<NewReservation> = {}, of = store) =>
    of.reservations.reserve(repositoryOf(at.team), wanted(nth, more));
  const listed = async (of = store, repository = repositoryOf(at.team)): Promise<number[]> =>
    (await of.reservations.list(repository)).map(({ task }) => task - (tasks[0] as Task).id);

  it("gives the first of many at once, on several hosts, and names it to the others", async () => {
    const stores = await Promise.all([0, 1, 2].map(() => at.open()));
    const made = await Promise.all(stores.map((one, nth) => reserve(nth, {}, one)));
    const [first] = await store.reservations.list(repositoryOf(at.team));
    expect(made.filter((one) => one === null)).toHaveLength(1);
    expect(made.filter((one) => one?.branch === first?.branch)).toHaveLength(2);
    expect(await listed()).toHaveLength(1);
  });

  it("holds all for a while, then those with the same files, then nobody; a person's order waits for none", async () => {
    expect(await reserve(0)).toBeNull();
    expect(await reserve(1)).toMatchObject({ branch: wanted(0).branch, why: "conflict", refusals: 1 });
    expect(await reserve(2, { isOrdered: true, target: "main" })).toBeNull();
    await store.reservations.forget(wanted(2).branch);
    await at.clock.advance(10_001);
    expect(await reserve(1, { paths: wanted(0).paths })).toMatchObject({ branch: wanted(0).branch });
    expect(await reserve(1)).toBeNull();
    // The one that was refused first stays the first.
    expect(await reserve(0, { refusals: 2 })).toBeNull();
    expect(await listed()).toEqual([0, 1]);
    expect(await reserve(2)).toMatchObject({ branch: wanted(0).branch, refusals: 2 });
    await at.clock.advance(LENGTH + 1);
    expect(await reserve(2)).toBeNull();
    expect(await reserve(2, { target: "release" })).toBeNull();
  });

  it("ends with the landing, and with the task", async () => {
    expect(await reserve(0)).toBeNull();
    await store.reservations.forget(wanted(0).branch);
    expect(await listed()).toEqual([]);
    expect(await reserve(0)).toBeNull();
    expect(await listed()).toEqual([0]);
    await store.board.fail(holding(0), "Given up.");
    expect(await listed()).toEqual([]);
    expect(await reserve(1)).toBeNull();
  });

  it("holds nobody up while its task is pending, and keeps its rank for the next owner", async () => {
    expect(await reserve(0)).toBeNull();
    await store.board.release(holding(0), "given_back");
    expect(await listed()).toEqual([]);
    expect(await reserve(1)).toBeNull();
    await claimed(store, seats[0] as Seat);
    expect(await listed()).toEqual([0, 1]);
    expect(await reserve(1)).toMatchObject({ branch: wanted(0).branch });
  });

  it("holds up another team in the same repository, and in no other", async () => {
    expect(await reserve(0)).toBeNull();
    const other = await at.open({ team: name(`${at.team}-2`) });
    expect(await listed(other)).toEqual([0]);
    expect(await listed(other, "there:/project/.git")).toEqual([]);
    expect(await listed(store, "there:/project/.git")).toEqual([0]);
    await other.reservations.forget(wanted(0).branch);
    expect(await listed()).toEqual([0]);
  });
});
