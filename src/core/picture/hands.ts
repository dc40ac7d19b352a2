/** The tasks that each member has in hand, and the one that it reports on. Pure; a fact costs the same on any board. */
import type { Event } from "../event.ts";

export class Hands {
  private readonly tasks = new Map<string, Set<number>>();
  private readonly owner = new Map<number, string>();
  private readonly ended = new Map<string, number>();

  claim(task: number, by: string): void {
    this.drop(task);
    this.owner.set(task, by);
    const held = this.tasks.get(by) ?? new Set();
    this.tasks.set(by, held.add(task));
    this.ended.delete(by);
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

  /**
   * The task that a turn is spent on: the one in hand, else the one that ended since its owner last rested. Its report belongs to it, and an
   * agent program says what it cost when its prompt has ended.
   */
  paying(who: string): number | null {
    return this.taskOf(who) ?? this.ended.get(who) ?? null;
  }

  apply(event: Event): void {
    switch (event.type) {
      case "task.claimed":
        this.claim(event.task, event.by);
        return;
      case "task.completed":
      case "task.failed":
      case "task.released":
      case "task.cancelled": {
        const owner = this.drop(event.task);
        if (owner !== undefined) this.ended.set(owner, event.task);
        return;
      }
      case "teammate.phase":
        if (event.phase === "idle") this.ended.delete(event.who);
    }
  }
}
