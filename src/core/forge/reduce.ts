/** What is to be done about a request, by what was seen of it and what is remembered. One function for all events; it may be asked again. Pure. */
import { askedOf, type Trust } from "./asks.ts";
import { type Change, type Memory, NEW_MEMORY, refusedAgain, type Sending, type Tracked } from "./memory.ts";
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

export type Decision = Change & { readonly memory: Memory };

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
  if (commit === null && state !== "closed") return new Round({ tracked, seen, rules, now }).decide();
  const memory = { ...tracked.memory, waits: "" };
  const { task, number } = tracked;
  const result = `Merged as pull request #${number}.`;
  if (commit !== null) return { memory, state: "merged", completed: { result, commit } };
  const was = `ull request #${number} was closed without a merge`;
  return {
    ...{ memory, state: "closed" },
    failed: `Its p${was}. Find out why; after \`ekiden retry\` the next one is opened.`,
    person: `P${was}, so #${task} has failed. Reopen it there to continue with it, or run \`ekiden retry ${task}\` to continue with a new one.`,
  };
}

/** The verdict on the checks of the head, and what is to be remembered of it. */
export const checksOf = (memory: Memory, { request, checks }: Seen, rules: Rules, now: number) =>
  checks === null ? null : settle(memory.checks, { head: request.head, checks }, now, rules.times);

type Red = Verdict & { readonly kind: "red" };
/** Whether the logs are needed for a decision. */
export const wantsLogs = ({ handled }: Memory, head: string, verdict: Verdict): verdict is Red =>
  verdict.kind === "red" && !handled.includes(redKey(head, [...verdict.failed, ...verdict.broken]));

type At = { readonly tracked: Tracked; readonly seen: Seen; readonly rules: Rules; readonly now: number };

class Round {
  private readonly at: At;
  private memory: Memory;
  private readonly sends: Sending[] = [];
  private readonly notes: string[] = [];
  private readonly asked: string[] = [];

  constructor(at: At) {
    this.at = at;
    this.memory = { ...at.tracked.memory, waits: "" };
  }

  decide(): Decision {
    const { tracked, seen, rules, now } = this.at;
    if (seen.talk !== null) this.note({ updatedAt: seen.request.updatedAt, lookedAt: now });
    const checked = checksOf(this.memory, seen, rules, now);
    if (checked !== null) this.note({ checks: checked.seen });
    if (tracked.state !== "open") return { memory: { ...this.memory, waits: "its owner" } };
    this.takeTalk();
    const verdict: Verdict = checked?.verdict ?? { kind: "pending" };
    this.takeChecks(verdict);
    if (this.notes.length === 0 && seen.request.mergeable === false) this.takeConflict();
    const waits = this.notes.length > 0 ? "its owner" : this.memory.waits || this.afterChecks(verdict);
    this.note({ waits, handled: this.memory.handled.slice(-HANDLED_KEPT) });
    return {
      memory: this.memory,
      ...(this.sends.length > 0 && { send: this.sends }),
      ...(this.notes.length > 0 && { state: "work", back: this.notes.join("\n\n") }),
      ...(this.asked.length > 0 && { person: this.asked.join("\n") }),
    };
  }

  private note(part: Partial<Memory>): void {
    this.memory = { ...this.memory, ...part };
  }

  private takeTalk(): void {
    const { memory } = this;
    const { seen, rules } = this.at;
    if (seen.talk === null) return;
    const heard = askedOf(seen.talk, rules.trust, memory.answered);
    const isApproval = ({ state, by }: ReviewWords): boolean =>
      state === "APPROVED" && by !== null && rules.trust.isTrusted(by);
    const approvals = seen.talk.reviews.filter(isApproval).length;
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
    const rounds = { checks, reviews: reviews + 1, all: all + 1 };
    this.note({ asks: heard.asks, answers: {}, answered, rounds });
    this.notes.push(reviewWords(seen.request, heard.asks));
  }

  private takeChecks(verdict: Verdict): void {
    const { head } = this.at.seen.request;
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
    const { head } = this.at.seen.request;
    const { reruns } = this.memory;
    const count = reruns.head === head ? reruns.count : 0;
    const runs = new Set(all.map(({ run }) => run));
    const isWorth = failed.length === 0 ? count < RERUNS_MAX : count === 0 && !this.at.seen.logs?.isTouched;
    if (!isWorth || runs.has(null)) return false;
    const attempt = count + 1;
    this.note({ reruns: { head, count: attempt }, checks: null, waits: "its checks, which run again" });
    for (const run of runs) this.send("rerun", `rerun:${run}:${attempt}`, { run: run ?? 0, head, attempt });
    return true;
  }

  private takeRed({ failed }: Red, all: readonly Check[], key: string): void {
    const { rules, seen } = this.at;
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
    const { request } = this.at.seen;
    const key = `conflict:${request.head}`;
    if (this.memory.handled.includes(key) || request.mergeState !== "dirty") return;
    this.remember(key);
    this.notes.push(conflictWords(request, this.at.tracked.target));
  }

  /** Sends what merges it, if that may be. Returns what it waits for then. */
  private afterChecks(verdict: Verdict): string {
    const { request } = this.at.seen;
    const { merge } = this.at.rules;
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
    if (this.at.tracked.memory.waits === IN_MERGE) {
      if (this.at.seen.isQueued !== false) return IN_MERGE;
      this.memory = refusedAgain(this.memory, key, "it was taken out of the merge queue", this.at.now);
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
    const waitMs = last.key === key ? this.at.rules.times.noneMs * 2 ** (count - 1) : 0;
    if (this.at.now < at + waitMs) return "its merge, which the forge refused";
    this.send(kind, key, target);
    return IN_MERGE;
  }

  /** A person is told once, and nothing more is done by itself. */
  private give(key: string, why: string): void {
    const { request } = this.at.seen;
    const tell = (text: string): unknown => this.asked.push(text);
    if (!this.memory.handled.includes(key))
      tell(`Request #${request.number} waits for you: ${why}. ${tried(this.memory)} ${request.url}`);
    this.remember(key);
    this.note({ waits: `a person: ${why}` });
  }

  private remember(key: string): void {
    if (!this.memory.handled.includes(key)) this.note({ handled: [...this.memory.handled, key] });
  }

  private send(kind: Sending["kind"], key: string, target: Sending["target"]): void {
    const { number } = this.at.seen.request;
    this.sends.push({ kind, key, target: { number, ...target }, body: "" });
  }
}
