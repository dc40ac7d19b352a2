/** The queue of landings on every database: places, orders and reservations, which end with their owners. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import type { Task } from "../../src/core/board/task.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { instant, PERSON } from "../../src/core/ids.ts";
import type { NewReservation, NewWaiting, Store } from "../../src/ports/index.ts";
import { BACKENDS, claimed, host, name, stage } from "../fixtures/stage.ts";

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
    of.landings.reserve(repositoryOf(at.team), wanted(nth, more));
  const listed = async (of = store, repository = repositoryOf(at.team)): Promise<number[]> =>
    (await of.landings.queue(repository)).reservations.map(({ task }) => task - (tasks[0] as Task).id);

  it("gives the first of many at once, on several hosts, and names it to the others", async () => {
    const stores = await Promise.all([0, 1, 2].map(() => at.open()));
    const made = await Promise.all(stores.map((one, nth) => reserve(nth, {}, one)));
    const [first] = (await store.landings.queue(repositoryOf(at.team))).reservations;
    expect(made.filter((one) => one === null)).toHaveLength(1);
    expect(made.filter((one) => one?.branch === first?.branch)).toHaveLength(2);
    expect(await listed()).toHaveLength(1);
  });

  it("holds all for a while, then those with the same files, then nobody; a person's order waits for none", async () => {
    expect(await reserve(0)).toBeNull();
    expect(await reserve(1)).toMatchObject({ branch: wanted(0).branch, why: "conflict", refusals: 1 });
    expect(await reserve(2, { isOrdered: true, target: "main" })).toBeNull();
    await store.landings.forget(wanted(2).branch);
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
    await store.landings.forget(wanted(0).branch);
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
    await other.landings.forget(wanted(0).branch);
    expect(await listed()).toEqual([0]);
  });
});

describe.each(BACKENDS)("the queue of landings on %s", (backend) => {
  const at = stage(backend);
  let store: Store;
  let [alice, bob]: Seat[] = [];
  let here = "";
  beforeEach(async () => {
    const crew = await at.crew(["alice", "bob"], { leaseMs: LENGTH });
    store = crew.store;
    [alice, bob] = crew.seats as Seat[];
    here = repositoryOf(at.team);
    await store.board.addAll([{ subject: "A" }, { subject: "B" }], name("lead"));
  });

  const about = (task: number): NewWaiting => ({
    ...{
      branch: `ekiden/${task}`,
      target: "main",
      task: task as NewWaiting["task"],
      subject: "It",
      by: name("alice"),
    },
    ...{ since: 1, isReady: false, paths: null, state: "waiting", base: null, commit: null },
    ...{ gateSince: null, why: null },
  });
  const join = (seat: Seat | undefined, task: number, of = store, repository = here) =>
    of.landings.join(seat as Seat, repository, about(task));
  const tasks = async (of = store, repository = here): Promise<number[]> =>
    (await of.landings.queue(repository)).waiting.map(({ task }) => task);
  const owner = async (who: string): Promise<{ at: Store; seat: Seat }> => {
    const store = await at.open({ leaseMs: 60_000 });
    await store.roster.open(host(who), "elsewhere", 1, `gone.${who}`);
    const profile = {
      name: name(who),
      kind: "teammate",
      role: "",
      model: "",
      prompt: "",
      needsPlan: false,
    } as const;
    return { at: store, seat: await store.roster.join(profile, host(who), name("lead")) };
  };

  it("keeps places in order of arrival, and of readiness, for all teams of a repository", async () => {
    const [first, second] = [await join(alice, 1), await join(bob, 2)];
    expect(second.arrived).toBeGreaterThan(first.arrived);
    await store.landings.update(alice as Seat, first.id, { isReady: true, paths: ["a"] });
    const other = await at.open({ team: name(`${at.team}-2`) });
    const { waiting } = await other.landings.queue(here);
    expect(waiting).toMatchObject([
      { ...about(1), team: at.team, isReady: true, paths: ["a"], number: 3 },
      { ...about(2), number: 2 },
    ]);
    expect(await tasks(other, "there:/x/.git")).toEqual([]);
    await store.landings.leave(first.id, true);
    expect(await tasks()).toEqual([2]);
  });

  it("gives each of many that come at once a place of its own", async () => {
    const made = await Promise.all(Array.from({ length: 8 }, (_, i) => join(i % 2 ? alice : bob, i + 1)));
    expect(new Set(made.map(({ number }) => number)).size).toBe(8);
    expect((await tasks()).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("wakes those that wait, in another process and of another team, too", async () => {
    const place = await join(alice, 1);
    const other = await at.open({ team: name(`${at.team}-2`) });
    const changes = [
      () => join(bob, 2),
      () => store.landings.update(alice as Seat, place.id, { state: "green" }),
      () => store.landings.order(place.branch, { kind: "drop", by: "person" }),
      () => store.landings.leave(place.id, true),
    ];
    for (const change of changes) {
      const mark = other.wake.mark();
      const woken = other.wake.changed(mark, ["landings"], 3_600_000);
      await change();
      await woken;
    }
  });

  it("ends a place with the lease of its host, and lets nobody write for it then", async () => {
    const dead = await owner("carol");
    const place = await join(dead.seat, 1, dead.at);
    await join(bob, 2);
    expect(await tasks()).toEqual([1, 2]);
    // Frozen: it renews no more.
    await at.clock.advance(60_001);
    expect(await tasks()).toEqual([2]);
    // It was only late.
    expect(await dead.at.roster.beat(dead.seat.host)).toBe(true);
    expect(await tasks()).toEqual([1, 2]);
    await store.roster.reap(({ identity }) => identity !== "gone.carol");
    expect(await tasks()).toEqual([2]);
    const late = dead.at.landings.update(dead.seat, place.id, { state: "green" });
    await expect(late).rejects.toMatchObject({ code: "stale_seat" });
    await expect(join(dead.seat, 1, dead.at)).rejects.toMatchObject({ code: "stale_seat" });
  });

  it("lets a member of another host not write for a place", async () => {
    const place = await join((await owner("carol")).seat, 1);
    await expect(store.landings.update(bob as Seat, place.id, {})).rejects.toMatchObject({
      code: "stale_seat",
    });
  });

  it("keeps an order until the landing is over, also when its process is killed", async () => {
    const dead = await owner("carol");
    const place = await join(dead.seat, 1, dead.at);
    await store.landings.order(place.branch, { kind: "land", at: 1, by: "person" });
    await store.roster.reap(({ identity }) => identity !== "gone.carol");
    expect(await tasks()).toEqual([]);
    const next = await join(alice, 1);
    const orders = async () => [...(await store.landings.queue(here)).orders.keys()];
    expect(await orders()).toEqual([place.branch]);
    await store.landings.leave(next.id, false);
    expect([await tasks(), await orders()]).toEqual([[], [place.branch]]);
    await store.landings.leave((await join(alice, 1)).id, true);
    expect(await orders()).toEqual([]);
  });

  it("records gates, finds the green ones of commits, and removes old ones", async () => {
    const gate = { ...{ branch: "b", task: about(1).task, base: "0", tree: "t", command: "true", ms: 5 } };
    await store.landings.gates.record({ ...gate, commit: `${at.team}-1`, green: true }, PERSON, []);
    await store.landings.gates.record({ ...gate, commit: `${at.team}-2`, green: false }, PERSON, ["a fails"]);
    const green = await store.landings.gates.green([`${at.team}-1`, `${at.team}-2`]);
    expect(green).toEqual([
      expect.objectContaining({
        ...gate,
        team: at.team,
        commit: `${at.team}-1`,
        green: true,
        at: at.clock.now(),
      }),
    ]);
    expect(await store.landings.gates.green([])).toEqual([]);
    const later = instant(at.clock.now() + 1);
    expect(await store.landings.gates.prune(at.clock.now(), true)).toBe(0);
    expect(await store.landings.gates.prune(later, false)).toBe(2);
    expect(await store.landings.gates.prune(later, true)).toBe(2);
    expect(await store.landings.gates.green([`${at.team}-1`])).toEqual([]);
  });

  it("notes a gate that is green after it was red on the same tree, with the tests that failed", async () => {
    const gate = {
      ...{ branch: "b", task: about(1).task, base: "0", tree: `${at.team}-t`, command: "true", ms: 5 },
    };
    const record = (commit: string, green: boolean, tree = gate.tree) =>
      store.landings.gates.record(
        { ...gate, commit, green, tree, cases: green ? Number(commit) : null },
        name("alice"),
        green ? [] : ["slow one"],
      );
    await record("1", false);
    await record("2", true, "another");
    await record("3", true);
    await record("4", true);
    const { events } = await store.journal.read(store.journal.from(0), { types: ["gate.flaky"] });
    expect(events).toMatchObject([{ task: 1, by: "alice", commit: "3", names: ["slow one"] }]);
    const { gates } = store.landings;
    expect(await gates.cases("3", "true")).toEqual({ commit: "3", cases: 3 });
    expect(await gates.cases("unknown", "true")).toEqual({ commit: "4", cases: 4 });
    expect(await gates.cases("3", "another command")).toBeNull();
  });

  const red = (commit: string, verdict: "red" | "green" = "red") => {
    const failing = { exit: "exit code 1", names: ["a"], lines: [] };
    const about = { target: "main", commit, author: "Ann", authoredAt: 5, names: ["a"], gate: "g", ms: 7 };
    return { ...about, verdict, failing } as const;
  };
  const repair = { subject: "Repair main", priority: 1_000_000 };
  const judge = (of: Store, commit: string, verdict: "red" | "green" = "red") =>
    of.landings.bases.judged(
      name("alice"),
      "npm test",
      red(commit, verdict),
      verdict === "red" ? repair : null,
    );
  const repairs = async () => (await store.board.tasks()).filter(({ subject }) => subject === "Repair main");

  it("judges a base once for all hosts, and puts one task for a target on the board", async () => {
    const base = `${at.team}-1`;
    expect(await store.landings.bases.find(base, "g")).toBeNull();
    const stores = await Promise.all([0, 1, 2].map(() => at.open()));
    const judged = await Promise.all(stores.map((one) => judge(one, base)));
    const [task, ...more] = await repairs();
    expect(more).toEqual([]);
    for (const one of judged) expect(one).toEqual({ ...red(base), repair: task?.id });
    expect(await store.landings.bases.find(base, "other")).toBeNull();
    // A person's commit did not help.
    expect(await judge(store, `${at.team}-2`)).toMatchObject({ repair: task?.id });
    expect(await repairs()).toHaveLength(1);
    const other = await at.open({ team: name(`${at.team}-2`) });
    expect(await other.landings.bases.find(base, "g")).toMatchObject({ verdict: "red", repair: null });
    const { events } = await store.journal.read(store.journal.from(0), { types: ["base.judged"] });
    expect(events).toMatchObject([
      { commit: base, gate: "npm test", verdict: "red", names: ["a"], author: "Ann", repair: task?.id },
      { commit: `${at.team}-2` },
    ]);
    expect(await judge(store, `${at.team}-3`, "green")).toMatchObject({ verdict: "green", repair: null });
  });

  it("sets one task aside for a repair that nobody is free for, however many look at once", async () => {
    const [a, b] = [await claimed(store, alice as Seat), await claimed(store, bob as Seat)];
    const { repair } = await judge(store, `${at.team}-1`);
    if (repair === null) throw new Error("no task");
    const set = (seat: Seat | undefined, { id, attempt }: Task & { attempt: number }, of: Store) =>
      of.landings.bases.setAside(
        { seat: seat as Seat, task: id, attempt },
        repair,
        "main is red",
        heard("back"),
      );
    const stores = await Promise.all([0, 1].map(() => at.open()));
    const [first, second] = await Promise.all([
      set(alice, a, stores[0] as Store),
      set(bob, b, stores[1] as Store),
    ]);
    expect([first, second].sort()).toEqual([false, true]);
    const next = await claimed(store, (first ? alice : bob) as Seat);
    expect(next.id).toBe(repair);
    expect(await store.landings.bases.isShort(name("bob"), repair)).toBe(false);
    const { events } = await store.journal.read(store.journal.from(0), { types: ["task.released"] });
    expect(events).toMatchObject([{ why: "red_base", note: "main is red" }]);
  });

  it("ends a repair that nobody has begun when something has landed on the target", async () => {
    await judge(store, `${at.team}-1`);
    const [task] = await repairs();
    const landed = { branch: "b", target: "release", commit: "c" };
    await store.board.landed(about(1).task, name("alice"), landed);
    expect(await repairs()).toMatchObject([{ status: "pending" }]);
    await store.board.landed(about(2).task, name("alice"), { ...landed, target: "main" });
    expect(await repairs()).toMatchObject([{ id: task?.id, status: "completed" }]);
    // The next commit may be red again.
    expect((await judge(store, `${at.team}-4`)).repair).not.toBe(task?.id);
    expect(await repairs()).toHaveLength(2);
  });
});
