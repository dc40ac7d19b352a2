/** For each row of the table: two texts that are the same, and two that it tells apart. */
import { describe, expect, it } from "vitest";
import { blurred, elapsedIn, settled, type VOLATILE } from "./volatile.ts";

type Pair = readonly [string, string];
const EXAMPLES: Readonly<Record<keyof typeof VOLATILE, { same: readonly Pair[]; other: readonly Pair[] }>> = {
  dates: {
    same: [["2026-11-23T13:39:54Z done", "2027-01-02T03:04:05Z done"]],
    other: [["part 2026-11", "part 2026-12"]],
  },
  clocks: { same: [["at 13:39", "at 03:00:01"]], other: [["scored 3:1", "scored 4:1"]] },
  days: {
    same: [["Mon Nov 23 13:39:54 UTC 2026", "Tue Nov 24 03:00:01 UTC 2026"]],
    other: [["Monday", "Tuesday"]],
  },
  "seconds since 1970": { same: [["1795443154", "1795449999"]], other: [["4795443154", "4795449999"]] },
  UUIDs: {
    same: [["f3b1c5de-0000-4000-8000-aaaaaaaaaaaa", "03b1c5de-1111-4111-8111-bbbbbbbbbbbb"]],
    other: [["one-two-three", "one-two-four"]],
  },
  hashes: {
    same: [["9f86d081884c7d65", "60303ae22b998861"]],
    other: [
      ["decade", "facade"],
      ["123456", "654321"],
    ],
  },
  "numbers of processes and requests": {
    same: [["Started j12, process group 4711", "Started j13, process group 99"]],
    other: [["value 17", "value 18"]],
  },
  "elapsed times": {
    same: [
      ["took 12 ms", "took 9 ms"],
      ["elapsed 7m", "elapsed 8m"],
      ["elapsed 7m12s", "elapsed 1h3m"],
    ],
    other: [
      ["7 modules", "8 modules"],
      ["3 of 12", "4 of 12"],
    ],
  },
  "temporary names": {
    same: [["/tmp/ekiden-a8Xq2L/out", "/tmp/ekiden-Zz91Qp/out"]],
    other: [["template one", "template two"]],
  },
  subagents: { same: [["[subagent alice/3]", "[subagent alice/12]"]], other: [["3/12", "4/12"]] },
  "short ids": { same: [["#17 was added", "#18 was added"]], other: [["row 17", "row 18"]] },
  "random bytes": {
    same: [["a9Bx0Zq3T1==", "Qw8eR5tY2u=="]],
    other: [["getElementById2", "getElementById3"]],
  },
  "white space": { same: [["a  b\n", "a\tb"]], other: [["a b", "a c"]] },
};

describe.each(Object.entries(EXAMPLES))("%s", (_, { same, other }) => {
  it.each(same)("%j and %j are the same", (a, b) => expect(settled(a)).toBe(settled(b)));
  it.each(other)("%j and %j are not", (a, b) => expect(settled(a)).not.toBe(settled(b)));
});

it("takes all digits away where only words count", () =>
  expect(blurred("value 17")).toBe(blurred("value 1,8")));

it.each([
  ["elapsed 7m", 420_000],
  ["7m12s", 432_000],
  ["1 h, 2 minutes and 3.5 secs", 3_723_500],
  ["12 ms", 12],
  ["5 modules of 7", 0],
])("counts the elapsed times in %j", (text, ms) => expect(elapsedIn(text)).toBeCloseTo(ms));

it("reads a long word in linear time", () => {
  const before = process.cpuUsage().user;
  settled("aB3".repeat(50_000));
  settled("7 s ".repeat(50_000));
  expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
});
