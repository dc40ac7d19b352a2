import { expect, it } from "vitest";
import type { Span } from "../../../../core/picture/spans.ts";
import { barsOf, folded, gapsIn, stripOf, ticksOf, unfolded, xOf } from "./lanes-bars.ts";

const span = (from: number, to: number | null, more: Partial<Span> = {}): Span => ({
  ...{ kind: "task", who: "alice", task: from, end: to === null ? "" : "completed" },
  ...{ from, to, ...more },
});
const HOUR = { from: 0, to: 3_600_000, width: 1_000 };

it("makes bars of what is in sight, with their beginnings in sight", () => {
  const spans = [
    span(-900_000, -60_000),
    span(-60_000, 360_000),
    span(1_800_000, null),
    span(3_700_000, null),
  ];
  expect(
    barsOf(spans, HOUR, 2_160_000).map(({ left, width, span: { from } }) => [from, left, width]),
  ).toEqual([
    [-60_000, -1, 100],
    [1_800_000, 500, 99],
  ]);
});

it.each([0, 30_000])(
  "joins what is too narrow to be told apart, of one kind and one end (%d ms apart)",
  (apart) => {
    const many = Array.from({ length: 3_000 }, (_, i) => span(i * 1_200, i * 1_200 + 1_200));
    const [first, ...others] = barsOf(many, HOUR, 3_600_000);
    expect([first?.count, others.length, Math.round(first?.width ?? 0)]).toEqual([3_000, 0, 1_002]);
    const failed = many.map((one, i) => (i === 1_500 ? { ...one, end: "failed" as const } : one));
    expect(barsOf(failed, HOUR, 3_600_000).map(({ count }) => count)).toEqual([1_500, 1, 1_499]);
    // What can be read stays by itself, also beside narrow ones.
    const wide = [
      span(0, 600_000),
      span(600_000 + apart, 600_500 + apart),
      span(601_000 + apart, 601_500 + apart),
    ];
    expect(barsOf(wide, HOUR, 3_600_000).map(({ count }) => count)).toEqual([1, 2]);
  },
);

it("keeps what held work up beside the work", () => {
  const spans = [span(0, 600_000), span(60_000, 120_000, { kind: "gate", end: "" }), span(600_000, 900_000)];
  expect(barsOf(spans, HOUR, 3_600_000).map(({ span: { kind }, count }) => [kind, count])).toEqual([
    ["task", 1],
    ["gate", 1],
    ["task", 1],
  ]);
});

it.each([
  [3_600_000, 1_000, true],
  [3_600_000, 300, true],
  [120_000, 1_000, false],
  [900_000_000, 800, true],
])(
  "writes the times of %d ms with room between them over %d pixels, with seconds where they differ",
  (to, width, expected) => {
    const { times, isShort } = ticksOf({ from: 0, to, width });
    expect(isShort).toBe(expected);
    const steps = times.slice(1).map((at, i) => at - (times[i] as number));
    expect(new Set(steps).size).toBe(1);
    expect(((steps[0] as number) / to) * width).toBeGreaterThanOrEqual(90);
  },
);

it("folds what nobody did anything in, over a minute, to 24 pixels", () => {
  const busy = [
    { from: 0, to: 600_000 },
    { from: 540_000, to: 660_000 },
    { from: 700_000, to: 720_000 },
    { from: 36_000_000, to: 36_480_000 },
  ];
  const range = { from: 0, to: 36_480_000 };
  const gaps = gapsIn(busy, range, 1_000);
  expect(gaps.map(({ from, to }) => [from, to])).toEqual([[720_000, 36_000_000]]);
  const view = { from: 0, to: folded(range.to, gaps), width: 1_000, gaps };
  expect(xOf(36_000_000, view) - xOf(720_000, view)).toBeCloseTo(24);
  expect(xOf(range.to, view)).toBe(1_000);
  for (const at of [0, 600_000, 720_000, 9_000_000, 36_000_000, 36_480_000])
    expect(unfolded(folded(at, gaps), gaps)).toBeCloseTo(at);
  const { times } = ticksOf(view);
  expect(times.length).toBeGreaterThan(4);
  expect(times.filter((at) => 720_000 < at && at < 36_000_000)).toEqual([]);
});

it("draws thousands of turns as one path, a pixel at least each", () => {
  const turns = Array.from({ length: 3_000 }, (_, i) => ({ from: i * 1_200, to: i * 1_200 + 900 }));
  expect(stripOf(turns, HOUR, 3_600_000, 10, 6)).toBe("M0 10h999.9v6h-999.9z");
  expect(
    stripOf(
      [
        { from: 0, to: 1 },
        { from: 1_800_000, to: null },
      ],
      HOUR,
      2_160_000,
      0,
      6,
    ),
  ).toBe("M0 0h1v6h-1zM500 0h100v6h-100z");
});
