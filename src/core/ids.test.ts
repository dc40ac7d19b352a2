import { expect, it } from "vitest";
import {
  address,
  cronId,
  foldRole,
  instant,
  jobId,
  later,
  name,
  quote,
  renaming,
  speaker,
  taskId,
  taskIds,
  teammateName,
} from "./ids.ts";

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
    expect(() => name(bad)).toThrow(/Latin letters.*Its role and its prompt may use any script/);
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

it.each([
  [taskId, [12, "12", "#12", " task 12 ", "Task#12", "task_12"], 12],
  [taskId, [1, "#1"], 1],
  [jobId, [3, "3", "j3", " J3 "], 3],
  [jobId, [1, "j1"], 1],
  [cronId, ["3", "c3"], 3],
] as const)("%o reads %j as %d", (read, written, expected) => {
  for (const one of written) expect((read as (text: string | number) => number)(one)).toBe(expected);
});

it.each([
  [taskId, [0, -1, 1.5, 2 ** 53, "", "#", "0", "12a", "task", "1 2"], '"#12"'],
  [jobId, [0, "j0", "", "j", "c3", "3j", 1.5], '"j3"'],
  [cronId, ["c0", "j3", "c"], '"c3"'],
] as const)("%o refuses %j and gives an example", (read, written, example) => {
  for (const one of written)
    expect(() => (read as (text: string | number) => number)(one)).toThrow(
      expect.objectContaining({ code: "bad_input", message: expect.stringContaining(example) }),
    );
});

it.each([
  ["alice", "alice", null],
  [" @bob ", "bob", null],
  ["a@b", "a", "b"],
  [" Alice@Back End ", "alice", "back-end"],
  ["@bob@backend", "bob", "backend"],
  ["bob@@backend", "bob", "backend"],
])("reads the address %j", (text, who, team) => {
  expect(address(text)).toEqual({ who, team });
});

it("refuses half an address", () => {
  for (const bad of ["", "@", "@@b", "a@", "a@b@c", "a b@/"])
    expect(() => address(bad)).toThrow("not a usable name");
});

it("speaks of other scripts only to somebody who wrote in one", () => {
  for (const bad of ["C++", "1a", "a/b"])
    expect(() => name(bad)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("may use any script") }),
    );
});

it("quotes input on one line, at most 80 characters long", () => {
  expect([quote("a\nb"), quote(5), quote(undefined)]).toEqual(['"a\\nb"', '"5"', '"undefined"']);
  expect(quote("x".repeat(78))).toBe(`"${"x".repeat(78)}"`);
  expect(quote("x".repeat(79))).toBe(`"${"x".repeat(75)}…"`);
});

it("says how somebody is called whose name was written otherwise", () => {
  expect(renaming("Zoë", name("zoe"))).toBe(' "Zoë" is called zoe here.');
  expect(renaming("zoe", name("zoe"))).toBe("");
});

it("counts on from an instant", () => {
  expect(later(instant(5), 3)).toBe(8);
});

it("reads the tasks that one waits for, and says that none stands alone", () => {
  expect([taskIds("#1, 2", "2"), taskIds("None"), taskIds("")]).toEqual([[1, 2], [], []]);
  expect(() => taskIds("none", "2")).toThrow('"none" stands alone');
});
