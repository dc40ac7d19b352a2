import { expect, it } from "vitest";
import { type Name, name } from "../ids.ts";
import type { Member } from "../member.ts";
import { COLOURS, colourOf, membersLine } from "./identity.ts";

it("gives a name the same colour each time, and different names different ones", () => {
  expect(colourOf(name("alice"))).toBe(colourOf(name("alice")));
  const names = "alice bob carol dave erin frank grace heidi ivan judy".split(" ").map(name);
  expect(new Set(names.map(colourOf)).size).toBeGreaterThanOrEqual(4);
  for (const one of names) expect(COLOURS).toContain(colourOf(one));
});

it("names the other living teammates with their roles, at most 20", () => {
  const member = (who: string, more: Partial<Member> = {}): Member =>
    ({ name: who as Name, kind: "teammate", role: "", activity: { phase: "work" }, ...more }) as Member;
  const lead = member("lead", { kind: "lead" });
  const gone = member("gone", { activity: { phase: "shutdown", reason: "asked" } });
  expect(membersLine([lead, member("alice"), gone], name("alice"))).toBe("");
  expect(membersLine([lead, member("alice"), member("bob", { role: "tester" })], name("alice"))).toBe(
    "Other teammates: bob (tester).",
  );
  const many = Array.from({ length: 30 }, (_, n) => member(`m-${n}`));
  expect(membersLine(many, name("m-0"))).toContain("m-20 and 9 more.");
});
