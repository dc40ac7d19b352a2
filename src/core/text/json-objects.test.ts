/** These tests find objects between other lines, and measure the time that hostile output takes. */
import { expect, it } from "vitest";
import { jsonObjects } from "./json-objects.ts";

const values = (text: string) => jsonObjects(text).map(({ value }) => value);

it.each([
  ['{"a":1}', [{ a: 1 }]],
  ['checking\n{"a":1}\ndone', [{ a: 1 }]],
  ['{"a":1}{"b":{"c":"}\\"{"}}\n \t{\n  "d": 2\n}', [{ a: 1 }, { b: { c: '}"{' } }, { d: 2 }]],
  ['{"a": "1\n{"b":2}', [undefined, { b: 2 }]],
  ['{"a": "1\n{"b":"}"}', [undefined, { b: "}" }]],
  ['{"a": {"b":2}', [undefined]],
  ["{'a': 1}\n{}", [undefined, {}]],
  ['the answer {"a":1} is in the middle of a line', []],
  ["", []],
])("%j holds %j", (text, expected) => {
  expect(values(text)).toEqual(expected);
});

it("ends soon with many objects that have no end", () => {
  const before = process.cpuUsage().user;
  expect(jsonObjects("{\n".repeat(100_000)).length).toBeLessThan(100);
  expect(process.cpuUsage(undefined).user - before).toBeLessThan(3_000_000);
});
