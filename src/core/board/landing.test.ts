import { describe, expect, it } from "vitest";
import { asTaskId, type Name } from "../ids.ts";
import {
  holderOf,
  type LandingQueue,
  lineUp,
  type Reservation,
  rankAt,
  reservedRank,
  reservedUntil,
  turnOf,
  type Waiting,
} from "./landing.ts";

const NOW = 1_000_000;

const waiting = (number: number, more: Partial<Waiting> = {}): Waiting => ({
  branch: `ekiden/${number}`,
  target: "main",
  team: "ekiden" as Name,
  task: asTaskId(number),
  subject: `Task ${number}`,
  by: "alice" as Name,
  number,
  arrived: number,
  id: `id${number}`,
  since: NOW,
  isReady: true,
  paths: [`${number}.txt`],
  state: "waiting",
  base: null,
  commit: null,
  gateSince: null,
  why: null,
  ...more,
});

const reservation = (number: number, more: Partial<Reservation> = {}): Reservation => ({
  ...waiting(number),
  createdAt: NOW,
  since: NOW - 1_000,
  refusals: 1,
  why: "conflict",
  aloneUntil: NOW + 10_000,
  until: NOW + 300_000,
  ...more,
});

const landings = (
  entries: readonly Waiting[],
  reservations: readonly Reservation[] = [],
  orders: LandingQueue["orders"] = new Map(),
): LandingQueue => ({ waiting: entries, reservations, orders });

const ids = (all: LandingQueue, now = NOW): string[] => lineUp(all, "main", now).order.map(({ id }) => id);

describe("the line", () => {
  it("is in order of arrival, of one target, and of those whose work is committed", () => {
    const entries = [
      waiting(3),
      waiting(1),
      waiting(2, { target: "release" }),
      waiting(4, { isReady: false }),
    ];
    expect(ids(landings(entries))).toEqual(["id1", "id3"]);
  });

  it("is in the order of their ids where they came at once", () => {
    const [b, a] = [waiting(1, { id: "b" }), waiting(1, { id: "a", branch: "ekiden/a" })];
    expect(ids(landings([b, a]))).toEqual(["a", "b"]);
    expect(ids(landings([a, b]))).toEqual(["a", "b"]);
  });

  it("has first those that were refused, the first refused before the others", () => {
    const reserved = [reservation(3, { since: NOW - 5 }), reservation(2, { since: NOW - 9 })];
    expect(ids(landings([waiting(1), waiting(2), waiting(3)], reserved))).toEqual(["id2", "id3", "id1"]);
  });

  it("waits for one that was refused: all for a while, then those that change the same files, then nobody", () => {
    const entries = [waiting(1), waiting(2, { paths: ["9.txt", "x"] }), waiting(3, { paths: null })];
    const all = landings(entries, [reservation(9)]);
    expect(ids(all)).toEqual([]);
    expect(lineUp(all, "main", NOW).held.map(({ entry }) => entry.id)).toEqual(["id1", "id2", "id3"]);
    expect(ids(all, NOW + 10_001)).toEqual(["id1"]);
    expect(ids(all, NOW + 300_001)).toEqual(["id1", "id2", "id3"]);
  });

  it("holds up a refused task for one that was refused before it, and not the other way round", () => {
    const [early, late] = [reservation(2, { since: NOW - 9 }), reservation(3, { since: NOW - 5 })];
    expect(ids(landings([waiting(3)], [early, late]))).toEqual([]);
    expect(ids(landings([waiting(2)], [early, late]))).toEqual(["id2"]);
    expect(ids(landings([waiting(3)], [early, late]), NOW + 300_001)).toEqual(["id3"]);
  });

  it("holds up none that a person lands", () => {
    const orders: LandingQueue["orders"] = new Map([["ekiden/1", { kind: "land", at: NOW, by: "person" }]]);
    const all = landings([waiting(1), waiting(2)], [reservation(9)], orders);
    expect(ids(all)).toEqual(["id1"]);
  });

  it("ends the wait for a reservation at its last millisecond", () => {
    const all = landings([waiting(1, { paths: ["9.txt"] }), waiting(2)], [reservation(9)]);
    expect(ids(all, NOW + 9_999)).toEqual([]);
    expect(ids(all, NOW + 10_000)).toEqual(["id2"]);
    expect(ids(all, NOW + 299_999)).toEqual(["id2"]);
    expect(ids(all, NOW + 300_000)).toEqual(["id1", "id2"]);
  });

  it("waits for no reservation of the same rank", () => {
    const orders: LandingQueue["orders"] = new Map([
      ["ekiden/1", { kind: "move", rank: [1, NOW - 1_000, "ekiden/9"], at: NOW, by: "person" }],
    ]);
    expect(ids(landings([waiting(1)], [reservation(9)], orders))).toEqual(["id1"]);
  });

  it("gives the last chance before a task fails up to the end of its reservation", () => {
    expect(reservedUntil(NOW, 1, 300_000)).toEqual({ aloneUntil: NOW + 10_000, until: NOW + 300_000 });
    expect(reservedUntil(NOW, 2, 300_000)).toEqual({ aloneUntil: NOW + 300_000, until: NOW + 300_000 });
    expect(reservedUntil(NOW, 1, 500)).toEqual({ aloneUntil: NOW + 500, until: NOW + 500 });
  });
});

describe("a move to a place of the line", () => {
  const entries = [waiting(1), waiting(2), waiting(3), waiting(4)];
  const moved = (all: LandingQueue, nth: number, place: number): string[] => {
    const entry = all.waiting.find(({ number }) => number === nth) as Waiting;
    const rank = rankAt(lineUp(all, "main", NOW), place, entry, all, NOW);
    const order = { kind: "move", rank, at: NOW, by: "person" } as const;
    return ids({ ...all, orders: new Map([[entry.branch, order]]) });
  };

  it.each([
    [4, 1, "id4 id1 id2 id3"],
    [4, 2, "id1 id4 id2 id3"],
    [4, 3, "id1 id2 id4 id3"],
    [4, 4, "id1 id2 id3 id4"],
    [1, 2, "id2 id1 id3 id4"],
    [1, 4, "id2 id3 id4 id1"],
    [1, 99, "id2 id3 id4 id1"],
  ])("puts #%i at place %i: %s", (nth, place, expected) => {
    expect(moved(landings(entries), nth, place).join(" ")).toBe(expected);
  });

  it("passes one that was refused, and one that was moved before", () => {
    const all = landings(entries, [reservation(3), reservation(4, { since: NOW - 5 })]);
    expect(ids(all)).toEqual(["id3", "id4", "id1", "id2"]);
    expect(moved(all, 2, 1)).toEqual(["id2", "id3", "id4", "id1"]);
    expect(moved(all, 2, 2)).toEqual(["id3", "id2", "id4", "id1"]);
    expect(moved(all, 2, 3)).toEqual(["id3", "id4", "id2", "id1"]);
  });

  it("keeps one at the only place that there is, behind one that is refused later", () => {
    const all = landings([waiting(1)]);
    expect(rankAt(lineUp(all, "main", NOW), 1, waiting(1), all, NOW)).toEqual([0, NOW + 1, "id1"]);
  });
});

describe("a turn", () => {
  const turn = (entries: readonly Waiting[], nth: number, parallel: number) =>
    turnOf(lineUp(landings(entries), "main", NOW), `id${nth}`, "tip", parallel);
  const built = (nth: number, base: string, state: Waiting["state"]): Waiting =>
    waiting(nth, { base, commit: state === "failed" ? null : `c${nth}`, state });

  it("is on the target for the first, and on those ahead for the others, up to as many gates at once", () => {
    const entries = [built(1, "tip", "gate"), built(2, "c1", "gate"), waiting(3), waiting(4)];
    expect(turn(entries, 1, 3)).toEqual({ kind: "go", base: "tip", isFirst: true });
    expect(turn(entries, 3, 3)).toEqual({ kind: "go", base: "c2", isFirst: false });
    expect(turn(entries, 3, 2)).toEqual({ kind: "wait" });
    expect(turn(entries, 4, 3)).toEqual({ kind: "wait" });
  });

  it("is on the target for each while nothing moves it, up to as many gates at once", () => {
    const line = lineUp(
      landings([built(1, "tip", "gate"), built(2, "tip", "green"), waiting(3)]),
      "main",
      NOW,
    );
    const alone = (nth: number, parallel: number) => turnOf(line, `id${nth}`, "tip", parallel, true);
    expect(alone(1, 1)).toEqual({ kind: "go", base: "tip", isFirst: true });
    expect(alone(3, 1)).toEqual({ kind: "wait" });
    expect(alone(3, 2)).toEqual({ kind: "go", base: "tip", isFirst: true });
    expect(alone(2, 1)).toEqual({ kind: "wait" });
  });

  it("waits for those ahead whose commit is out of date", () => {
    const entries = [built(1, "older tip", "gate"), waiting(2)];
    expect(turn(entries, 1, 4)).toEqual({ kind: "go", base: "tip", isFirst: true });
    expect(turn(entries, 2, 4)).toEqual({ kind: "wait" });
  });

  it("passes over one that has failed, and counts no gate that has ended", () => {
    const entries = [built(1, "tip", "failed"), built(2, "tip", "green"), waiting(3)];
    // The first is being refused: its work comes next, so nothing lands or is refused before it has its reservation.
    expect(turn(entries, 2, 1)).toEqual({ kind: "go", base: "tip", isFirst: false });
    expect(turn(entries, 3, 1)).toEqual({ kind: "go", base: "c2", isFirst: false });
  });
});

it.each([
  ["an earlier one", -1, 0, true],
  ["one of the same time and an earlier branch", 0, -1, true],
  ["one of the same time and a later branch", 0, 1, false],
  ["a later one, by less than a millisecond", 0.5, 0, false],
  ["its own", -1, null, false],
])("a reserved landing waits for the reservation of another: %s", (_, later, nth, expected) => {
  const entry = waiting(5);
  const one = reservation(nth === null ? 5 : 5 + nth, { since: 100 + later, paths: null, until: NOW + 1 });
  const other = nth === 0 ? { ...one, branch: "ekiden/4" } : one;
  const rank = reservedRank({ since: 100, branch: entry.branch });
  expect(holderOf(entry, rank, [other], NOW)).toBe(expected ? other : undefined);
  // It is over at its end.
  expect(holderOf(entry, rank, [other], NOW + 1)).toBeUndefined();
});
