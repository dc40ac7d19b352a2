import { describe, expect, it } from "vitest";
import { asTaskId, DEFAULT_TEAM, name } from "./ids.ts";
import { branchOf, slugOf, worktreeName, worktreePath } from "./worktree.ts";

describe("names of worktrees", () => {
  it.each([
    "..",
    "a/b",
    "-x",
    ".git",
    "a".repeat(65),
    "a.lock",
    "A.LOCK",
    "",
    "a b",
    "a..b",
    "a.",
    "é",
    "a\\b",
  ])("refuses %j", (text) => {
    expect(() => worktreeName(text)).toThrow(/cannot name a worktree/);
  });

  it.each(["a", "new-parser", "v1.2_x", "a".repeat(64), "lock"])("takes %j", (text) => {
    expect(worktreeName(text)).toBe(text);
  });

  it.each([
    ["Add the /users route", "add-the-users-route"],
    ["  ../../etc/passwd  ", "etc-passwd"],
    ["Überprüfe: a.lock", "u-berpru-fe-a"],
    ["日本語", ""],
    ["x".repeat(500), "x".repeat(40)],
  ])("makes of %j the slug %j, which is itself a name", (subject, slug) => {
    expect(slugOf(subject)).toBe(slug);
    if (slug) expect(worktreeName(slug)).toBe(slug);
  });

  it("keeps the teams of a project apart", () => {
    expect(worktreePath(DEFAULT_TEAM, asTaskId(3), "fix")).toBe("3-fix");
    expect(branchOf(worktreePath(name("blue"), asTaskId(3), ""))).toBe("ekiden/blue/3");
  });
});
