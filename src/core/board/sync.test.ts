import { expect, it } from "vitest";
import { agreedOn, merge, outsider, type SharedTask, sameProgress } from "./sync.ts";

const mark = (value: unknown): string => JSON.stringify(value);
const before: SharedTask = {
  ...{ status: "pending", owner: "", subject: "A", description: "", priority: 0, estimate: 1 },
  ...{ touches: [], needsPlan: false, blockedBy: [], role: "" },
};
const agreed = agreedOn(before, mark);
const taken = { status: "in_progress", owner: "alice" } as const;
const given = { status: "in_progress", owner: "bob" } as const;

it.each([
  ["nothing", {}, {}, [], []],
  ["the file", { subject: "B" }, {}, ["subject"], []],
  ["the board", { subject: "A" }, { subject: "B" }, [], []],
  ["the board, and the file lacks the field", {}, { subject: "B" }, [], []],
  ["both alike", { subject: "B" }, { subject: "B" }, [], []],
  ["both", { subject: "B" }, { subject: "C" }, [], ["subject"]],
  ["each another field", { subject: "B" }, { priority: 5 }, ["subject"], []],
])("merges fields that %s changed", (_, file, board, toBoard, conflicts) => {
  expect(merge(agreed, file, { ...before, ...board }, mark)).toMatchObject({ toBoard, conflicts });
});

it("takes each difference as one of both when the two never agreed", () => {
  expect(merge(null, { subject: "B" }, before, mark)).toMatchObject({
    toBoard: [],
    conflicts: ["subject"],
    progress: "same",
  });
  expect(merge(null, { ...taken }, before, mark).progress).toBe("both");
});

it.each([
  ["same", {}, {}],
  ["same", taken, taken],
  ["file", taken, {}],
  ["file", { owner: "alice" }, {}],
  ["board", { ...before }, taken],
  // A file without status and owner says nothing about them.
  ["same", {}, taken],
  ["both", given, taken],
] as const)(
  "says who changed the progress: %s, for the file %j and the board %j",
  (expected, file, board) => {
    expect(merge(agreed, file, { ...before, ...board }, mark).progress).toBe(expected);
  },
);

it.each([
  ["pending", "in_progress", false],
  ["pending", "completed", false],
  ["completed", "in_progress", false],
  ["in_progress", "failed", false],
  ["in_progress", "in_progress", false],
  ["pending", "pending", false],
  ["completed", "completed", true],
  ["failed", "cancelled", true],
  ["cancelled", "completed", false],
] as const)("compares %s of alice with %s of bob: the same is %j", (a, b, expected) => {
  expect(sameProgress({ status: a, owner: "alice" }, { status: b, owner: "bob" })).toBe(expected);
  expect(sameProgress({ status: a, owner: "bob" }, { status: b, owner: "bob" })).toBe(expected || a === b);
});

it.each([
  ["Ann Lee", "outside:ann-lee"],
  ["x/../y", "outside:x-..-y"],
  ["", "outside:somebody"],
  ["x".repeat(70), `outside:${"x".repeat(64)}`],
])("names the owner %j outside of the team", (owner, expected) => {
  expect(outsider(owner)).toBe(expected);
});
