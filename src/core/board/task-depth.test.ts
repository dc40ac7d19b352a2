import { expect, it } from "vitest";
import { LEAD, name, PERSON } from "../ids.ts";
import type { Task } from "./task.ts";
import { depthOf, lastTaskOf, rootOf } from "./task-depth.ts";

const alice = name("alice");
const bob = name("bob");
/** Created at ten times its id. `from`, `to`: when its owner had it. */
const task = (id: number, createdBy: string, owner?: string, from = 0, to?: number): Task =>
  ({
    ...{ id, createdBy, createdAt: 10 * id, startedAt: from },
    ...(owner === undefined ? { status: "pending" } : { status: "in_progress", owner }),
    ...(to !== undefined && { status: "completed", endedAt: to }),
  }) as never;

it("counts the tasks between a task and one of the person", () => {
  const tasks = [
    task(1, PERSON, alice, 11, 25),
    task(2, alice, bob, 21, 35),
    task(3, bob, alice, 31, 38),
    task(4, alice, bob, 41),
    task(5, bob),
    task(6, LEAD),
  ];
  expect(tasks.map((one) => depthOf(one, tasks))).toEqual([0, 1, 2, 3, 4, 1]);
  expect(tasks.map((one) => rootOf(one, tasks).id)).toEqual([1, 1, 1, 1, 1, 6]);
});

it("takes the last task of a teammate, and of the lead only one that it has", () => {
  const tasks = [task(1, PERSON, alice, 11, 12), task(2, PERSON, LEAD, 11, 12), task(3, PERSON, LEAD, 13)];
  expect(lastTaskOf(alice, tasks)?.id).toBe(1);
  expect(lastTaskOf(LEAD, tasks)?.id).toBe(3);
  expect(lastTaskOf(LEAD, tasks.slice(0, 2))).toBeUndefined();
  expect(lastTaskOf(bob, tasks)).toBeUndefined();
});
