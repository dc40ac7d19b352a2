/** What is to be done about a request, by what was seen of it and what is remembered. One function for all events; it may be asked again. Pure. */
import { askedOf, type Trust } from "./asks.ts";
import { type Memory, NEW_MEMORY, refusedAgain, type Sending, type Tracked } from "./memory.ts";
import type { Check, Request, ReviewWords, Talk } from "./model.ts";
import { redKey, settle, shownNames, type Times, type Verdict } from "./settle.ts";
import { checkWords, conflictWords, reviewWords, tried } from "./words.ts";

/** `talk` and `checks` null: not read now, because nothing has changed. */
export type Seen = {
  readonly request: Request;
  readonly checks: readonly Check[] | null;
  readonly talk: Talk | null;
  /** Whether it is in the merge queue; null where that is not known. */
  readonly isQueued?: boolean | null;
  /** Of the checks that failed, where they are new. `isTouched`: a log names a file of the change. */
  readonly logs?: { readonly text: string; readonly isTouched: boolean };
};

export type Rules = {
  readonly rounds: number;
  readonly merge: "never" | "queue" | "auto";
  readonly times: Times;
  readonly trust: Trust;
};

export type Act =
  /** The task goes back to its owner, with what is wrong. */
  | { readonly kind: "back"; readonly note: string }
  | { readonly kind: "send"; readonly what: Sending }
  | { readonly kind: "person"; readonly text: string }
  | { readonly kind: "merged"; readonly commit: string }
  | { readonly kind: "closed" };

export type Decision = { readonly memory: Memory; readonly acts: readonly Act[] };

/** Whether it is worth a look although nothing was said about it. */
export const isMoving = ({ waits, checks }: Memory): boolean =>
  checks === null || /^(?:its checks|the forge)/.test(waits);

/** A commit is tried again so often. */
const RERUNS_MAX = 2;
/** People who answer each answer may be programs: so many times the rounds in all. */
const ALL_ROUNDS = 5;
const HANDLED_KEPT = 200;
/** What a request waits for that is to be merged by the forge now. */
export const IN_MERGE = "its merge";
/** A merge, or what comes before it, is tried so often for a commit. */
const REFUSALS_MAX = 4;

export function reduce(tracked: Tracked, seen: Seen, rules: Rules, now: number): Decision {
  const { mergedAs: commit, state } = seen.request;
  if (commit === null && state !== "closed") return new Round(tracked, seen, rules, now).decide();
  const memory = { ...tracked.memory, waits: "" };
  return { memory, acts: [commit === null ? { kind: "closed" } : { kind: "merged", commit }] };
}

/** The verdict on the checks of the head, and what is to be remembered of it. */
export const checksOf = (memory: Memory, { request, checks }: Seen, rules: Rules, now: number) =>
  checks === null ? null : settle(memory.checks, request.head, checks, now, rules.times);

type Red = Verdict & { readonly kind: "red" };
/** Whether the logs are needed for a decision. */
export const wantsLogs = ({ handled }: Memory, head: string, verdict: Verdict): verdict is Red =>
  verdict.kind === "red" && !handled.includes(redKey(head, [...verdict.failed, ...verdict.broken]));

class Round {
  private memory: Memory;
  private readonly acts: Act[] = [];
  private readonly notes: string[] = [];
  private readonly tracked: Tracked;
  private readonly seen: Seen;
  private readonly rules: Rules;
  private readonly now: number;

  constructor(tracked: Tracked, seen: Seen, rules: Rules, now: number) {
    [this.tracked, this.seen, this.rules, this.now] = [tracked, seen, rules, now];
    this.memory = { ...tracked.memory, waits: "" };
  }

  decide(): Decision {
    const { seen, now } = this;
    if (seen.talk !== null) this.note({ updatedAt: seen.request.updatedAt, lookedAt: now });
    const checked = checksOf(this.memory, seen, this.rules, now);
    if (checked !== null) this.note({ checks: checked.seen });
    const verdict: Verdict = checked?.verdict ?? { kind: "pending" };
    if (this.tracked.state !== "open")
      return { memory: { ...this.memory, waits: "its owner" }, acts: this.acts };
    this.takeTalk();
    this.takeChecks(verdict);
    if (this.notes.length === 0 && seen.request.mergeable === false) this.takeConflict();
    if (this.notes.length > 0) {
      this.acts.push({ kind: "back", note: this.notes.join("\n\n") });
      this.note({ waits: "its owner" });
    } else if (this.memory.waits === "") this.note({ waits: this.afterChecks(verdict) });
    this.note({ handled: this.memory.handled.slice(-HANDLED_KEPT) });
    return { memory: this.memory, acts: this.acts };
  }

  private note(part: Partial<Memory>): void {
    this.memory = { ...this.memory, ...part };
  }

  private takeTalk(): void {
    if (this.seen.talk === null) return;
    const { memory, rules } = this;
    const heard = askedOf(this.seen.talk, rules.trust, memory.answered);
    const isApproval = ({ state, by }: ReviewWords): boolean =>
      state === "APPROVED" && by !== null && rules.trust.isTrusted(by);
    const approvals = this.seen.talk.reviews.filter(isApproval).length;
    this.note({ strangers: heard.strangers, approvals });
    if (approvals > memory.approvals) this.note({ refused: NEW_MEMORY.refused });
    if (heard.asks.length === 0) return;
    const answered = [...memory.answered, ...heard.asks.flatMap(({ ids }) => ids)];
    const anew = heard.hasPerson ? { checks: 0, reviews: 0 } : {};
    const { checks, reviews, all } = { ...memory.rounds, ...anew };
    if (reviews >= rules.rounds || all >= ALL_ROUNDS * rules.rounds) {
      // Not answered, and not asked again: a person may answer there.
      this.note({ answered });
      this.give(`reviews:${heard.asks[0]?.ids[0]}`, `it was reviewed in ${all} rounds`);
      return;
    }
    if (heard.hasPerson) this.note({ refused: NEW_MEMORY.refused });
    this.note({
      asks: heard.asks,
      answers: {},
      answered,
      rounds: { checks, reviews: reviews + 1, all: all + 1 },
    });
    this.notes.push(reviewWords(this.seen.request, heard.asks));
  }

  private takeChecks(verdict: Verdict): void {
    const { head } = this.seen.request;
    if (verdict.kind === "held")
      this.give(`held:${head}`, `a person must let its checks run: ${shownNames(verdict.checks)}`);
    if (verdict.kind !== "red") return;
    const all = [...verdict.failed, ...verdict.broken];
    const key = redKey(head, all);
    if (this.memory.handled.includes(key)) this.note({ waits: `a person: ${shownNames(all)} failed` });
    else if (!this.runsAgain(verdict, all)) this.takeRed(verdict, all, key);
  }

  /** A failure may be one of the machines or of chance: those jobs run again first, at most twice for a commit. */
  private runsAgain({ failed }: Red, all: readonly Check[]): boolean {
    const { head } = this.seen.request;
    const { reruns } = this.memory;
    const count = reruns.head === head ? reruns.count : 0;
    const runs = new Set(all.map(({ run }) => run));
    const isWorth = failed.length === 0 ? count < RERUNS_MAX : count === 0 && !this.seen.logs?.isTouched;
    if (!isWorth || runs.has(null)) return false;
    const attempt = count + 1;
    this.note({ reruns: { head, count: attempt }, checks: null, waits: "its checks, which run again" });
    for (const run of runs) this.send("rerun", `rerun:${run}:${attempt}`, { run: run ?? 0, head, attempt });
    return true;
  }

  private takeRed({ failed }: Red, all: readonly Check[], key: string): void {
    const { rules, seen } = this;
    const { rounds } = this.memory;
    if (failed.length === 0) this.give(key, `its checks break: ${shownNames(all)}`);
    else if (rounds.checks >= rules.rounds)
      this.give(key, `${shownNames(failed)} failed after ${rules.rounds} rounds of repair`);
    else {
      this.remember(key);
      this.note({ rounds: { ...rounds, checks: rounds.checks + 1, all: rounds.all + 1 } });
      this.notes.push(checkWords(seen.request, failed, seen.logs?.text ?? ""));
    }
  }

  private takeConflict(): void {
    const { request } = this.seen;
    const key = `conflict:${request.head}`;
    if (this.memory.handled.includes(key) || request.mergeState !== "dirty") return;
    this.remember(key);
    this.notes.push(conflictWords(request, this.tracked.target));
  }

  /** Sends what merges it, if that may be. Returns what it waits for then. */
  private afterChecks(verdict: Verdict): string {
    const { request } = this.seen;
    const { merge } = this.rules;
    const { head, node, mergeState } = request;
    if (verdict.kind === "pending") return "its checks";
    if (merge === "never") return "a person who merges it";
    if (verdict.kind === "none") return "a person who merges it: it has no checks";
    if (request.mergeable === null) return "the forge, which finds out whether it can be merged";
    if (merge === "queue") return this.toQueue({ head, node });
    if (mergeState === "behind") return this.tryTo("update", { head });
    if (mergeState === "clean" || mergeState === "has_hooks") return this.tryTo("merge", { head });
    return `a person: the forge says that it is ${mergeState}`;
  }

  /** It may leave the queue again, because of its checks there or by a person. */
  private toQueue(target: Sending["target"]): string {
    const key = `queue:${target.head}`;
    if (this.tracked.memory.waits === IN_MERGE) {
      if (this.seen.isQueued !== false) return IN_MERGE;
      this.memory = refusedAgain(this.memory, key, "it was taken out of the merge queue", this.now);
    }
    return this.tryTo("queue", target);
  }

  /** What the forge refuses is tried again after twice as long each time, and then a person is asked. */
  private tryTo(kind: Sending["kind"], target: Sending["target"]): string {
    const key = `${kind}:${target.head}`;
    const { count, at, why, ...last } = this.memory.refused;
    if (last.key === key && count >= REFUSALS_MAX) {
      this.give(`refused:${key}:${at}`, `the forge refused ${count} times: ${why}`);
      return this.memory.waits;
    }
    const waitMs = last.key === key ? this.rules.times.noneMs * 2 ** (count - 1) : 0;
    if (this.now < at + waitMs) return "its merge, which the forge refused";
    this.send(kind, key, target);
    return IN_MERGE;
  }

  /** A person is told once, and nothing more is done by itself. */
  private give(key: string, why: string): void {
    const { request } = this.seen;
    if (!this.memory.handled.includes(key))
      this.acts.push({
        kind: "person",
        text: `Request #${request.number} waits for you: ${why}. ${tried(this.memory)} ${request.url}`,
      });
    this.remember(key);
    this.note({ waits: `a person: ${why}` });
  }

  private remember(key: string): void {
    if (!this.memory.handled.includes(key)) this.note({ handled: [...this.memory.handled, key] });
  }

  private send(kind: Sending["kind"], key: string, target: Sending["target"]): void {
    const { number } = this.seen.request;
    this.acts.push({ kind: "send", what: { kind, key, target: { number, ...target }, body: "" } });
  }
}
