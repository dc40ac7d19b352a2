/**
 * Limits the model calls that a team makes without progress. Progress is a lasting result (`gains.ts`), a landed change, a completed
 * task of the person, a word of the person. The members are told at half of the limit; the team stops at the limit. A lasting result
 * is the progress of the member that made it: calls of the others that gained nothing go on counting, up to a quarter of the limit.
 * Pure; the host acts on it.
 *
 * Lines of a file that commands only add to count beyond one for each call. A log has one line for each call, also a log of new words.
 */

import type { Name } from "../ids.ts";
import type { Found } from "./file-changes.ts";
import { COST, Gains, type Step } from "./gains.ts";

/** `look`: what commands wrote until now shall be known. */
export type ProgressVerdict = "fine" | "look" | "told" | "over";

/** The share of the limit at which the members are told. */
const TOLD_AT = 0.5;
/** Shares of the limit at which files are looked at early, once: a file that is written anew again and again is new only once. */
const LOOK_AT = [1 / 16, 1 / 8];
/** Calls that a changed line in a file is worth, if a command wrote it. One that only came to others is worth one. */
const CALLS_PER_LINE = 2;
/** The share of the limit that others may have used for nothing when a member makes progress. */
const KEPT = 0.25;

export class ProgressLimit {
  readonly gains = new Gains();
  private readonly limit: number;
  private readonly calls = new Map<Name, number>();
  /** By member: calls for nothing since it last gained something. */
  private readonly idle = new Map<Name, number>();
  private used: number;
  /** Calls since files were last looked at, without those that showed something new. */
  private unseen = 0;
  private told = false;
  private looks = 0;

  /** `used`: the used part of the limit, when a run goes on that was stopped. */
  constructor(limit: number, used = 0) {
    this.limit = limit;
    this.used = used;
  }

  /** Counts one model call of a member or its subagent. Over the limit, every further call is over it. */
  take(who: Name, steps: readonly Step[]): ProgressVerdict {
    const gain = this.gains.of(steps, who);
    this.idle.set(who, gain === "nothing" ? (this.idle.get(who) ?? 0) + 1 : 0);
    if (gain === "lasting") {
      this.begin();
      const idle = [...this.idle.values()].reduce((sum, count) => sum + count, 0);
      this.used = Math.min(this.limit * KEPT, idle);
      return "fine";
    }
    this.calls.set(who, (this.calls.get(who) ?? 0) + 1);
    this.used += COST[gain];
    if (gain !== "found") this.unseen += 1;
    if (this.used >= this.limit) return "over";
    if (this.used >= this.limit * (LOOK_AT[this.looks] ?? 1)) {
      this.looks += 1;
      return "look";
    }
    if (this.told || this.used < this.limit * TOLD_AT) return "fine";
    this.told = true;
    return "told";
  }

  /** These lines were found in files: commands wrote them. Whether they count, and keep the team below the limit. */
  found(lines: readonly Found[]): boolean {
    const sum = (kind: keyof Found): number => lines.reduce((all, found) => all + found[kind], 0);
    const more = CALLS_PER_LINE * sum("changed") + Math.max(0, sum("grown") - this.unseen);
    this.unseen = 0;
    if (more === 0) return false;
    this.gains.giveBack(more);
    this.used = Math.max(0, this.used - more);
    if (this.used < this.limit * TOLD_AT) this.told = false;
    if (this.used === 0) this.calls.clear();
    return this.used < this.limit;
  }

  /** Something happened that lasts. */
  begin(): void {
    this.used = 0;
    this.unseen = 0;
    this.told = false;
    this.calls.clear();
  }

  /** The person said something, a task of the person was completed, or a change landed. */
  settle(): void {
    this.idle.clear();
    this.looks = 0;
    this.begin();
    this.gains.files.settle();
  }

  /** The calls since the last progress: "200 model calls without progress (alice 150, bob 50)". */
  get text(): string {
    const calls = [...this.calls].sort(([, a], [, b]) => b - a);
    const all = calls.reduce((sum, [, count]) => sum + count, 0);
    const most = calls.slice(0, 5).map(([who, count]) => `${who} ${count}`);
    return `${all} model calls without progress${calls.length > 1 ? ` (${most.join(", ")})` : ` of ${calls[0]?.[0] ?? "the team"}`}`;
  }
}
