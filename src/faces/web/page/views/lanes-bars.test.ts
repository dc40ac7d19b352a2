import { expect, it } from "vitest";
import type { Span } from "../../../../core/picture/spans.ts";
import { barsOf, ticksOf } from "./lanes-bars.ts";

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
