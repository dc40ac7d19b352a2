import { expect, it } from "vitest";
import { recruit, recruits } from "./recruit.ts";

it("gives names from a list, and numbers after its end", () => {
  const names = recruits(21).map(({ name }) => name);
  expect([names[0], names[1], names[19], names[20]]).toEqual(["alice", "bob", "tess", "teammate-21"]);
  expect(recruits(0)).toEqual([]);
});

it.each([
  ["alice", "alice", ""],
  [" Alice ", "alice", ""],
  ["alice:tester", "alice", "tester"],
  ["a: front: end ", "a", "front: end"],
  ["alice:", "alice", ""],
])("reads the teammate %j", (text, name, role) => {
  expect(recruit(text)).toEqual({ name, role });
});

it("names what is wrong with a name, without the role", () => {
  expect(() => recruit(":tester")).toThrow('"" is not a usable name');
  expect(() => recruit("a/b:tester")).toThrow('"a/b" is not a usable name');
});

it.each(["ann@", "ann@acp:", "ann:tester@ "])("names what is wrong with %j", (text) => {
  expect(() => recruit(text)).toThrow("names no agent program. Write @claude, or @acp: and its command.");
});

it("reads the program of another vendor that is its model", () => {
  expect(recruit("ann@claude")).toEqual({ name: "ann", role: "", agent: "agent:claude" });
  expect(recruit("bob: reviewer @acp:my-agent --as a:b@c")).toEqual({
    name: "bob",
    role: "reviewer",
    agent: "acp:my-agent --as a:b@c",
  });
});
