import { expect, it } from "vitest";
import { speaker } from "./ids.ts";

it("tells a member's conversation from a subagent's", () => {
  expect(speaker("alice")).toEqual({ who: "alice", member: "alice" });
  expect(speaker("alice/12")).toEqual({ who: "alice/12", member: "alice" });
  for (const bad of ["alice/", "alice/0", "alice/01", "alice/1/2", "/1", "Alice/1", "../1", "alice/x", ""])
    expect(() => speaker(bad)).toThrow("not a usable name");
});
