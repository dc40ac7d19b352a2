import { describe, expect, it } from "vitest";
import { asTaskId, DEFAULT_TEAM, name } from "../ids.ts";
import {
  branchOf,
  slugOf,
  startAnew,
  withCeiling,
  worktreeName,
  worktreePath,
  worktreeRules,
} from "./worktree.ts";

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

it("tells a model of the gate if there is one", () => {
  expect(worktreeRules("main", "npm test")).toContain("rebases on main, runs `npm test`");
  expect(worktreeRules("main", undefined)).not.toContain("runs `");
});

it.each([
  ["origin/main-2.0", "origin/main-2.0"],
  ["it's", "'it'\\''s'"],
  ["a$(b)", "'a$(b)'"],
])("resets a worktree to %j in a way that a shell reads as one word", (target, word) => {
  expect(startAnew(target)).toBe(`git reset --quiet --hard ${word}`);
});

it.each([
  ["/p/.ekiden/worktrees/1-a", {}, "/p/.ekiden/worktrees"],
  ["/p/.ekiden/worktrees/1-a/sub", { GIT_CEILING_DIRECTORIES: "/home" }, "/p/.ekiden/worktrees:/home"],
  ["/p/.ekiden/worktrees/1-a/.ekiden/worktrees/2-b", {}, "/p/.ekiden/worktrees/1-a/.ekiden/worktrees"],
  ["/p", {}, undefined],
  ["/p/.ekiden/worktrees", { GIT_CEILING_DIRECTORIES: "/home" }, "/home"],
])("lets git in %s look no higher than its worktree", (cwd, env, ceiling) => {
  expect(withCeiling<Record<string, string>>(env, cwd).GIT_CEILING_DIRECTORIES).toBe(ceiling);
});
