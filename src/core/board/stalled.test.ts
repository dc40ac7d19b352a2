import { expect, it } from "vitest";
import type { Name } from "../ids.ts";
import type { Activity, Member } from "./member.ts";
import { stalledIn, stalledWords } from "./stalled.ts";
import type { Task } from "./task.ts";

const RESTS: Activity = { phase: "idle", reason: "cannot_work", note: "Session limit." };
const WORKS: Activity = { phase: "work" };
const mate = (name: string, activity: Activity, role = "", host: string | null = "h"): Member =>
  ({ name, activity, role, host, kind: "teammate" }) as unknown as Member;
const task = (id: number, more: object = {}): Task =>
  ({ id, status: "pending", openBlockers: 0, role: null, ...more }) as unknown as Task;
const held = (id: number, owner: string): Task => task(id, { status: "in_progress", owner });
const tried = (members: readonly Member[], ...tasks: readonly Task[]) =>
  stalledIn(members, tasks)?.tasks ?? null;

it("finds tasks for which everybody rests", () => {
  const both = [mate("ann", RESTS), mate("bob", RESTS)];
  expect(stalledIn(both, [task(1), task(2)])).toEqual({
    ...{ tasks: [1, 2], members: ["ann", "bob"], why: "Session limit.", isAll: true },
  });
  expect(tried([mate("ann", RESTS), mate("bob", WORKS)], task(1))).toBeNull();
  expect(tried([mate("ann", RESTS), mate("bob", WORKS, "", null)], task(1))).toEqual([1]);
  expect(tried(both, task(1, { openBlockers: 1 }), task(2, { status: "completed" }))).toBeNull();
});

it("goes by roles and assignees, and by the task of a member that tries again", () => {
  const mixed = [mate("ann", RESTS, "tester"), mate("bob", WORKS)];
  expect(tried(mixed, task(1, { role: "tester" }), task(2))).toEqual([1]);
  expect(tried(mixed, task(1, { assignee: "ann" as Name }))).toEqual([1]);
  expect(tried(mixed, task(1, { role: "cook" }))).toBeNull(); // there is nobody of that role at all
  expect(stalledIn(mixed, [held(1, "ann"), held(2, "bob")])).toMatchObject({ tasks: [1], isAll: false });
});

it("says it in a sentence", () => {
  const said = { tasks: [1, 2], members: ["ann"], why: "Session\nlimit." } as never;
  expect(stalledWords(said)).toBe(
    "nobody can work on #1, #2 now: ann cannot work (Session limit.). They try again automatically.",
  );
  expect(stalledWords({ tasks: Array(9), members: ["ann"], why: "" } as never)).toContain("on 9 tasks now");
});
