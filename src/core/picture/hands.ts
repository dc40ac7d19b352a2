/** The tasks that each member has in hand. Pure; a fact costs the same on any board. */
import type { Event } from "../event.ts";

export class Hands {
  private readonly tasks = new Map<string, Set<number>>();
  private readonly owner = new Map<number, string>();

  claim(task: number, by: string): void {
    this.drop(task);
    this.owner.set(task, by);
    const held = this.tasks.get(by) ?? new Set();
    this.tasks.set(by, held.add(task));
  }

  /** Returns its former owner. The fact of an end may name somebody else: the one who decided it. */
  drop(task: number): string | undefined {
    const owner = this.owner.get(task);
    if (owner === undefined) return undefined;
    this.owner.delete(task);
    this.tasks.get(owner)?.delete(task);
    return owner;
  }

  /** The first one: a lead may have several. */
  taskOf(who: string): number | null {
    const held = this.tasks.get(who);
    return held === undefined || held.size === 0 ? null : Math.min(...held);
  }

  apply(event: Event): void {
    switch (event.type) {
      case "task.claimed":
        this.claim(event.task, event.by);
        return;
      case "task.completed":
      case "task.failed":
      case "task.released":
      case "task.cancelled":
        this.drop(event.task);
    }
  }
}
