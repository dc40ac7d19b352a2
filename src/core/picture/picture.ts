/**
 * A team at one moment, as people see it, folded from facts. Live it begins with the tables, in a replay with nothing; from there on
 * both take the same facts in the same way, in a terminal and in the browser. Pure, and changed in place: a board may have 10,000
 * tasks, and a fact costs the same on any board. `version` counts all changes, `board` those of tasks, `shape` those of the set of
 * tasks and edges.
 */

import type { Event } from "../event.ts";
import type { RedTarget } from "../gate/red-target.ts";
import type { TaskId } from "../ids.ts";
import { keyOfWindow, type LoginWindow } from "../limits/window.ts";
import { apply } from "./apply.ts";
import { Hands } from "./hands.ts";
import { type MemberRow, memberOf, type PictureMember } from "./member.ts";
import { type OpenQuestion, OpenQuestions } from "./questions.ts";
import type { Task } from "./task.ts";

/** `repair`: the task that repairs it. */
export type RedBaseShown = RedTarget & { readonly repair: TaskId | null };

export class Picture {
  readonly tasks = new Map<number, Task>();
  readonly members = new Map<string, PictureMember>();
  readonly hands = new Hands();
  /** The windows of logins, by `keyOfWindow`. */
  readonly logins = new Map<string, LoginWindow>();
  /** The target while the gate fails on it. */
  redBase: RedBaseShown | null = null;
  questions = new OpenQuestions();
  version = 0;
  board = 0;
  shape = 0;
  static of(
    tasks: readonly Task[],
    members: readonly MemberRow[],
    questions: readonly OpenQuestion[] = [],
    logins: readonly LoginWindow[] = [],
    redBase: RedBaseShown | null = null,
  ): Picture {
    const picture = new Picture();
    picture.redBase = redBase;
    for (const window of logins) picture.logins.set(keyOfWindow(window), window);
    picture.questions = new OpenQuestions(questions);
    for (const task of [...tasks].sort((a, b) => a.id - b.id)) picture.put(task);
    for (const row of members) picture.members.set(row.name, memberOf(row));
    return picture;
  }

  /** The use of the team, as far as its members are known. */
  get spent(): { readonly tokens: number; readonly usd: number } {
    let [tokens, usd] = [0, 0];
    for (const member of this.members.values()) {
      tokens += member.inputTokens + member.outputTokens;
      usd += member.usd;
    }
    return { tokens, usd };
  }

  subject(task: number): string {
    return this.tasks.get(task)?.subject ?? "";
  }

  /** Processes that run members; figures only where no fact came since `version`, when they were asked for. Null: that is not known. */
  setMembers(rows: readonly MemberRow[], version: number | null): void {
    const isCurrent = version === this.version;
    for (const row of rows) {
      const known = this.members.get(row.name);
      if (!known) this.members.set(row.name, memberOf(row));
      else {
        const { hosted, machine, frozen } = row;
        Object.assign(known, isCurrent ? row : {}, { hosted, machine, frozen });
      }
    }
    this.changed("member");
  }

  apply(event: Event): void {
    this.changed(event.type.startsWith("task.") || event.type === "gate.started" ? "board" : "member");
    apply(this, event);
    this.questions.apply(event);
  }

  changed(what: "member" | "board" | "shape"): void {
    this.version += 1;
    if (what !== "member") this.board += 1;
    if (what === "shape") this.shape += 1;
  }

  private put(task: Task): void {
    this.tasks.set(task.id, task);
    if (task.status === "in_progress" && task.owner !== null) this.hands.claim(task.id, task.owner);
  }
}
