import { expect, it } from "vitest";
import { blurred, settled } from "./volatile.ts";

it.each([
  ["Mon Nov 23 13:39:54 UTC 2026", "Tue Nov 24 03:00:01 UTC 2026"],
  ["1795443154", "1795449999"],
  ["Started j12, process group 4711", "Started j13, process group 99"],
  ["[subagent alice/3]", "[subagent alice/12]"],
  ["2026-11-23T13:39:54Z done", "2027-01-02T03:04:05Z done"],
  ["#17 was added", "#18 was added"],
  ["9f86d081884c7d65", "60303ae22b998861"],
  ["took 12 ms", "took 9 ms"],
  ["/tmp/ekiden-a8Xq2L/out", "/tmp/ekiden-Zz91Qp/out"],
])("takes %j and %j for the same", (a, b) => expect(settled(a)).toBe(settled(b)));

it.each([
  ["value 17", "value 18"],
  ["running: 3 of 12", "running: 4 of 12"],
  ["getElementById2", "getElementById3"],
])("tells %j and %j apart", (a, b) => {
  expect(settled(a)).not.toBe(settled(b));
  expect(blurred(a)).toBe(blurred(b));
});

it("reads a long word in linear time", () => {
  const before = process.cpuUsage().user;
  settled("aB3".repeat(50_000));
  expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
});
