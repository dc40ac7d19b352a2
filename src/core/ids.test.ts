import { expect, it } from "vitest";
import { foldRole, name, speaker, teammateName } from "./ids.ts";

it("tells a member's conversation from a subagent's", () => {
  expect(speaker("alice")).toEqual({ who: "alice", member: "alice" });
  expect(speaker("alice/12")).toEqual({ who: "alice/12", member: "alice" });
  for (const bad of ["alice/", "alice/0", "alice/01", "alice/1/2", "/1", "小明/1", "../1", "alice/x", ""])
    expect(() => speaker(bad)).toThrow("not a usable name");
});

it.each([
  ["alice", "alice"],
  ["Alice", "alice"],
  [" ALICE\t", "alice"],
  ["@bob", "bob"],
  ["Alice Smith", "alice-smith"],
  ["code_reviewer", "code-reviewer"],
  ["Zoë", "zoe"],
  ["Zoe\u0308", "zoe"],
  ["Søren", "soren"],
  ["STRAẞE", "strasse"],
  ["ａｌｉｃｅ", "alice"],
])("reads the name %j as %j", (written, expected) => {
  expect(name(written)).toBe(expected);
});

it.each(["小明", "Алиса", "編集者1"])(
  "refuses the name %j of another script with the rule and the way out",
  (bad) => {
    expect(() => name(bad)).toThrow(/Latin letters.*Any script may be used in its role/);
  },
);

it("does not let a name become a reserved one, a path or an option by folding", () => {
  for (const bad of ["Lead", "ＬＥＡＤ", "Person", " all"])
    expect(() => teammateName(bad)).toThrow("is reserved");
  for (const bad of [
    "../x",
    "a/b",
    "-x",
    "_x",
    ".git",
    "a.lock",
    "a\0",
    "a\nb",
    "1a",
    "",
    " ",
    "x".repeat(33),
    "C++",
  ])
    expect(() => name(bad)).toThrow("not a usable name");
});

it("folds roles by case, blanks and width, and keeps their signs", () => {
  expect(foldRole("  Backend   (Go) ")).toBe("backend (go)");
  expect(foldRole("Développeur")).toBe(foldRole("De\u0301veloppeur"));
  expect(foldRole("编码者")).toBe("编码者");
  expect(foldRole("C++ dev")).not.toBe(foldRole("C dev"));
});
