/**
 * The model calls of each task of the person together with all tasks that come from it. Those that members add share the calls of the task
 * that they come from, so that a task cannot grow without an end while the others of a long runbook wait. Counted in this process.
 */

import { ROOTS, rootOf } from "../core/board/task-depth.ts";
import { HARNESS, type Name, type TaskId } from "../core/ids.ts";
import type { Store } from "../ports/index.ts";

/** Calls of a member after which it is looked at what they were for. */
const LOOK_AFTER = 10;

export class Families {
  private readonly store: Store;
  private readonly most: number;
  private readonly calls = new Map<TaskId, number>();
  /** By member: calls that belong to no task yet. */
  private readonly open = new Map<Name, number>();

  constructor(store: Store, most: number) {
    this.store = store;
    this.most = most;
  }

  /** The member waits for the promise, in which its task may be ended. */
  book(who: Name): Promise<void> | undefined {
    const calls = (this.open.get(who) ?? 0) + 1;
    this.open.set(who, calls);
    return calls % LOOK_AFTER === 0 ? this.look(who, calls) : undefined;
  }

  /** The person said something. */
  begin(): void {
    this.calls.clear();
    this.open.clear();
  }

  private async look(who: Name, calls: number): Promise<void> {
    const { board } = this.store;
    const own = await board.mine(who);
    if (!own) return; // between two tasks: they belong to the next one
    this.open.delete(who);
    const root = ROOTS.has(own.createdBy) ? own : rootOf(own, await board.tasks());
    const used = (this.calls.get(root.id) ?? 0) + calls;
    this.calls.set(root.id, used);
    if (used >= this.most) await this.end(root.id, used);
  }

  /** Tasks in progress fail, so that the lead is told; those that wait are cancelled. */
  private async end(root: TaskId, used: number): Promise<void> {
    const { board } = this.store;
    const why = `#${root} and the tasks that come from it used ${used} model calls, of ${this.most} that the setting callsPerTask allows`;
    const tasks = await board.tasks();
    const left = tasks.filter((task) => rootOf(task, tasks).id === root);
    // One that ended meanwhile refuses.
    const fail = (id: TaskId): Promise<void> => board.failFor(id, HARNESS, why).catch(() => {});
    for (const { id, status } of left) if (status === "in_progress") await fail(id);
    for (const { id, status } of left)
      if (status === "pending" && id !== root) await board.cancel(id, HARNESS, why).catch(() => {});
    // A task that was split waits for its parts.
    if (left.some(({ id, status }) => id === root && status === "pending")) await fail(root);
    this.calls.delete(root);
  }
}
