import { expect, it } from "vitest";
import { name } from "../ids.ts";
import { COLOURS, colourOf, membersLine } from "./identity.ts";

it("gives a name the same colour each time, and different names different ones", () => {
  expect(colourOf(name("alice"))).toBe(colourOf(name("alice")));
  const names = "alice bob carol dave erin frank grace heidi ivan judy".split(" ").map(name);
  expect(new Set(names.map(colourOf)).size).toBeGreaterThanOrEqual(4);
  for (const one of names) expect(COLOURS).toContain(colourOf(one));
});

it("names the other teammates with their roles, at most 20", () => {
  const member = (who: string, role = "") => ({ name: name(who), role });
  const alice = name("alice");
  expect(membersLine([], 0, alice)).toBe("");
  expect(membersLine([member("alice")], 1, alice)).toBe("");
  expect(membersLine([member("alice"), member("bob", "tester")], 2, alice)).toBe("Others: bob (tester).");
  const first = Array.from({ length: 21 }, (_, n) => member(`m-${n}`));
  expect(membersLine(first, 30, name("m-0"))).toContain("m-20 and 9 more.");
  expect(membersLine(first, 30, name("m-29"))).toContain("m-19 and 9 more.");
  expect(membersLine(first, 22, name("m-0"))).toContain("m-20 and 1 more.");
  expect(membersLine(first, 21, name("m-0"))).toMatch(/m-20\.$/);
});
