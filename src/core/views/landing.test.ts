import { expect, it } from "vitest";
import type { LandingQueue, Reservation, Waiting } from "../board/landing.ts";
import { asTaskId, type Name } from "../ids.ts";
import { landingsData, landingsViews } from "./landing.ts";

const NOW = 1_000_000;
const waiting = (n: number, more: Partial<Waiting> = {}): Waiting => ({
  ...{
    branch: `ekiden/${n}`,
    target: "main",
    team: "default" as Name,
    task: asTaskId(n),
    subject: `Task ${n}`,
  },
  ...{ by: "alice" as Name, number: n, arrived: n, id: `id${n}`, since: NOW - n * 1_000, isReady: true },
  ...{ paths: [`${n}.txt`], state: "waiting", base: null, commit: null, gateSince: null, why: null },
  ...more,
});
const reservation = (n: number, more: Partial<Reservation> = {}): Reservation => ({
  ...{ ...waiting(n), createdAt: NOW, since: NOW - 1_000, refusals: 1, why: "conflict" },
  ...{ aloneUntil: NOW + 10_000, until: NOW + 60_000 },
  ...more,
});
const data = (entries: readonly Waiting[], reservations: readonly Reservation[] = []) =>
  landingsData({ waiting: entries, reservations, orders: new Map() } satisfies LandingQueue, [], NOW);

it("lists the line of each target with its places, then those that wait for a reservation", () => {
  const { waiting: rows } = data(
    [
      waiting(1),
      waiting(2, { target: "release" }),
      waiting(3),
      waiting(4, { paths: null, target: "release" }),
    ],
    [reservation(9, { target: "release", aloneUntil: NOW })],
  );
  expect(rows.map(({ task, target, place, state, note }) => [task, target, place, state, note])).toEqual([
    [1, "main", 1, "waiting", ""],
    [3, "main", 2, "waiting", ""],
    [2, "release", 1, "waiting", ""],
    [4, "release", null, "held", "#9 was refused and lands first"],
  ]);
});

it("counts the time of waiting and of the gate to now", () => {
  const { waiting: rows } = data([
    waiting(1),
    waiting(2, { state: "gate", gateSince: NOW - 5_000 }),
    waiting(3, { state: "failed", why: "gate" as Waiting["why"] }),
  ]);
  expect(rows.map(({ waitsMs, gateMs }) => [waitsMs, gateMs])).toEqual([
    [1_000, null],
    [2_000, 5_000],
    [3_000, null],
  ]);
  expect(rows[2]?.note).not.toBe("");
});

it("tells the reservations that have not ended", () => {
  const reservations = [reservation(8, { until: NOW }), reservation(9, { until: NOW + 1 })];
  expect(data([], reservations).reserved.map(({ task, endsMs }) => [task, endsMs])).toEqual([[9, 1]]);
});

it("shows each state in words, the commit in short, and how often one was refused", () => {
  const shown = data(
    [
      waiting(1, { state: "gate", gateSince: NOW - 5_000, commit: "0123456789abcdef" }),
      waiting(2, { state: "green" }),
      waiting(3),
      waiting(4, { state: "failed", why: "conflict" as Waiting["why"] }),
      waiting(5, { target: "release" }),
    ],
    [reservation(9, { target: "release" }), reservation(8, { target: "other", refusals: 2 })],
  );
  const [table, feed] = landingsViews(shown);
  const rows = table?.kind === "table" ? table.rows.map((row) => row.map(({ text }) => text).join("|")) : [];
  expect(rows).toEqual([
    "1|#1|Task 1|alice|main|gate runs (5s)|1s|012345678",
    "2|#2|Task 2|alice|main|green|2s|",
    "3|#3|Task 3|alice|main|waits|3s|",
    expect.stringMatching(/^4\|#4\|Task 4\|alice\|main\|.+, if the tasks ahead land\|4s\|$/),
    "–|#5|Task 5|alice|release|waits: #9 was refused and lands first|5s|",
  ]);
  const lines = feed?.kind === "feed" ? feed.lines.map(({ text }) => text) : [];
  expect(lines).toEqual([
    expect.stringMatching(/^#9 was refused \([^,]+\) and lands next; the others wait up to 1m00s for it$/),
    expect.stringMatching(/^#8 was refused \(.+, 2 times\) and lands next/),
  ]);
});

it("shows a gate that has only begun, and no feed where nothing was refused or landed", () => {
  const views = landingsViews(data([waiting(1, { state: "gate", gateSince: NOW })]));
  expect(views).toHaveLength(1);
  const [table] = views;
  if (table?.kind !== "table") throw new Error("no table");
  expect(table.rows[0]?.map(({ text }) => text)).toContain("gate runs (0s)");
  expect(table.columns.filter(({ grow }) => grow).map(({ name }) => name)).toEqual(["subject"]);
  expect(table.columns.filter(({ minor }) => minor).map(({ name }) => name)).toEqual(["target", "on"]);
});
